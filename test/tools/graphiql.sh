#!/bin/sh
# Fetches the pinned GraphiQL and the React that it needs from npm, checks their hashes, and
# writes the files that adapters/graph embeds. To upgrade, change the lines below:
# npm view NAME@VERSION dist.integrity
set -eu
export npm_config_loglevel=error npm_config_update_notifier=false

packages='
graphiql 4.1.2 sha512-rNlzQIAzm6i2KBXmVQWBgLvt0TloxFVB2d18bukvdsvjEuFDHsKx5IVOomL1W1o5WW+tE54+ioHb2AEKzO2cUg==
react 18.3.1 sha512-wS+hAgJShR0KhEvPJArfuPVN1+Hz1t0Y6n5jLrGQbkb4urgPE/0Rve+1kMB1v/oWgHgm4WIcV+i7F2pTVj+2iQ==
react-dom 18.3.1 sha512-5m4nQKp+rZRb09LNH59GM4BxTh9251/ylbKIbpe7TpGxfJ+9kv6BLkLBXIjjspbgbnIBNqlI23tRnTWT0snUIw==
'

target=$(pwd)/adapters/graph/explorer
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
echo "$packages" | while read -r name version integrity; do
	[ -n "$name" ] || continue
	npm pack --silent "$name@$version" >/dev/null
	got=sha512-$(openssl dgst -sha512 -binary "$name-$version.tgz" | openssl base64 -A)
	if [ "$got" != "$integrity" ]; then
		echo "$name $version has the hash $got instead of $integrity. Nothing was changed." >&2
		exit 1
	fi
	mkdir "$name"
	tar -xzf "$name-$version.tgz" -C "$name" --strip-components 1
done

gzip -9nc react/umd/react.production.min.js >"$target/react.js.gz"
gzip -9nc react-dom/umd/react-dom.production.min.js >"$target/react-dom.js.gz"
gzip -9nc graphiql/graphiql.min.js >"$target/graphiql.js.gz"
# Without its fonts, which are two thirds of the file: the system's fonts are enough.
sed '/^@font-face {/,/^}/d' graphiql/graphiql.min.css | gzip -9nc >"$target/graphiql.css.gz"

# The script of GraphiQL contains other packages; its source map names them. Those of its own
# repository have its licence.
npm install --silent --ignore-scripts --no-audit --no-fund --prefix installed ./graphiql-*.tgz graphql@16.11.0 \
	graphql-ws@5.16.2 @react-aria/utils@3.28.2 @radix-ui/react-use-escape-keydown@1.1.1 >/dev/null
{
	for name in graphiql react react-dom; do
		printf '==== %s\n\n' "$name"
		cat "$name/LICENSE"
		echo
	done
	grep -o 'node_modules/\(@[^/"]*/\)\{0,1\}[^/"]*' graphiql/graphiql.min.js.map | sort -u | while read -r folder; do
		name=${folder#node_modules/}
		case $name in react | react-dom | graphiql) continue ;; esac
		licence=$(node -p 'require(process.argv[1]).license' "$PWD/installed/$folder/package.json")
		printf '==== %s: %s\n\n' "$name" "$licence"
		find "installed/$folder" -maxdepth 1 -iname 'licen[sc]e*' -exec cat {} + && echo
	done
} | gzip -9nc >"$target/graphiql.LICENSE.txt.gz"
echo "GraphiQL is in adapters/graph/explorer."

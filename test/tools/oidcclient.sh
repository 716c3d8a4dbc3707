#!/bin/sh
# Fetches from npm the OpenID client of test/sdks/oidcclient.mjs, which runs in a browser, into the
# folder that is its argument, and refuses a package whose hash is not the one below. To upgrade:
# npm view NAME@VERSION dist.integrity
set -eu

packages='
jwt-decode 4.0.0 sha512-+KJGIyHgkGuIq3IEBNftfhW/LfWhXUIY6OmyVWjliu5KH1y0fw7VQ8YndE2O4qZdMSd9SqbnC8GOcZEy0Om7sA==
oidc-client-ts 3.5.0 sha512-l2q8l9CTCTOlbX+AnK4p3M+4CEpKpyQhle6blQkdFhm0IsBqsxm15bYaSa11G7pWdsYr6epdsRZxJpCyCRbT8A==
'

[ ! -e "$1" ] || exit 0
folder=$1.$$
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/tarballs"
cd "$folder/tarballs"
# shellcheck disable=SC2046 # one argument for each package
npm pack --silent $(echo "$packages" | awk 'NF { sub(".*/node_modules/", "", $1); print $1 "@" $2 }') >/dev/null
echo "$packages" | while read -r path version integrity; do
	[ -n "$path" ] || continue
	tarball=${path##*/}-$version.tgz
	got=sha512-$(openssl dgst -sha512 -binary "$tarball" | openssl base64 -A)
	if [ "$got" != "$integrity" ]; then
		echo "$path $version has the hash $got, not $integrity." >&2
		exit 1
	fi
	mkdir -p "../node_modules/$path"
	tar -xzf "$tarball" -C "../node_modules/$path" --strip-components 1
done
cd / && rm -rf "$folder/tarballs"
# If two of them run at once, the later one changes nothing.
mv -T "$folder" "$1" 2>/dev/null || [ -e "$1/node_modules" ]

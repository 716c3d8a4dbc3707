#!/bin/sh
# Fetches from npm the OpenID client of test/sdks/passport.cjs into the folder that is its
# argument, and refuses a package whose hash is not the one below. To upgrade:
# npm view NAME@VERSION dist.integrity
set -eu

packages='
passport-openidconnect 0.1.2 sha512-JX3rTyW+KFZ/E9OF/IpXJPbyLO9vGzcmXB5FgSP2jfL3LGKJPdV7zUE8rWeKeeI/iueQggOeFa3onrCmhxXZTg==
oauth 0.10.2 sha512-JtFnB+8nxDEXgNyniwz573xxbKSOu3R8D40xQKqcjwJ2CDkYqUDI53o6IuzDJBx60Z8VKCm271+t8iFjakrl8Q==
passport-strategy 1.0.0 sha512-CB97UUvDKJde2V0KDWWB3lyf6PC3FaZP7YxZ2G8OAtn9p4HI9j9JLP9qjOGZFvyl8uwNT8qM+hGnz/n16NI7oA==
'

[ ! -e "$1" ] || exit 0
folder=$1.$$
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/tarballs"
cd "$folder/tarballs"
# shellcheck disable=SC2046 # one argument for each package
npm pack --silent $(echo "$packages" | awk 'NF { print $1 "@" $2 }') >/dev/null
echo "$packages" | while read -r name version integrity; do
	[ -n "$name" ] || continue
	tarball=$name-$version.tgz
	got=sha512-$(openssl dgst -sha512 -binary "$tarball" | openssl base64 -A)
	if [ "$got" != "$integrity" ]; then
		echo "$name $version has the hash $got, not $integrity." >&2
		exit 1
	fi
	mkdir -p "../node_modules/$name"
	tar -xzf "$tarball" -C "../node_modules/$name" --strip-components 1
done
cd / && rm -rf "$folder/tarballs"
# If two of them run at once, the later one changes nothing.
mv -T "$folder" "$1" 2>/dev/null || [ -e "$1/node_modules" ]

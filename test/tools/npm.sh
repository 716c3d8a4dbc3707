#!/bin/sh
# Fetches the packages of a list in test/tools/npm into a folder, and refuses one whose hash is not
# that of the list. Arguments: the list and the folder. To upgrade: npm view NAME@VERSION dist.integrity
set -eu

packages=$(grep -v '^#' "$1")
[ ! -e "$2" ] || exit 0
folder=$2.$$
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/tarballs"
cd "$folder/tarballs"
# shellcheck disable=SC2046 # one argument for each package
npm pack --silent $(echo "$packages" | awk '{ sub(".*/node_modules/", "", $1); print $1 "@" $2 }') >/dev/null
echo "$packages" | while read -r path version integrity; do
	name=${path##*/node_modules/}
	tarball=$(echo "$name-$version.tgz" | sed 's/^@//; s|/|-|')
	got=sha512-$(openssl dgst -sha512 -binary "$tarball" | openssl base64 -A)
	if [ "$got" != "$integrity" ]; then
		echo "$name $version has the hash $got, not $integrity." >&2
		exit 1
	fi
	mkdir -p "../node_modules/$path"
	tar -xzf "$tarball" -C "../node_modules/$path" --strip-components 1
done
cd / && rm -rf "$folder/tarballs"
# If two of them run at once, the later one changes nothing.
mv -T "$folder" "$2" 2>/dev/null || [ -e "$2/node_modules" ]

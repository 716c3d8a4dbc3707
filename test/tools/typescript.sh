#!/bin/sh
# Fetches the compiler for the client in docs/clients/typescript from npm into the folder that
# is its argument, and refuses it if its hash is not the one below. To upgrade, change both
# lines and package.json: npm view typescript@VERSION dist.integrity
set -eu

version=5.9.3
integrity=sha512-jl1vZzPDinLr9eUt3J/t7V6FgNEw9QjvBPdysz9KfQDD41fQrC2Y4vKQdiaUpFT4bXlb1RHhLpp8wtm6M5TgSw==

[ ! -e "$1" ] || exit 0
folder=$1.$$
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder"
cd "$folder"
npm pack --silent "typescript@$version" >/dev/null
got=sha512-$(openssl dgst -sha512 -binary "typescript-$version.tgz" | openssl base64 -A)
if [ "$got" != "$integrity" ]; then
	echo "typescript $version has the hash $got, not $integrity." >&2
	exit 1
fi
tar -xzf "typescript-$version.tgz" --strip-components 1
rm "typescript-$version.tgz"
cd /
# If two of them run at once, the later one changes nothing.
mv -T "$folder" "$1" 2>/dev/null || [ -e "$1/lib" ]

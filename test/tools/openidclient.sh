#!/bin/sh
# Fetches from npm the OpenID client of test/sdks/openidclient.mjs into the folder that is its
# argument, and refuses a package whose hash is not the one below. To upgrade:
# npm view NAME@VERSION dist.integrity
set -eu

packages='
openid-client 6.8.9 sha512-6mXMRNJxDOf6BflEWLXul1UwzLFz++9Ofz1PYwPwwsJsyXBsbfkO+Jo255SW1qnFNLYz4EJWHz42X4OJJrya/g==
oauth4webapi 3.8.8 sha512-8N28E+a/oxfXWBgOMt+ZP/JUf/XR+IFbvkAEPP3gznXOMv9BpAAwiIj0TFNz3tGTPc0ZQ8zmWBNgN1nAys0gng==
jose 6.2.17 sha512-wOuK9V1yujQFH5S0ZWmLcDZN7+IKh9bUCC2ZPCf2HDlol3WWHy+PPyNjEI75FXRLMp3vDKQcupP59xhVU95hcg==
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

#!/bin/sh
# Writes the types of the payloads of GitHub's events to application/receiver/githubpayload, from the
# description in the pinned @octokit/openapi-webhooks. To upgrade, change both lines:
# npm view @octokit/openapi-webhooks@VERSION dist.integrity
set -eu

version=12.1.0
integrity=sha512-Z5eDsLCUNbx1zHpZb1LNQirADqdMTvWJQ/deahi0ws+tWWnwHXB+Pr4jfmM9OrETS9Y5iW8ZRu1fdbudObhLrg==

root=$(pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm pack --silent "@octokit/openapi-webhooks@$version" >/dev/null
got=sha512-$(openssl dgst -sha512 -binary "octokit-openapi-webhooks-$version.tgz" | openssl base64 -A)
if [ "$got" != "$integrity" ]; then
	echo "@octokit/openapi-webhooks $version has the hash $got, not $integrity: nothing was changed." >&2
	exit 1
fi
tar -xzf "octokit-openapi-webhooks-$version.tgz" package/generated/api.github.com.json
cd "$root"
go run ./test/tools/githubpayloads "$folder/package/generated/api.github.com.json" application/receiver/githubpayload

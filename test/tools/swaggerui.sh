#!/bin/sh
# Fetches the pinned Swagger UI from npm, checks its hash, and writes the files that
# adapters/rest embeds. To upgrade, change both lines:
# npm view swagger-ui-dist@VERSION dist.integrity
set -eu

version=5.35.0
integrity=sha512-U06rpMtW9V3XPGOBeamTUSr0Z09jMX4IJuANpE/EZbAhw0G8CgwrzU4YmXkn/h0wCDNsXdGarTNNHC3sU8yVUQ==

target=$(pwd)/adapters/rest/docs
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm pack --silent "swagger-ui-dist@$version" >/dev/null
got=sha512-$(openssl dgst -sha512 -binary "swagger-ui-dist-$version.tgz" | openssl base64 -A)
if [ "$got" != "$integrity" ]; then
	echo "swagger-ui-dist $version has the hash $got instead of $integrity. Nothing was changed." >&2
	exit 1
fi
tar -xzf "swagger-ui-dist-$version.tgz"
for file in swagger-ui-bundle.js swagger-ui.css; do
	gzip -9nc "package/$file" >"$target/$file.gz"
done
cat package/NOTICE package/LICENSE package/swagger-ui-bundle.js.LICENSE.txt >"$target/swagger-ui.LICENSE.txt"
echo "Swagger UI $version is in adapters/rest/docs."

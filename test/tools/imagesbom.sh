#!/bin/sh
# Lists the Go modules of an image that image.sh has built in the folder $1, as SPDX, in
# $1/octavo.spdx.json.
set -eu

syft=$(mktemp)
trap 'rm -f "$syft"' EXIT
go build -modfile=test/tools/sbom.mod -o "$syft" github.com/anchore/syft/cmd/syft
SYFT_CHECK_FOR_APP_UPDATE=false "$syft" scan "docker-archive:$1/octavo_amd64.tar" --output "spdx-json=$1/octavo.spdx.json" --quiet

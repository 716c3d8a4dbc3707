#!/bin/sh
# Creates the files of the image: $1/system, owned by root, and $1/writable, owned by the user
# of the image. Both the Dockerfile and `go tool task image` run it. `octavo version` prints
# VERSION, COMMIT and DATE. If PROGRAM is set, that file is used and nothing is built.
set -eu

system=$1/system writable=$1/writable
config=github.com/octavo-books/octavo/cmd/config
mkdir -p "$system/etc/ssl/certs" "$writable/data" "$writable/tmp"
if [ -n "${PROGRAM:-}" ]; then
	cp "$PROGRAM" "$system/octavo"
else
	# Taskfile.yml explains these build tags.
	CGO_ENABLED=0 GOOS=linux go build -trimpath -tags nomsgpack,nethttpomithttp2,nopgxregisterdefaulttypes -o "$system/octavo" \
		-ldflags "-s -w -X $config.version=${VERSION:-} -X $config.commit=${COMMIT:-} -X $config.date=${DATE:-}" ./cmd/octavo
fi
cp LICENSE "$system/LICENSE"
# To verify the servers that the program calls over TLS. Time zones are in the program.
cp /etc/ssl/certs/ca-certificates.crt "$system/etc/ssl/certs/"
# Some libraries look up the current user.
echo 'octavo:x:65532:65532:Octavo:/data:/octavo' >"$system/etc/passwd"
chmod -R u=rwX,go=rX "$system"
chmod 0700 "$writable/data" "$writable/tmp"

#!/bin/sh
# Makes what the image consists of: $1/system, which belongs to root, and $1/writable, which
# belongs to the user of the image. The Dockerfile and `go tool task image` both run it.
# VERSION, COMMIT and DATE are what `octavo version` says; PROGRAM is one that is built
# already.
set -eu

system=$1/system writable=$1/writable
config=github.com/octavo-books/octavo/cmd/config
mkdir -p "$system/etc/ssl/certs" "$writable/data" "$writable/tmp"
if [ -n "${PROGRAM:-}" ]; then
	cp "$PROGRAM" "$system/octavo"
else
	# The tags are those of `go tool task build`, which says why.
	CGO_ENABLED=0 GOOS=linux go build -trimpath -tags nomsgpack,nethttpomithttp2 -o "$system/octavo" \
		-ldflags "-s -w -X $config.version=${VERSION:-} -X $config.commit=${COMMIT:-} -X $config.date=${DATE:-}" ./cmd/octavo
fi
cp LICENSE "$system/LICENSE"
# Whoever the program calls over TLS is checked by these. Time zones are in the program.
cp /etc/ssl/certs/ca-certificates.crt "$system/etc/ssl/certs/"
# Some libraries ask who they are.
echo 'octavo:x:65532:65532:Octavo:/data:/octavo' >"$system/etc/passwd"
chmod -R u=rwX,go=rX "$system"
chmod 0700 "$writable/data" "$writable/tmp"

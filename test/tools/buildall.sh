#!/bin/sh
# Compiles the program for every system that it runs on, and discards the result. Without
# optimisation the compiler takes half the time and finds the same errors; for this system
# `go tool task build` has compiled everything.
set -eu

here=$(go env GOHOSTOS)/$(go env GOHOSTARCH)
for target in linux/amd64 linux/arm64 linux/386 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64 freebsd/amd64; do
	echo "$target"
	optimisation="all=-N -l"
	[ "$target" != "$here" ] || optimisation=""
	CGO_ENABLED=0 GOOS=${target%/*} GOARCH=${target#*/} go build -trimpath -gcflags="$optimisation" -tags nomsgpack,nethttpomithttp2,nopgxregisterdefaulttypes -o /dev/null ./cmd/octavo
done

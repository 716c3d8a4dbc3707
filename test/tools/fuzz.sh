#!/bin/sh
# Runs the fuzz targets of some folders, or of all, each for OCTAVO_FUZZ_TIME or a minute, and fails if one
# finds an input that breaks its rule. Go keeps such an input in the testdata folder of the package.
set -eu

flags="-trimpath -tags=cheaphash,nomsgpack,nethttpomithttp2,nopgxregisterdefaulttypes"
export CGO_ENABLED=0
for_each=${OCTAVO_FUZZ_TIME:-60s}
ran=0
broken=""
[ $# -gt 0 ] || set -- $(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u)
for folder in "$@"; do
	listed=$(go test $flags -list '^Fuzz' "$folder")
	for target in $(echo "$listed" | grep '^Fuzz' || :); do
		ran=$((ran + 1))
		echo "$folder $target"
		log=$(go test $flags -run '^$' -fuzz "^$target\$" -fuzztime "$for_each" -fuzzminimizetime 1000x "$folder" 2>&1) && continue
		broken="$broken $target"
		echo "$log"
	done
done
echo "$ran fuzz targets ran for $for_each each.${broken:+ BROKEN:$broken}"
[ -z "$broken" ] && [ "$ran" -gt 0 ]

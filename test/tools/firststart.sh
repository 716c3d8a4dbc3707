#!/bin/sh
# Measures what happens before the first start: compiles the task runner and the program with
# an empty cache, as `go tool task run` does in a fresh clone whose modules are downloaded.
set -eu

cache=$(mktemp -d)
trap 'rm -rf "$cache"' EXIT
now() { date +%s%N; }
ticks() { awk '{ print $16 + $17 }' "/proc/$$/stat"; } # of children that have ended
begin=$(now) before=$(ticks)
GOCACHE=$cache go tool task build
wall=$((($(now) - begin) / 1000000)) used=$(($(ticks) - before))
awk -v wall="$wall" -v used="$used" -v hz="$(getconf CLK_TCK)" \
	'BEGIN { printf "first start, wall: %.0f s\nfirst start, processors: %.0f s\n", wall / 1000, used / hz }'

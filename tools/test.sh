#!/bin/sh
# Runs the tests, with the race detector where there is a C compiler for it.
set -eu

race=-race
if ! command -v "${CC:-gcc}" >/dev/null 2>&1; then
	echo "No C compiler found: running WITHOUT the race detector." >&2
	race=""
	unset OCTAVO_E2E_RACE
fi
exec go test $race -timeout 25m "$@"

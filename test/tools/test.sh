#!/bin/sh
# Runs the tests, with the race detector where there is a C compiler for it.
# A test that needs a server which is not installed fails here; see CONTRIBUTING.md.
set -eu
export OCTAVO_TEST_ALL=1

# uninstrumented leaves the race detector out of SQLite's engine, which is C translated
# to Go, and of bcrypt's cipher. Neither is code of ours, SQLite guards its own memory,
# which the detector knows nothing of, and instrumented they take half of the time of
# the whole run.
uninstrumented="-gcflags=modernc.org/sqlite/lib=-race=false
	-gcflags=modernc.org/libc=-race=false -gcflags=modernc.org/libc/...=-race=false
	-gcflags=modernc.org/memory=-race=false
	-gcflags=golang.org/x/crypto/blowfish=-race=false"
race="-race $uninstrumented"
if ! command -v "${CC:-gcc}" >/dev/null 2>&1; then
	echo "No C compiler found: running WITHOUT the race detector." >&2
	race=""
	unset OCTAVO_E2E_RACE
fi

# in_memory says whether a folder lies in memory, may hold programs and has 2 GiB left.
in_memory() {
	[ "$(stat -f -c %T "$1" 2>/dev/null)" = tmpfs ] || return 1
	[ "$(df -Pk "$1" | awk 'NR == 2 { print $4 }')" -ge 2097152 ] || return 1
	probe=$(mktemp "$1/octavo-XXXXXX") || return 1
	printf '#!/bin/sh\n' >"$probe" && chmod +x "$probe" && "$probe" 2>/dev/null
	works=$?
	rm -f "$probe"
	return $works
}

# The tests' databases sync each commit. In memory that costs nothing, and no test
# is about the loss of power; what the compiler writes stays on the disk.
if [ -z "${TMPDIR:-}" ] && in_memory /dev/shm; then
	export GOTMPDIR="${GOTMPDIR:-/tmp}" TMPDIR=/dev/shm
fi
# cheaphash: passwords may be hashed at bcrypt's lowest cost; see adapters/hashing.
# A program under the race detector otherwise waits a second before it ends.
export GORACE="${GORACE:-atexit_sleep_ms=50}"
# One package more at a time than there are processors, for tests also wait.
exec go test $race -tags cheaphash -p $(($(getconf _NPROCESSORS_ONLN) + 1)) -timeout 25m "$@"

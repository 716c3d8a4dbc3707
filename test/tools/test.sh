#!/bin/sh
# Runs the tests, with the race detector if there is a C compiler for it. Tests whose server
# is not installed fail; see CONTRIBUTING.md.
set -eu
export OCTAVO_TEST_ALL=1

# uninstrumented switches the race detector off for SQLite's engine, which is C translated to
# Go, for arithmetic (ciphers, hashes, curves and pictures), and for GORM and the drivers, which
# work on what one call gives them. None of it is our code, and with the detector it takes most of
# the time of a run: a signature with ES512 takes seven times as long. SQLite manages its memory
# itself, which the detector cannot see anyway. The pool of database/sql is not on this list.
uninstrumented="-gcflags=modernc.org/sqlite/lib=-race=false
	-gcflags=modernc.org/libc=-race=false -gcflags=modernc.org/libc/...=-race=false
	-gcflags=modernc.org/memory=-race=false -gcflags=modernc.org/sqlite=-race=false
	-gcflags=gorm.io/...=-race=false -gcflags=github.com/jackc/pgx/v5=-race=false
	-gcflags=github.com/jackc/pgx/v5/pgconn=-race=false -gcflags=github.com/jackc/pgx/v5/pgproto3=-race=false
	-gcflags=github.com/jackc/pgx/v5/pgtype=-race=false -gcflags=golang.org/x/text/...=-race=false
	-gcflags=golang.org/x/crypto/...=-race=false
	-gcflags=crypto/internal/...=-race=false -gcflags=math/big=-race=false
	-gcflags=image/...=-race=false"
race="-race $uninstrumented"
if ! command -v "${CC:-gcc}" >/dev/null 2>&1; then
	echo "No C compiler found: running WITHOUT the race detector." >&2
	race=""
	unset OCTAVO_E2E_RACE
fi

# in_memory succeeds if a folder is in memory, allows executables and has 2 GiB left.
in_memory() {
	[ "$(stat -f -c %T "$1" 2>/dev/null)" = tmpfs ] || return 1
	[ "$(df -Pk "$1" | awk 'NR == 2 { print $4 }')" -ge 2097152 ] || return 1
	probe=$(mktemp "$1/octavo-XXXXXX") || return 1
	printf '#!/bin/sh\n' >"$probe" && chmod +x "$probe" && "$probe" 2>/dev/null
	works=$?
	rm -f "$probe"
	return $works
}

# The databases of the tests sync each commit. In memory that costs nothing, and no test is
# about a loss of power. The compiler still writes to disk.
if [ -z "${TMPDIR:-}" ] && in_memory /dev/shm; then
	export GOTMPDIR="${GOTMPDIR:-/tmp}" TMPDIR=/dev/shm
fi
# cheaphash allows bcrypt's lowest cost; see adapters/hashing. nomsgpack leaves out a codec of gin,
# which takes long to compile. Without atexit_sleep_ms, a
# program with the race detector waits for a second before it exits.
export GORACE="${GORACE:-atexit_sleep_ms=50}"
# One more package at a time than there are processors, and twice as many tests of a package,
# because tests also wait.
processors=$(getconf _NPROCESSORS_ONLN)
exec go test $race -tags cheaphash,nomsgpack -p $((processors + 1)) -parallel $((2 * processors)) -timeout 25m "$@"

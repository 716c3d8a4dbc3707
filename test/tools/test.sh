#!/bin/sh
# Runs the tests and says at the end what ran. With OCTAVO_TEST_DEEP=1 it runs those of the deep run, too, and
# all with the race detector if there is a C compiler for it. Tests whose server is not installed
# fail; see CONTRIBUTING.md.
set -eu
export OCTAVO_TEST_ALL=1

# uninstrumented switches the race detector off for SQLite's engine, which is C translated to
# Go, and for arithmetic: ciphers, hashes, curves and pictures. None of it is our code, and with
# the detector it takes most of the time of a run: a signature with ES512 takes seven times as long.
# SQLite manages its memory itself, which the detector cannot see anyway.
# A package that uses sync.Map or another generic type of package sync must not be on this list:
# it compiles its own copy, the linker keeps one copy for the whole program, and if that is one
# without the detector, the detector reports races in correct code everywhere.
uninstrumented="-gcflags=modernc.org/sqlite/lib=-race=false
	-gcflags=modernc.org/libc=-race=false -gcflags=modernc.org/libc/...=-race=false
	-gcflags=modernc.org/memory=-race=false
	-gcflags=golang.org/x/crypto/argon2=-race=false -gcflags=golang.org/x/crypto/blake2b=-race=false
	-gcflags=golang.org/x/crypto/blowfish=-race=false
	-gcflags=crypto/internal/fips140/aes/...=-race=false -gcflags=crypto/internal/fips140/bigmod=-race=false
	-gcflags=crypto/internal/fips140/edwards25519/...=-race=false
	-gcflags=crypto/internal/fips140/nistec/...=-race=false
	-gcflags=crypto/internal/fips140/sha256=-race=false -gcflags=crypto/internal/fips140/sha512=-race=false
	-gcflags=math/big=-race=false
	-gcflags=image/...=-race=false"
if [ "${OCTAVO_TEST_DEEP:-}" != 1 ]; then
	# With the flags of the program, test/e2e finds most of its packages compiled.
	export CGO_ENABLED=0
	flags="-trimpath -tags=cheaphash,nomsgpack,nethttpomithttp2,nopgxregisterdefaulttypes"
	unset OCTAVO_E2E_RACE
elif ! command -v "${CC:-gcc}" >/dev/null 2>&1; then
	echo "No C compiler found: running WITHOUT the race detector." >&2
	flags="-tags=cheaphash,nomsgpack,nopgxregisterdefaulttypes"
	unset OCTAVO_E2E_RACE
else
	export CGO_ENABLED=1 # the detector needs it
	flags="-race $uninstrumented -tags=cheaphash,nomsgpack,nopgxregisterdefaulttypes"
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
# cheaphash allows bcrypt's lowest cost; see adapters/hashing. The other tags are those of the
# program; Taskfile.yml says why. Without atexit_sleep_ms, a
# program with the race detector waits for a second before it exits.
export GORACE="${GORACE:-atexit_sleep_ms=50}"
report=$(mktemp -d)
trap 'rm -rf "$report"' EXIT
CGO_ENABLED=0 go build -trimpath -o "$report/testreport" ./test/tools/testreport
# Linking without symbols takes half the time; a panic has its lines all the same. `go tool task lint`
# runs go vet, which would take a sixth of the processor time of a first run.
flags="$flags -ldflags=-s -vet=off"
# One more package at a time than there are processors, and twice as many tests of a package,
# because tests also wait.
processors=$(getconf _NPROCESSORS_ONLN)
# The timeout is for a test that hangs: on a slow machine, a package with the race detector can take half an hour.
"$report/testreport" $flags -p $((processors + 1)) -parallel $((2 * processors)) -timeout 60m "$@"

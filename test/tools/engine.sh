#!/bin/sh
# Runs the contract suites of the stores on any engine that speaks the protocol of Postgres, and
# prints what failed. Argument: its URL, whose user may create databases. The suites create
# databases named octavo_… and drop them.
set -eu

[ $# -ge 1 ] || { echo "Say which engine: go tool task test:engine -- postgres://user:password@host:port/database" >&2 && exit 2; }
export POSTGRES_TEST_URL="$1" OCTAVO_TEST_ALL=1 OCTAVO_TEST_DEEP=1
shift
# One package at a time, and no bound on slow engines: creating a schema takes minutes on some.
exec go run ./test/tools/testreport -p 1 -count=1 -timeout 0 -tags cheaphash -run './^postgres$' "$@" \
	./adapters/gormstore/authstore ./adapters/gormstore/inboxstore ./adapters/gormstore/marketstore ./adapters/gormstore/outboxstore

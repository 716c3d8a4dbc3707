#!/bin/sh
# Starts a program with the settings in the environment, waits until it is ready, and fails
# unless SIGTERM ends it well. Arguments: the program, and before it what runs it.
set -eu

export HOST=127.0.0.1 PORT="${PORT:-3987}"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$@" serve >"$log" 2>&1 &
serving=$!
tries=0
until "$@" doctor --running >>"$log" 2>&1; do
	tries=$((tries + 1))
	if [ $tries = 300 ] || ! kill -0 "$serving" 2>/dev/null; then
		kill "$serving" 2>/dev/null || true
		tail -n 20 "$log" >&2
		echo "$* serve did not get ready" >&2
		exit 1
	fi
	sleep 0.2
done
kill "$serving"
wait "$serving"

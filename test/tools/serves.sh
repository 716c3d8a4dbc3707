#!/bin/sh
# Starts octavo with the settings in the environment, waits until it is ready, and fails unless
# it exits with 0 after SIGTERM. Arguments: the command that runs octavo, such as
# `setpriv … octavo`.
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
		echo "$* serve did not become ready" >&2
		exit 1
	fi
	sleep 0.2
done
kill "$serving"
wait "$serving"

#!/bin/sh
# Runs every benchmark once, on small data, to see that it still works. What it
# measures means nothing: docs/performance.md says how to measure.
set -eu

packages=$(grep -rl --include='*_test.go' '^func Benchmark' . | xargs -n 1 dirname | sort -u)
# One package after another: some take processors for themselves.
exec go test -p 1 -short -run '^$' -bench . -benchtime 1x -timeout 15m "$@" $packages

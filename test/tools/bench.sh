#!/bin/sh
# Runs every benchmark once on small data, to check that it still works. The figures are
# meaningless: docs/performance.md has the commands that measure.
set -eu

packages=$(grep -rl --include='*_test.go' '^func Benchmark' . | xargs -n 1 dirname | sort -u)
# -p 1: one package at a time, because some benchmarks pin processes to processors.
exec go test -p 1 -short -run '^$' -bench . -benchtime 1x -timeout 15m "$@" $packages

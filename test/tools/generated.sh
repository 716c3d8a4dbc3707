#!/bin/sh
# Generates again and fails if that changes anything that git knows of.
set -eu

before=$(git status --porcelain -- adapters; git diff -- adapters)
go generate ./adapters/...
after=$(git status --porcelain -- adapters; git diff -- adapters)
if [ "$before" != "$after" ]; then
	git status --porcelain -- adapters >&2
	echo "The generated code is stale: run 'go tool task generate' and commit the outcome." >&2
	exit 1
fi
echo "The generated code is what the schemas give."

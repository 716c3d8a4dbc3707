#!/bin/sh
# Generates the code again and fails if git sees a change.
set -eu

before=$(git status --porcelain -- adapters docs/clients; git diff -- adapters docs/clients)
go generate ./adapters/...
after=$(git status --porcelain -- adapters docs/clients; git diff -- adapters docs/clients)
if [ "$before" != "$after" ]; then
	git status --porcelain -- adapters docs/clients >&2
	echo "The generated code is out of date: run 'go tool task generate' and commit the result." >&2
	exit 1
fi
echo "The generated code is up to date."

#!/bin/sh
# Prints the version of what is in this folder: that of the tag, such as 0.1.0; after a tag with the number of commits since, as
# 0.1.0-3-g1a2b3c; and before the first tag the version that CHANGELOG.md prepares, as 0.1.0-dev.
set -eu

if described=$(git describe --tags --match 'v[0-9]*' --dirty 2>/dev/null); then
	echo "${described#v}"
else
	echo "$(sed -n 's/^## \[\([0-9][0-9.]*\)\].*/\1/p' CHANGELOG.md | head -n 1)-dev"
fi

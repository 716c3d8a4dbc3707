#!/bin/sh
# Prints the section of a version in CHANGELOG.md, without its heading, as the release notes.
# Fails if there is no such section, or if it has no date yet.
set -eu

heading=$(grep -n "^## \[$1\]" CHANGELOG.md || true)
if [ -z "$heading" ]; then
	echo "CHANGELOG.md has no section for $1." >&2
	exit 1
fi
if ! printf '%s\n' "$heading" | grep -Eq ' - [0-9]{4}-[0-9]{2}-[0-9]{2}$'; then
	echo "The section of $1 in CHANGELOG.md has no date: ${heading#*:}" >&2
	exit 1
fi
sed -n "$((${heading%%:*} + 1)),\$p" CHANGELOG.md | sed '/^## \[/,$d'

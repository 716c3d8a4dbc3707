#!/bin/sh
# Writes the other files of archives and packages to bin/extras: the manual page and the
# completions, which the program prints, and the licences of the modules that are compiled
# into it and of the scripts that it serves. Arguments: the version and the date of its commit.
set -eu

config=github.com/octavo-books/octavo/cmd/config
out=bin/extras
rm -rf "$out"
mkdir -p "$out/completions"
go build -trimpath -tags nomsgpack,nethttpomithttp2,nopgxregisterdefaulttypes -ldflags "-X $config.version=${1:-} -X $config.date=${2:-}" -o "$out/octavo" ./cmd/octavo

"$out/octavo" man >"$out/octavo.1"
gzip -9nc "$out/octavo.1" >"$out/octavo.1.gz"
"$out/octavo" completion bash >"$out/completions/octavo.bash"
"$out/octavo" completion zsh >"$out/completions/_octavo"
"$out/octavo" completion fish >"$out/completions/octavo.fish"
"$out/octavo" completion powershell >"$out/completions/octavo.ps1"
rm "$out/octavo"

# One list for all systems: each release has only one.
for system in linux darwin windows; do
	GOOS=$system CGO_ENABLED=0 go list -deps -tags nomsgpack,nethttpomithttp2,nopgxregisterdefaulttypes \
		-f '{{with .Module}}{{if not .Main}}{{.Path}}@{{.Version}} {{.Dir}}{{end}}{{end}}' ./cmd/octavo
done | sort -u | while read -r module folder; do
	texts=$(find "$folder" -maxdepth 1 -type f \( -iname 'licen[sc]e*' -o -iname 'copying*' -o -iname 'notice*' \) | sort)
	if [ -z "$texts" ]; then
		echo "$module has no licence file." >&2
		exit 1
	fi
	for text in $texts; do
		printf '==== %s: %s\n\n' "$module" "$(basename "$text")"
		cat "$text"
		echo
	done
done >"$out/third-party-licenses.txt"
{
	printf '==== Go %s: LICENSE\n\n' "$(go env GOVERSION)"
	cat "$(go env GOROOT)/LICENSE"
	printf '\n==== Swagger UI: NOTICE and LICENSE\n\n'
	cat adapters/rest/docs/swagger-ui.LICENSE.txt
	echo
	gzip -cd adapters/graph/explorer/graphiql.LICENSE.txt.gz
} >>"$out/third-party-licenses.txt"

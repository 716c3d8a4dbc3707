#!/bin/sh
# Writes the CSV files of test/spreadsheets/testdata again, or into the folder that it is given: LibreOffice saves
# the same ten books on a desktop in each of nine languages. Needs soffice (Debian: libreoffice-calc).
set -eu

here=$(cd "$(dirname "$0")/../spreadsheets/testdata" && pwd)
out=${1:-$here}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tab=$(printf '\t')

# save LOCALE FILE OPTIONS saves the books in that locale. The options are LibreOffice's: separator, quote, encoding.
save() {
	profile=$work/$1
	mkdir -p "$profile/user"
	cat >"$profile/user/registrymodifications.xcu" <<-XML
		<?xml version="1.0" encoding="UTF-8"?>
		<oor:items xmlns:oor="http://openoffice.org/2001/registry">
		<item oor:path="/org.openoffice.Setup/L10N"><prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>$1</value></prop></item>
		</oor:items>
	XML
	HOME=$profile LC_ALL=C.UTF-8 soffice "-env:UserInstallation=file://$profile" --headless --convert-to "csv:Text - txt - csv (StarCalc):$3" \
		--outdir "$work/csv" "$work/$1.fods" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
	mv "$work/csv/$1.csv" "$out/$2"
}

while read -r line; do
	locale=${line%%"$tab"*}
	echo "$line" | tr '\t' '\n' | awk 'NR > 1 { gsub(/[&\/]/, "\\\\&"); print "s/@" NR - 1 "@/" $0 "/" }' >"$work/$locale.sed"
	sed -f "$work/$locale.sed" "$here/books.fods" >"$work/$locale.fods"
	save "$locale" "$locale.csv" 44,34,76 # the default of the dialog: commas, UTF-8
done <"$here/words.tsv"
save fr-FR fr-FR.semicolons.csv 59,34,76
save de-DE de-DE.windows-1252.csv 59,34,1
save sv-SE sv-SE.utf-16.csv 9,34,65535

#!/bin/sh
# Draws the icons of the manifest and favicon.ico from icon.svg with Chromium.
set -eu
cd "$(dirname "$0")/../../adapters/web/static"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# draw NAME PIXELS SHARE BACKGROUND: the drawing takes SHARE percent of the width.
draw() {
	{
		printf '<style>html{background:%s}body{margin:0;display:grid;place-items:center;height:100vh}svg{width:%s%%}</style>' "$4" "$3"
		cat icon.svg
	} > "$work/$1.html"
	chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --force-device-scale-factor=1 \
		--user-data-dir="$work/profile" --default-background-color=00000000 \
		--window-size="$2,$2" --screenshot="$PWD/$1.png" "file://$work/$1.html" 2> "$work/log" || { cat "$work/log" >&2; exit 1; }
}

draw icon-48 48 100 transparent
draw icon-192 192 100 transparent
draw icon-512 512 100 transparent
draw icon-180 180 80 white # Apple: opaque
# Maskable icons may lose all outside a circle of 80 percent.
draw icon-maskable-192 192 62 white
draw icon-maskable-512 512 62 white

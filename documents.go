// Package octavo holds the documentation of the program, which embeds it. To receive
// webhooks with the library, import adapters/webhookhttp instead.
package octavo

import "embed"

// Documents are README.md and its neighbours, and the pages of the folder docs with their
// pictures.
//
//go:embed *.md docs/*.md docs/adr docs/images docs/operations docs/recipes
var Documents embed.FS

// Units are what systemd gets of octavo up.
//
//go:embed deploy/octavo.service deploy/octavo-backup.service deploy/octavo-backup.timer
var Units embed.FS

// Source is where the other files of the repository can be read.
const Source = "https://github.com/octavo-books/octavo/blob/main/"

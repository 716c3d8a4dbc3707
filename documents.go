// Package octavo holds the documentation of the program, which embeds it. To receive
// webhooks with the library, import adapters/webhookhttp instead.
package octavo

import "embed"

// Documents are README.md and its neighbours, and the folder docs with its pictures.
//
//go:embed *.md docs
var Documents embed.FS

// Source is where the other files of the repository can be read.
const Source = "https://github.com/octavo-books/octavo/blob/main/"

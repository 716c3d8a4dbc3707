package main

import (
	"io"
	"os"

	"github.com/octavo-books/octavo/cmd/config"
)

// style formats text for a terminal; the zero style does not change it.
type style struct{ color bool }

// styleFor colours what goes to a terminal, unless NO_COLOR is set (no-color.org).
func styleFor(out io.Writer) style {
	return style{config.IsTerminal(out) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

func (s style) bold(text string) string { return s.paint("1", text) }

// paint wraps the text in a code of ECMA-48.
func (s style) paint(code, text string) string {
	if !s.color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

package terminal

import (
	"io"
	"os"

	"github.com/octavo-books/octavo/cmd/config"
)

// Style formats text for a terminal; the zero style does not change it.
type Style struct{ Color bool }

// StyleFor colours what goes to a terminal, unless NO_COLOR is set (no-color.org).
func StyleFor(out io.Writer) Style {
	return Style{config.IsTerminal(out) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// Bold emphasises the text.
func (s Style) Bold(text string) string { return s.Paint("1", text) }

// Paint wraps the text in a code of ECMA-48.
func (s Style) Paint(code, text string) string {
	if !s.Color {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

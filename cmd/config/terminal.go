package config

import (
	"io"
	"os"

	"golang.org/x/term"
)

// IsTerminal reports whether what is written to w is shown to a person.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

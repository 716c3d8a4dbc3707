package main

import (
	"os"
	"testing"
)

// openTerminal opens a pseudo-terminal.
func openTerminal(t *testing.T) *os.File {
	t.Helper()
	f, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no terminals here: ", err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

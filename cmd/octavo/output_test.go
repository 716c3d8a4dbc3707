package main

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

// fullDisk is a file on a full disk.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
}

func TestACommandWhoseOutputIsLostEndsWithOneAndSaysSo(t *testing.T) {
	for _, command := range []string{"docs", "docs market", "docs -s backup", "help", "help settings", "serve --help", "--help", "--version", "version", "man", "completion bash", "keys generate"} {
		var errs strings.Builder
		t.Setenv("DATA_DIR", t.TempDir())
		code := run(t.Context(), strings.Fields(command), terminal.Console{Out: fullDisk{}, Err: &errs, Clock: terminal.SystemClock{}})
		if code != 1 || strings.Count(errs.String(), "octavo: write /dev/stdout: no space left on device\n") != 1 {
			t.Errorf("%s: %d %q", command, code, errs.String())
		}
	}
}

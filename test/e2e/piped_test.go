package e2e_test

import (
	"io"
	"os"
	"os/exec"
	"testing"
)

// piped starts a program and returns its standard input and output; the test ends it.
func piped(t testing.TB, cmd *exec.Cmd) (in io.WriteCloser, out io.Reader) {
	t.Helper()
	if cmd.Stderr == nil {
		cmd.Stderr = os.Stderr
	}
	in, err := cmd.StdinPipe()
	if err == nil {
		out, err = cmd.StdoutPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatalf("%s: %v", cmd, err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	return in, out
}

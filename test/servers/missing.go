package servers

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// All is the environment variable that, set to 1, makes a test fail instead of being
// left out when a program that it needs is not installed. `go tool task test` sets it.
const All = "OCTAVO_TEST_ALL"

// Need finds a program under one of its names. Without it the test is left out as
// Missing does.
func Need(t testing.TB, program, install string, names ...string) (path string) {
	t.Helper()
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	Missing(t, program, install)
	return ""
}

// Missing skips a test that needs a program which is not installed, or fails it where
// no test may be left out. The first skipped test of a package for want of a program
// prints a line that names the package and the command that installs the program.
func Missing(t testing.TB, program, install string) {
	t.Helper()
	says := fmt.Sprintf("needs %s, which is not installed here: %s (`go tool task setup` installs all that the tests need)", program, install)
	if os.Getenv(All) == "1" {
		t.Fatal(says)
	}
	if _, again := announced.LoadOrStore(program, true); !again {
		announce("LEFT OUT in " + folder() + ": what " + says)
	}
	t.Skip("LEFT OUT: " + says)
}

// announced are the programs whose absence this package has reported.
var announced sync.Map

// folder is that of the package under test, where go test runs it.
func folder() string {
	dir, err := os.Getwd()
	if err != nil {
		return "a package"
	}
	for root := dir; root != filepath.Dir(root); root = filepath.Dir(root) {
		if _, err := os.Stat(filepath.Join(root, "go.mod")); err == nil {
			if rel, err := filepath.Rel(root, dir); err == nil {
				return rel
			}
		}
	}
	return dir
}

// announce prints a line for the person who runs go test. What a package that passes
// prints is hidden when go test runs several, so the line goes to where go test itself
// prints its errors, or else to the terminal.
func announce(line string) {
	for _, path := range []string{fmt.Sprintf("/proc/%d/fd/2", os.Getppid()), "/dev/tty"} {
		if printTo(path, line) {
			return
		}
	}
	fmt.Fprintln(os.Stderr, line)
}

// printTo leaves files alone: what is added to one that another program writes at a
// place of its own is overwritten by that program.
func printTo(path, line string) bool {
	if info, err := os.Stat(path); err != nil || info.Mode().IsRegular() {
		return false
	}
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }()
	_, err = fmt.Fprintln(f, line)
	return err == nil
}

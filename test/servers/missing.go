package servers

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/octavo-books/octavo/test/deep"
)

// All is the environment variable that, set to 1, makes a test fail instead of being
// skipped if a program that it needs is not installed. `go tool task test` sets it.
const All = "OCTAVO_TEST_ALL"

// ErrNoPostgres means that no Postgres is installed.
var ErrNoPostgres = errors.New("no Postgres server was found")

// Need returns the path of a program that may have several names. If it is not installed,
// Need calls Missing.
func Need(t testing.TB, program, install string, names ...string) (path string) {
	t.Helper()
	NotShort(t, program)
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			return found
		}
	}
	Missing(t, program, install)
	return ""
}

// NotShort skips a test in a short run, because it needs a server, a browser or a built program.
func NotShort(t testing.TB, what string) {
	t.Helper()
	deep.NotShort(t, "needs "+what)
}

// Missing skips a test that needs a program which is not installed, or fails it if All is
// set. The first test of a package that it skips for a program prints a line with the package
// and the command that installs the program.
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

// announce prints a line for the person who runs go test. Go hides the output of a passing
// package when it tests several, so the line goes to go test's own standard error or, failing
// that, to the terminal.
func announce(line string) {
	for _, path := range []string{fmt.Sprintf("/proc/%d/fd/2", os.Getppid()), "/dev/tty"} {
		if printTo(path, line) {
			return
		}
	}
	fmt.Fprintln(os.Stderr, line)
}

// printTo does not write to regular files: a program that writes to one at its own offset
// would overwrite the line.
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

// Package servers runs real servers for tests: Redis from the local binary, NATS
// within the process. They listen on the loopback and end with the test.
package servers

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"

	"github.com/octavo-books/octavo/test/child"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
)

// process is a server program that can be killed and restarted.
type process struct {
	path string
	args []string
	dir  string

	attributes *syscall.SysProcAttr // nil: those of child.KillWithParent

	cmd   *exec.Cmd
	ended <-chan struct{}
}

func (p *process) start(t testing.TB) {
	t.Helper()
	cmd := exec.Command(p.path, p.args...)
	cmd.Dir, cmd.SysProcAttr = p.dir, p.attributes
	ended, err := child.Start(cmd)
	if err != nil {
		t.Fatalf("start %s: %v", p.path, err)
	}
	p.cmd, p.ended = cmd, ended
}

func (p *process) signal(sig os.Signal) error {
	if p.cmd == nil {
		return os.ErrProcessDone
	}
	return p.cmd.Process.Signal(sig)
}

// kill ends the program as a crash would.
func (p *process) kill() {
	if p.cmd == nil {
		return
	}
	_ = p.cmd.Process.Signal(os.Kill)
	<-p.ended
	p.cmd = nil
}

// until polls until a condition is true.
func until(t testing.TB, what string, ok func() error) {
	t.Helper()
	var err error
	if !poll.Until(func() bool { err = ok(); return err == nil }) {
		t.Fatal(fmt.Errorf("%s: %w", what, err))
	}
}

// Port reserves a port until the test ends.
func Port(t testing.TB) int {
	t.Helper()
	port, release := must.Get2(Reserve())(t)
	t.Cleanup(release)
	return port
}

// Address is a Port of the loopback with its host.
func Address(t testing.TB) string {
	t.Helper()
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(Port(t)))
}

// Reserve returns a free port of the loopback. No other test gets it until it is released or
// this process ends. It is below the range of ephemeral ports: otherwise a client of a server
// could occupy the server's port while the server is down.
func Reserve() (port int, release func(), err error) {
	for range 1000 {
		port = 10_000 + rand.IntN(20_000)
		if release, err = lock(port); err == nil {
			return port, release, nil
		}
	}
	return 0, nil, errors.Join(errors.New("no port of the loopback is free"), err)
}

// lock locks one byte of a file that all tests of the machine share. The lock belongs to the
// open file, so that it also excludes tests of this process.
func lock(port int) (release func(), err error) {
	f, err := os.OpenFile(filepath.Join(os.TempDir(), "octavo-test-ports"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	release = func() { _ = f.Close() }
	if err = lockByte(f, port); err == nil {
		err = free(port)
	}
	if err != nil {
		release()
	}
	return release, err
}

func free(port int) error {
	l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil {
		return err
	}
	return l.Close()
}

// Dir creates a folder for the test in TMPDIR, which test/tools/test.sh puts into memory.
// t.TempDir prefers GOTMPDIR, which stays on the disk: each commit would wait for it.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "octavo-test-") //nolint:usetesting // see above
	must.Do(t, err)
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

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

// Package servers runs real servers for tests: Redis from the local binary, NATS
// within the process. They listen on the loopback and end with the test.
package servers

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"

	"github.com/octavo-books/octavo/test/child"
	"github.com/octavo-books/octavo/test/poll"
)

// process is a server program that can be killed and restarted.
type process struct {
	path string
	args []string
	dir  string

	attributes *syscall.SysProcAttr // nil: those of child.KillWithParent

	cmd   *exec.Cmd
	ended chan struct{}
}

// start ties the program to a thread that lives as long as the program, so that the program
// ends with the tests, however they end.
func (p *process) start(t testing.TB) {
	t.Helper()
	cmd, ended, started := exec.Command(p.path, p.args...), make(chan struct{}), make(chan error, 1)
	cmd.Dir, cmd.SysProcAttr = p.dir, cmp.Or(p.attributes, child.KillWithParent())
	go func() {
		runtime.LockOSThread()
		defer close(ended)
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
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

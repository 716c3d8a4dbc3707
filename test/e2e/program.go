package e2e

import (
	"net/http"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/child"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
)

// Program is one process of the program that serves.
type Program struct {
	URL string // e.g. http://127.0.0.1:12345, without a slash at the end; it keeps its port

	t    testing.TB
	args []string
	env  []string
	cmd  *exec.Cmd
	logs string // the folder of the output of each start
	out  output
	done <-chan struct{} // closed when the process has ended
}

// newProgram returns a program that is not started yet. It is killed when the test ends; its
// log is shown if the test failed.
func newProgram(t testing.TB, env []string, args ...string) *Program {
	p := &Program{URL: "http://" + servers.Address(t), t: t, args: append([]string{"serve"}, args...), env: env, logs: t.TempDir()}
	t.Cleanup(func() {
		if p.cmd != nil {
			p.Kill()
		}
		if strings.Contains(p.out.String(), "WARNING: DATA RACE") {
			t.Errorf("octavo %s has a data race", strings.Join(p.args, " "))
		}
		if t.Failed() {
			t.Logf("the log of octavo %s:\n%s", strings.Join(p.args, " "), p.out.tail())
		}
	})
	return p
}

// Kill ends the process with SIGKILL, as a crash would.
func (p *Program) Kill() {
	p.t.Helper()
	_ = p.cmd.Process.Kill()
	p.wait()
}

// Signal sends a signal to the process.
func (p *Program) Signal(sig os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil {
		p.t.Fatalf("%v: %v", sig, err)
	}
}

// Restart starts the process and returns once it is ready.
func (p *Program) Restart() {
	p.t.Helper()
	if p.cmd != nil {
		select {
		case <-p.done:
		default:
			p.t.Fatal("the program still runs: Stop or Kill it before its Restart")
		}
	}
	p.launch()
	p.awaitReady()
}

func (p *Program) launch() {
	p.t.Helper()
	out, err := os.CreateTemp(p.logs, "log")
	if err != nil {
		p.t.Fatal(err)
	}
	defer out.Close()
	p.out = output(out.Name())
	p.cmd = exec.Command(binary(p.t), p.args...)
	p.cmd.Env, p.cmd.Dir = append([]string{"PORT=" + p.URL[strings.LastIndexByte(p.URL, ':')+1:]}, p.env...), p.t.TempDir()
	p.cmd.Stdout, p.cmd.Stderr = out, out
	p.start()
}

func (p *Program) start() {
	p.t.Helper()
	done, err := child.Start(p.cmd)
	if err != nil {
		p.cmd = nil
		p.t.Fatalf("start: %v", err)
	}
	p.done = done
}

// awaitReady polls until the process is ready.
func (p *Program) awaitReady() {
	p.t.Helper()
	deadline := time.Now().Add(poll.Limit)
	for time.Now().Before(deadline) {
		select {
		case <-p.done:
			ended := p.cmd.ProcessState
			p.cmd = nil
			p.t.Fatalf("the program ended: %v\n%s", ended, p.out.tail())
		case <-time.After(5 * time.Millisecond):
		}
		if p.isReady() {
			return
		}
	}
	p.t.Fatalf("not ready in time:\n%s", p.out.tail())
}

func (p *Program) isReady() bool {
	resp, err := http.Get(p.URL + "/readyz")
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

func (p *Program) wait() int {
	p.t.Helper()
	select {
	case <-p.done:
	case <-time.After(poll.Limit):
		_ = p.cmd.Process.Kill()
		p.t.Fatalf("the program did not end:\n%s", p.out.tail())
	}
	code := p.cmd.ProcessState.ExitCode()
	p.cmd = nil
	return code
}

// output is the file to which a process writes its output. In contrast to a pipe, which has to be
// read first, it has all that the process wrote before it answered.
type output string

func (o output) String() string {
	b, _ := os.ReadFile(string(o)) // none before the first start
	return string(b)
}

func (o output) tail() string {
	s := o.String()
	return s[max(0, len(s)-4000):]
}

// PID returns the process ID.
func (p *Program) PID() int { return p.cmd.Process.Pid }

// PID returns the process ID of the first program.
func (s *Server) PID() int { return s.programs[0].PID() }

// Ended reports whether the process has ended by itself.
func (p *Program) Ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Wait waits until a command that Begin has started ends, and returns its exit code.
func (p *Program) Wait() int {
	p.t.Helper()
	return p.wait()
}

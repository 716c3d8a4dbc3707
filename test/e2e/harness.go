// Package e2e drives the built program from outside, over a real port.
package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Server is a running program.
type Server struct {
	URL     string // e.g. http://127.0.0.1:41234, without a slash at the end
	DataDir string

	t    testing.TB
	args []string
	env  []string
	cmd  *exec.Cmd
	out  *output
	done chan error
}

// Start builds the program once, runs `octavo serve args…` on a free port with a
// data folder of its own, and returns once it is ready. It is killed when the
// test ends; its log is shown if the test failed.
func Start(t testing.TB, args ...string) *Server { return StartWith(t, nil, args...) }

// StartWith is Start with environment variables, as NAME=value.
func StartWith(t testing.TB, env []string, args ...string) *Server {
	t.Helper()
	s := &Server{t: t, DataDir: filepath.Join(t.TempDir(), "data"), args: append([]string{"serve"}, args...), env: env}
	t.Cleanup(func() {
		if s.cmd != nil {
			s.Kill()
		}
		if t.Failed() {
			t.Logf("the log of the program:\n%s", s.out.tail())
		}
	})
	s.run("0")
	return s
}

// Kill ends the program with SIGKILL, as a crash would.
func (s *Server) Kill() {
	s.t.Helper()
	_ = s.cmd.Process.Kill()
	s.wait()
}

// Stop ends the program with SIGTERM and returns its exit code.
func (s *Server) Stop() int {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatalf("SIGTERM: %v", err)
	}
	return s.wait()
}

// Signal sends a signal to the program.
func (s *Server) Signal(sig os.Signal) {
	s.t.Helper()
	if err := s.cmd.Process.Signal(sig); err != nil {
		s.t.Fatalf("%v: %v", sig, err)
	}
}

// Again starts the program on the same port and data, after Kill or Stop.
func (s *Server) Again() {
	s.t.Helper()
	u, err := url.Parse(s.URL)
	if err != nil {
		s.t.Fatal(err)
	}
	s.run(u.Port())
}

// Octavo runs another command of the program on the server's data and returns
// what it prints and its exit code.
func (s *Server) Octavo(args ...string) (string, int) {
	s.t.Helper()
	return run(s.t, s.environment("0"), args...)
}

// Octavo runs the program with env added to a clean environment.
func Octavo(t testing.TB, env []string, args ...string) (string, int) {
	t.Helper()
	return run(t, append(cleanEnvironment(), env...), args...)
}

func run(t testing.TB, env []string, args ...string) (string, int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary(t), args...)
	cmd.Env, cmd.Dir = env, t.TempDir()
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("octavo %s: %v", strings.Join(args, " "), err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

func (s *Server) environment(port string) []string {
	return append(append(cleanEnvironment(), "PORT="+port, "DATA_DIR="+s.DataDir, "BCRYPT_COST=10", "LOG_FORMAT=text"), s.env...)
}

// cleanEnvironment keeps the settings of whoever runs the tests out of them.
func cleanEnvironment() []string {
	keep := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "TMPDIR=" + os.TempDir()}
	if options := os.Getenv("GORACE"); options != "" {
		keep = append(keep, "GORACE="+options)
	}
	return keep
}

var listening = regexp.MustCompile(`http://[0-9.:\[\]a-f]+`)

func (s *Server) run(port string) {
	s.t.Helper()
	s.out = &output{}
	s.cmd = exec.Command(binary(s.t), s.args...)
	s.cmd.Env, s.cmd.Dir = s.environment(port), s.t.TempDir()
	s.cmd.Stdout, s.cmd.Stderr = s.out, s.out
	s.start()
	s.awaitReady()
}

// start ties the program to a thread that lives as long as it does, so that it
// ends with the tests however they end.
func (s *Server) start() {
	s.t.Helper()
	started := make(chan error, 1)
	s.done = make(chan error, 1)
	cmd, done := s.cmd, s.done
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	go func() {
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			done <- cmd.Wait()
		}
	}()
	if err := <-started; err != nil {
		s.t.Fatalf("start: %v", err)
	}
}

// awaitReady polls: the program says where it listens, then that it is ready.
func (s *Server) awaitReady() {
	s.t.Helper()
	deadline := time.Now().Add(60 * time.Second)
	for time.Now().Before(deadline) {
		select {
		case err := <-s.done:
			s.cmd = nil
			s.t.Fatalf("the program ended: %v\n%s", err, s.out.tail())
		case <-time.After(5 * time.Millisecond):
		}
		if s.URL = listening.FindString(s.out.after("Listening on ")); s.URL == "" {
			continue
		}
		resp, err := http.Get(s.URL + "/readyz")
		if err == nil {
			_ = resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return
			}
		}
	}
	s.t.Fatalf("not ready after a minute:\n%s", s.out.tail())
}

func (s *Server) wait() int {
	s.t.Helper()
	select {
	case <-s.done:
	case <-time.After(30 * time.Second):
		_ = s.cmd.Process.Kill()
		s.t.Fatalf("the program did not end:\n%s", s.out.tail())
	}
	code := s.cmd.ProcessState.ExitCode()
	s.cmd = nil
	return code
}

// Log is what the program has printed since it was started last.
func (s *Server) Log() string { return s.out.String() }

// Mail is one entry of the development mailbox.
type Mail struct {
	ID, To, Kind, Lang, Subject, Text, HTML, SentAt string
	Code, Link                                      *string
}

// Mail waits for the newest mail of a kind to an address.
func (s *Server) Mail(to, kind string) Mail {
	s.t.Helper()
	return s.MailAfter(to, kind, "")
}

// MailAfter waits for a mail of a kind that is newer than the one with the id.
func (s *Server) MailAfter(to, kind, id string) Mail {
	s.t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); <-time.After(20 * time.Millisecond) {
		for _, m := range s.Mailbox(to) {
			if m.ID == id {
				break
			}
			if m.Kind == kind {
				return m
			}
		}
	}
	s.t.Fatalf("no %s mail came to %s", kind, to)
	return Mail{}
}

// Mailbox is every mail to an address, newest first.
func (s *Server) Mailbox(to string) []Mail {
	s.t.Helper()
	resp, err := http.Get(s.URL + "/dev/mail.json?to=" + url.QueryEscape(to))
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	var mails []Mail
	if err := json.Unmarshal(body, &mails); err != nil {
		s.t.Fatalf("/dev/mail.json: %v: %s", err, body)
	}
	return mails
}

// output collects what the program prints.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

func (o *output) after(mark string) string {
	_, rest, _ := strings.Cut(o.String(), mark)
	return rest
}

func (o *output) tail() string {
	s := o.String()
	return s[max(0, len(s)-8000):]
}

var build = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "octavo-e2e-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "octavo")
	args := []string{"build", "-o", path}
	if raceDetector {
		args = append(args, "-race")
	}
	out, err := exec.Command("go", append(args, "github.com/octavo-books/octavo/cmd/octavo")...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, out)
	}
	return path, nil
})

func binary(t testing.TB) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Main runs the tests and removes the program they built.
func Main(m *testing.M) {
	code := m.Run()
	if path, err := build(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(code)
}

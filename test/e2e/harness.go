// Package e2e tests the built program from outside, over a real port.
package e2e

import (
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
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/gobuild"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
)

// Server is a running program, or several behind a load balancer; see Replicas.
type Server struct {
	URL     string // e.g. http://127.0.0.1:41234, without a slash at the end
	DataDir string

	t        testing.TB
	env      []string
	programs []*Program
}

// Start builds the program once, runs `octavo serve args…` on a free port with a
// data folder of its own, and returns once it is ready. It is killed when the
// test ends; its log is shown if the test failed.
func Start(t testing.TB, args ...string) *Server { return StartWith(t, nil, args...) }

// StartWith is Start with environment variables, as NAME=value.
func StartWith(t testing.TB, env []string, args ...string) *Server {
	t.Helper()
	if n := replicasWanted(); n > 1 {
		return startReplicas(t, n, env, args)
	}
	s := &Server{t: t, DataDir: filepath.Join(servers.Dir(t), "data"), env: env}
	p := s.program(args...)
	p.Restart()
	s.URL = p.URL
	return s
}

// program returns another process on the data of the server, which is not started yet.
func (s *Server) program(args ...string) *Program {
	p := newProgram(s.t, s.environment(), args...)
	s.programs = append(s.programs, p)
	return p
}

// Kill ends the program with SIGKILL, as a crash would.
func (s *Server) Kill() {
	s.t.Helper()
	for _, p := range s.programs {
		p.Kill()
	}
}

// Stop ends the program with SIGTERM and returns its exit code.
func (s *Server) Stop() int {
	s.t.Helper()
	s.Signal(syscall.SIGTERM)
	code := 0
	for _, p := range s.programs {
		code = max(code, p.wait())
	}
	return code
}

// Signal sends a signal to the program.
func (s *Server) Signal(sig os.Signal) {
	s.t.Helper()
	for _, p := range s.programs {
		p.Signal(sig)
	}
}

// Restart starts the program on the same port and data, after Kill or Stop.
func (s *Server) Restart() {
	s.t.Helper()
	for _, p := range s.programs {
		p.Restart()
	}
}

// Roll restarts one program after another with other settings, each as NAME=value.
func (s *Server) Roll(env ...string) {
	s.t.Helper()
	s.RollBetween(func() {}, env...)
}

// RollBetween is Roll with something to do after each restart.
func (s *Server) RollBetween(do func(), env ...string) {
	s.t.Helper()
	s.env = append(s.env, env...)
	for _, p := range s.programs {
		p.env = append(p.env, env...)
		p.Signal(syscall.SIGTERM)
		p.wait()
		p.Restart()
		do()
	}
}

// AwaitReady waits until every program is ready.
func (s *Server) AwaitReady() {
	s.t.Helper()
	for _, p := range s.programs {
		p.awaitReady()
	}
}

// Each returns the addresses of the programs that serve requests.
func (s *Server) Each() (urls []string) {
	for _, p := range s.programs {
		if !slices.Equal(p.args, []string{"serve", "mailer"}) {
			urls = append(urls, p.URL)
		}
	}
	return urls
}

// Log returns what the program has printed since its last start.
func (s *Server) Log() string {
	var all strings.Builder
	for _, p := range s.programs {
		all.WriteString(p.out.String())
	}
	return all.String()
}

// Octavo runs another command of the program on the server's data and returns
// what it prints and its exit code.
func (s *Server) Octavo(args ...string) (string, int) {
	s.t.Helper()
	return run(s.t, s.environment(), args...)
}

// Promote gives a role to the account with an address.
func (s *Server) Promote(email, role string) {
	s.t.Helper()
	if out, code := s.Octavo("users", "promote", email, "--role", role); code != 0 {
		s.t.Fatalf("users promote %s --role %s: %d %s", email, role, code, out)
	}
}

// Begin starts another command of the program on the server's data and does not wait
// for it to end.
func (s *Server) Begin(args ...string) *Program {
	s.t.Helper()
	p := newProgram(s.t, s.environment())
	p.args = args
	p.launch()
	return p
}

// Begin starts a command of the program with env added to a clean environment.
func Begin(t testing.TB, env []string, args ...string) *Program {
	t.Helper()
	p := newProgram(t, append(cleanEnvironment(), env...))
	p.args = args
	p.launch()
	return p
}

// Octavo runs the program with env added to a clean environment.
func Octavo(t testing.TB, env []string, args ...string) (string, int) {
	t.Helper()
	return run(t, append(cleanEnvironment(), env...), args...)
}

func run(t testing.TB, env []string, args ...string) (string, int) {
	t.Helper()
	path := binary(t) // building it may take longer than the timeout of a command
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	// The port that the program would take is perhaps somebody else's.
	cmd.Env, cmd.Dir = append([]string{"PORT=0"}, env...), t.TempDir()
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("octavo %s: %v", strings.Join(args, " "), err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// Environment returns the environment of the server's programs, but for the port.
func (s *Server) Environment() []string { return s.environment() }

// Environment returns a clean environment with the settings that are given, each as NAME=value.
func Environment(settings ...string) []string { return append(cleanEnvironment(), settings...) }

func (s *Server) environment() []string {
	return append(append(cleanEnvironment(), "DATA_DIR="+s.DataDir, "BCRYPT_COST=4", "LOG_FORMAT=text", "LIMIT_POSTS=0", "LIMIT_IMPORT_LINES=0", "LIMIT_OPEN_PURCHASES=10000"), s.env...)
}

// cleanEnvironment returns the environment without the settings of Octavo.
func cleanEnvironment() []string {
	keep := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "TMPDIR=" + os.TempDir()}
	if options := os.Getenv("GORACE"); options != "" {
		keep = append(keep, "GORACE="+options)
	}
	return keep
}

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

// MailAfter waits for a mail of a kind that is newer than the one with the id. Another mailer
// takes over the messages of a killed one after 40 s.
func (s *Server) MailAfter(to, kind, id string) Mail {
	s.t.Helper()
	var all []Mail
	found := -1
	if !poll.Until(func() bool {
		all = s.Mailbox(to)
		if at := slices.IndexFunc(all, func(m Mail) bool { return m.ID == id }); at >= 0 {
			all = all[:at]
		}
		found = slices.IndexFunc(all, func(m Mail) bool { return m.Kind == kind })
		return found >= 0
	}) {
		s.t.Fatalf("no %s mail came to %s, but %d others: %+v", kind, to, len(all), all)
	}
	return all[found]
}

// Mailbox returns all mails to an address, newest first.
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

// uninstrumented lists the packages without the race detector; test/tools/test.sh says why.
var uninstrumented = []string{
	"-gcflags=modernc.org/sqlite/lib=-race=false", "-gcflags=modernc.org/memory=-race=false",
	"-gcflags=modernc.org/libc=-race=false", "-gcflags=modernc.org/libc/...=-race=false",
	"-gcflags=golang.org/x/crypto/blowfish=-race=false",
}

// programVariable is the environment variable with a program that another run of the tests built.
const programVariable = "OCTAVO_E2E_PROGRAM"

var build = sync.OnceValues(func() (string, error) {
	if path := os.Getenv(programVariable); path != "" {
		return path, nil
	}
	path := filepath.Join(binaryDir, "octavo")
	return path, compile(path, raced())
})

// raced reports whether the program is built with the race detector, which makes it several
// times slower. Tests below HTTP also look for races.
func raced() bool { return os.Getenv("OCTAVO_E2E_RACE") != "" }

// compile builds the program as the tasks and the image do.
func compile(path string, race bool) error {
	args := []string{"-tags", gobuild.Tags + ",cheaphash"}
	if race {
		args = append(append(args, "-race"), uninstrumented...)
	}
	return gobuild.Program(context.Background(), "", path, append(args, "github.com/octavo-books/octavo/cmd/octavo")...)
}

func binary(t testing.TB) string {
	t.Helper()
	servers.NotShort(t, "the built program")
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Path returns where the built program is.
func Path(t testing.TB) string {
	t.Helper()
	return binary(t)
}

// WithProgram returns an environment in which another run of these tests uses the program of
// this run.
func WithProgram(t testing.TB) []string {
	t.Helper()
	return append(os.Environ(), programVariable+"="+binary(t))
}

// Size returns the number of bytes of the program. It skips the test with the race detector, which
// makes it larger.
func Size(t testing.TB) int64 {
	t.Helper()
	if raced() {
		t.Skip("the program has the race detector")
	}
	info, err := os.Stat(binary(t))
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

// Image writes the program of the image, which has no race detector, to a path.
func Image(t testing.TB, path string) {
	t.Helper()
	var err error
	if raced() {
		err = compile(path, false)
	} else {
		// A copied program cannot be executed while another test forks: until its exec, the
		// child has the copy open for writing.
		err = os.Link(binary(t), path)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// binaryDir is the folder of the built program; Main creates and removes it.
var binaryDir string

// Main runs the tests and then removes the program if they built it.
func Main(m *testing.M) {
	dir, err := os.MkdirTemp("", "octavo-e2e-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binaryDir = dir
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

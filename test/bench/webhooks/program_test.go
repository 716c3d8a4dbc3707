//go:build linux

package webhooks

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/child"
	"github.com/octavo-books/octavo/test/gobuild"
)

// builtServer is the built program.
type builtServer struct {
	b    *testing.B
	addr string
	pid  int
	log  string // the path of its log
}

var listening = regexp.MustCompile(`Listening on http://([0-9.:]+)`)

func buildProgram(b *testing.B) string {
	b.Helper()
	program := filepath.Join(b.TempDir(), "octavo")
	if err := gobuild.Program(b.Context(), "", program, "../../../cmd/octavo"); err != nil {
		b.Fatal(err)
	}
	return program
}

// serve starts the program with its data and log in a folder and waits until it listens.
func (s *builtServer) serve(program, folder string, env ...string) {
	b := s.b
	b.Helper()
	log, err := os.Create(filepath.Join(folder, "log"))
	check(err)
	defer log.Close()
	cmd := exec.Command(program, "serve", "webhooks")
	cmd.Env = append([]string{"DATA_DIR=" + filepath.Join(folder, "data"), "PORT=0", "LOG_LEVEL=warn"}, env...)
	cmd.Stdout, cmd.Stderr = log, log
	ended, err := child.Start(cmd)
	check(err)
	b.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
	s.pid, s.log = cmd.Process.Pid, log.Name()
	for deadline := time.Now().Add(time.Minute); s.addr == ""; <-time.After(20 * time.Millisecond) {
		output, err := os.ReadFile(log.Name())
		check(err)
		if found := listening.FindSubmatch(output); found != nil {
			s.addr = string(found[1])
		} else if time.Now().After(deadline) {
			b.Fatalf("not ready: %s", output)
		}
	}
}

// logged is what the program has logged.
func (s *builtServer) logged() []byte {
	output, err := os.ReadFile(s.log)
	check(err)
	return output
}

// cpu returns the processor time of all threads, from the scheduler's counter.
func (s *builtServer) cpu() (used time.Duration) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", s.pid))
	check(err)
	for _, t := range threads {
		text, err := os.ReadFile(t)
		check(err)
		var ns int64
		_, err = fmt.Sscan(string(text), &ns)
		check(err)
		used += time.Duration(ns)
	}
	return used
}

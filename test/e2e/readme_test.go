package e2e_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
)

var shellBlock = regexp.MustCompile("(?s)```sh\n(.*?)```")

// tour returns the lines of the README's shell blocks about the first purchase.
func tour(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../../docs/market.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text2, _ := strings.Cut(string(text), "## Buy a book")
	section, _, _ := strings.Cut(text2, "\n## ")
	var lines []string
	for _, block := range shellBlock.FindAllStringSubmatch(section, -1) {
		lines = append(lines, strings.Split(strings.TrimSpace(block[1]), "\n")...)
	}
	return lines
}

func TestTheFirstPurchaseOfTheReadmeWorksWordForWord(t *testing.T) {
	t.Parallel()
	lines := tour(t)
	if curls := strings.Count(strings.Join(lines, "\n"), "curl "); curls < 20 {
		t.Fatalf("only %d curl commands found", curls)
	}
	s := e2e.Start(t)
	sh := newShell(t)
	var outputs []string
	for _, line := range lines {
		line = strings.ReplaceAll(line, "http://localhost:3000", s.URL)
		var out string
		if command, ok := strings.CutPrefix(line, "octavo "); ok {
			out = octavo(t, s, command)
		} else {
			out = sh.run(line)
		}
		if strings.Contains(out, `"error"`) || strings.Contains(out, `"errors"`) {
			t.Fatalf("%s\n%s", line, out)
		}
		outputs = append(outputs, out)
	}
	all := strings.Join(outputs, "\n")
	for _, want := range []string{`"verified":true`, `"name":"Introduction to Algorithms"`, `"total":44.63`, `"kind":"book_sold"`, `cleo@campus.edu is now owner.`, `"kind":"payment_sent"`, `"email":"ben@campus.edu"`} {
		if !strings.Contains(all, want) {
			t.Errorf("no response contains %s\n%s", want, all)
		}
	}
}

// octavo runs a command on the server's data, as in the folder where it was started.
func octavo(t *testing.T, s *e2e.Server, command string) string {
	t.Helper()
	out, code := s.Octavo(strings.Fields(command)...)
	if code != 0 {
		t.Fatalf("octavo %s: exit code %d: %s", command, code, out)
	}
	return out
}

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

// shell is a running sh, which keeps variables between lines.
type shell struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Scanner
}

func newShell(t *testing.T) *shell {
	t.Helper()
	in, out := piped(t, exec.CommandContext(t.Context(), "sh"))
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<20)
	return &shell{t, in, lines}
}

// run runs a line in the shell and returns its output.
func (s *shell) run(line string) string {
	s.t.Helper()
	const mark = "--done--"
	if _, err := fmt.Fprintf(s.in, "%s\nprintf '\\n%%s %%s\\n' %s $?\n", line, mark); err != nil {
		s.t.Fatal(err)
	}
	var out []string
	for s.out.Scan() {
		if code, done := strings.CutPrefix(s.out.Text(), mark+" "); done {
			if code != "0" {
				s.t.Fatalf("%s\nexit code %s, want 0: %s", line, code, strings.Join(out, "\n"))
			}
			return strings.Join(out, "\n")
		}
		out = append(out, s.out.Text())
	}
	s.t.Fatalf("the shell ended: %v", s.out.Err())
	return ""
}

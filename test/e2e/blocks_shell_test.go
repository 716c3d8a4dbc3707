package e2e_test

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/child"
	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/servers"
)

// prelude makes the shell of a page. A server that a block starts is ready when the next line runs, and ends with the block.
const prelude = `exec 2>&1
set -e
octavo() {
	if [ "$1" != serve ]; then "$OCTAVO" "$@"; return; fi
	local -x PORT=$FREE_PORT DATA_DIR=$DATA_DIR
	[ "$DATA_DIR" != "$PAGE_DATA" ] || DATA_DIR=$PWD/serves
	setpriv --pdeathsig KILL "$OCTAVO" "$@" >serve.log 2>&1 &
	until curl -fsS -o readyz "http://127.0.0.1:$PORT/readyz" 2>readyz; do
		kill -0 $! || { cat serve.log; return 1; }
		sleep 0.05
	done
}
end() { kill $(jobs -p) 2>/dev/null || true; wait; }
trap end EXIT
`

// shellPage is a document whose blocks are run in one shell, in a folder of its own.
type shellPage struct {
	*testing.T
	dir    string
	server *e2e.Server // nil unless serve was called

	said    strings.Builder   // all that was printed
	changes []string          // what is replaced in blocks, by what
	places  []string          // what is replaced in settings, by what
	given   string            // the settings that those of the page go with
	before  map[string]string // what to do before a line that has certain words
	wants   []string
	in      io.Writer
	out     *bufio.Scanner
}

func newShellPage(t *testing.T) *shellPage {
	t.Helper()
	return &shellPage{T: t, dir: servers.Dir(t), before: map[string]string{}}
}

// serve starts the server of the page, at which all its commands are aimed.
func (p *shellPage) serve(env []string, components ...string) {
	p.Helper()
	p.server = e2e.StartWith(p, env, components...)
	for _, address := range []string{"http://localhost:3000", recipeServer, "https://octavo.example.edu", "https://books.example.edu", "localhost:3000"} {
		p.replace(address, p.server.URL)
	}
}

func (p *shellPage) replace(old, by string) { p.changes = append(p.changes, old, by) }

// file writes a file beside the commands.
func (p *shellPage) file(name, text string) {
	p.Helper()
	path := filepath.Join(p.dir, name)
	must.Do(p, os.MkdirAll(filepath.Dir(path), 0o700))
	write(p.T, path, text)
}

// open starts the shell.
func (p *shellPage) open() {
	p.Helper()
	p.replace("/etc/octavo", p.dir+"/etc")
	p.places = append(p.places, "/etc/octavo", p.dir+"/etc")
	p.replace("/var/lib/octavo", p.dir+"/var")
	p.replace("bin/octavo", "octavo")
	data, env := p.dir+"/data", e2e.Environment("DATA_DIR="+p.dir+"/data", "PORT=0", "BCRYPT_COST=4")
	if p.server != nil {
		data, env = p.server.DataDir, append([]string{"PORT=0"}, p.server.Environment()...)
	}
	address := servers.Address(p)
	cmd := exec.CommandContext(p.Context(), servers.Need(p, "bash", "apt-get install bash", "bash"))
	port := address[strings.LastIndexByte(address, ':')+1:]
	cmd.Env = slices.Concat(env, []string{"HOME=" + p.dir, "OCTAVO=" + e2e.Path(p), "PAGE_DATA=" + data, "FREE_PORT=" + port})
	cmd.Dir = p.dir
	in, out := must.Get(cmd.StdinPipe())(p), must.Get(cmd.StdoutPipe())(p)
	ended := must.Get(child.Start(cmd))(p)
	p.Cleanup(func() {
		_ = in.Close()
		<-ended
	})
	p.in, p.out = in, bufio.NewScanner(out)
	p.out.Buffer(nil, 1<<20)
	p.file("block.sh", prelude)
	p.source()
}

// source lets the shell read what stands in block.sh, and returns what it prints.
func (p *shellPage) source() string {
	p.Helper()
	const mark = "--done--"
	must.Get(fmt.Fprintf(p.in, ". ./block.sh </dev/null\necho; echo %s\n", mark))(p)
	var out strings.Builder
	for p.out.Scan() {
		if p.out.Text() == mark {
			p.said.WriteString(out.String())
			return out.String()
		}
		fmt.Fprintln(&out, p.out.Text())
	}
	p.Fatalf("%s\nfails: %s", must.Get(os.ReadFile(p.dir+"/block.sh"))(p), cmp.Or(out.String(), "no output"))
	return ""
}

// run runs a block of the page.
func (p *shellPage) run(b block) {
	p.Helper()
	script := strings.NewReplacer(p.changes...).Replace(b.text)
	var lines []string
	for line := range strings.Lines(script) {
		for words, do := range p.before {
			if strings.Contains(line, words) {
				lines = append(lines, do+"\n")
			}
		}
		lines = append(lines, line)
	}
	p.file("block.sh", strings.Join(lines, "")+"\nend\n")
	if out := p.source(); strings.Contains(out, `"error"`) || strings.Contains(out, `"errors"`) {
		p.Errorf("line %d: %s\n%s", b.line, script, out)
	}
}

// settings checks a block that is nothing but settings.
func (p *shellPage) settings(b block, known string) {
	p.Helper()
	names := ""
	for _, m := range variable.FindAllStringSubmatch(b.text, -1) {
		if name := strings.TrimSuffix(m[1], "_FILE"); !strings.Contains(known, "\n  "+name+"  ") && !strings.Contains(known, "\n  "+m[1]+"  ") {
			p.Errorf("line %d: %s is no setting", b.line, m[1])
		}
		names += "|" + m[1]
	}
	p.file("block.sh", "( set -a\n"+p.given+strings.NewReplacer(p.places...).Replace(b.text)+"\noctavo doctor || true )\n")
	out := p.source()
	wrong := regexp.MustCompile(`FAIL  settings +(` + names[1:] + `).*`).FindString(out)
	if wrong != "" || !strings.Contains(out, "  settings  ") {
		p.Errorf("line %d: %s%s\n%s", b.line, b.text, wrong, out)
	}
}

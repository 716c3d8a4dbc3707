package e2e_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/must"
)

// block is a block of commands in a document. Its info says which test runs it, or why none can; without info, it is run with
// the others of its page.
type block struct {
	info, text string
	line       int
}

var blockOf = regexp.MustCompile("(?ms)^ *```(?:sh|console|shell|bash)\\b *([^\n]*)\n(.*?)^ *```$")

// blocks returns the blocks of commands of each document.
func blocks(t *testing.T) map[string][]block {
	t.Helper()
	found := map[string][]block{}
	for _, path := range documents(t, "../..") {
		text := string(must.Get(os.ReadFile(path))(t))
		for _, at := range blockOf.FindAllStringSubmatchIndex(text, -1) {
			b := block{text[at[2]:at[3]], text[at[4]:at[5]], 1 + strings.Count(text[:at[0]], "\n")}
			name := strings.TrimPrefix(path, "../../")
			found[name] = append(found[name], b)
		}
	}
	return found
}

var (
	onlySettings = regexp.MustCompile(`^(?: *[A-Z][A-Z0-9_]*=(?:'[^'\n]*'|[^ '\n]*)(?: +#[^\n]*)?\n)+$`)
	variable     = regexp.MustCompile(`(?m)(?:^|[ =])([A-Z][A-Z0-9_]+)=`)
)

func TestTheCommandsOfEveryPageWork(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	known := must.Get(exec.CommandContext(t.Context(), e2e.Path(t), "help", "settings").Output())(t)
	found := blocks(t)
	for path := range shellPages {
		if len(found[path]) == 0 {
			t.Errorf("%s has no commands", path)
		}
	}
	for path, all := range found {
		t.Run(path, func(t *testing.T) {
			t.Parallel()
			p := newShellPage(t)
			for _, b := range all {
				if b.info != "" {
					continue
				}
				if p.in == nil {
					if prepare := shellPages[path]; prepare != nil {
						prepare(p)
					}
					p.open()
				}
				if onlySettings.MatchString(b.text) {
					p.settings(b, string(known))
				} else {
					p.run(b)
				}
			}
			for _, want := range p.wants {
				if !strings.Contains(p.said.String(), want) {
					t.Errorf("no command prints %s\n%s", want, p.said.String())
				}
			}
		})
	}
}

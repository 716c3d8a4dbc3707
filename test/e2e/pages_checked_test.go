package e2e_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/pages"
)

// check is what axe-core found on all pages, for the page /accessibility. `go tool task accessibility` keeps it.
type check struct {
	found  web.Checked
	states map[string]bool
}

// add counts a state of a page in a setting.
func (c *check) add(b *tab, l look, s setting) {
	if c.found.Checks == 0 {
		c.found.Rules, c.states = b.evaluate("axe.version"), map[string]bool{}
	}
	c.states[l.name] = true
	c.found.Checks++
	c.found.Violations = b.violations
	if name := strings.ReplaceAll(s.String(), "_", " "); !slices.Contains(c.found.Settings, name) {
		c.found.Settings = append(c.found.Settings, name)
	}
}

// keep writes the results to the file that OCTAVO_ACCESSIBILITY names, if all pages passed.
func (c *check) keep(t *testing.T) {
	path := os.Getenv("OCTAVO_ACCESSIBILITY")
	if path == "" || t.Failed() || t.Skipped() {
		return
	}
	c.found.Date, c.found.States = time.Now().UTC().Format(time.DateOnly), len(c.states)
	c.found.Commit = strings.TrimSpace(string(must.Get(exec.CommandContext(t.Context(), "git", "rev-parse", "--short", "HEAD").Output())(t)))
	for _, r := range pages.Shown(t) {
		c.found.Pages = append(c.found.Pages, r.Path)
	}
	slices.Sort(c.found.Pages)
	c.found.Pages = slices.Compact(c.found.Pages)
	text := must.Get(json.MarshalIndent(c.found, "", "  "))(t)
	must.Do(t, os.WriteFile(path, append(text, '\n'), 0o644))
}

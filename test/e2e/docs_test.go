package e2e_test

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	documentation "github.com/octavo-books/octavo"
	"github.com/octavo-books/octavo/test/e2e"
)

var (
	led    = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	marked = regexp.MustCompile(`id="([^"]*)"`)
)

func TestEveryLinkOfTheServedDocumentationLeadsSomewhere(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t, "auth")
	seen := map[string]bool{}
	for left := []string{"/docs"}; len(left) > 0; left = left[1:] {
		from := left[0]
		page := served(t, s.URL, from)
		for _, m := range led.FindAllStringSubmatch(page, -1) {
			to, anchor, _ := strings.Cut(m[1], "#")
			if file, outside := strings.CutPrefix(to, documentation.Source); outside {
				if _, err := os.Stat(filepath.Join("../..", file)); err != nil {
					t.Errorf("%s: %s: %v", from, to, err)
				}
			}
			if to == "" {
				to = from
			}
			if !strings.HasPrefix(to, "/docs") {
				continue
			}
			if target := served(t, s.URL, to); anchor != "" && !hasID(target, anchor) {
				t.Errorf("%s: %s has no %s", from, to, anchor)
			}
			if !seen[to] && !strings.HasSuffix(to, ".png") && !strings.HasSuffix(to, ".svg") {
				left = append(left, to)
			}
			seen[to] = true
		}
	}
	for _, page := range []string{"/docs/readme", "/docs/recipes/proxy", "/docs/adr/0001-one-hexagon-three-components", "/docs/images/market.png"} {
		if !seen[page] {
			t.Errorf("/docs has no link to %s", page)
		}
	}
}

// served returns the body of a page or picture.
func served(t *testing.T, base, path string) string {
	t.Helper()
	a := e2e.Client{URL: base}.Must(t, http.StatusOK, "GET", path, nil)
	if kind := a.Header.Get("Content-Type"); strings.HasPrefix(kind, "text/html") {
		if policy := a.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") {
			t.Errorf("%s: the content policy is %q", path, policy)
		}
	} else if kind != "image/png" && kind != "image/svg+xml" {
		t.Errorf("%s is %s", path, kind)
	}
	return string(a.Body)
}

func hasID(page, id string) bool {
	for _, m := range marked.FindAllStringSubmatch(page, -1) {
		if m[1] == id {
			return true
		}
	}
	return false
}

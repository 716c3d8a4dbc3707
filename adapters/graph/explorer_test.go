package graph_test

import (
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/graph"
)

func TestThePageLoadsItsOwnFilesAndNothingElse(t *testing.T) {
	h := newHandlerWithoutUseCases(t, true)
	page := serve(t, h, httptest.NewRequest("GET", "/graphql", nil))
	if policy := page.Header.Get("Content-Security-Policy"); !strings.Contains(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || strings.Contains(policy, "http") {
		t.Errorf("the page has the policy %q", policy)
	}
	for _, foreign := range []string{"//", "<style", "style=", "onclick=", "<script>"} {
		if strings.Contains(page.Text, foreign) {
			t.Errorf("the page has %q", foreign)
		}
	}
	files := regexp.MustCompile(`(?:src|href)="(/graphql/explorer/[^"]+)"`).FindAllStringSubmatch(page.Text, -1)
	if len(files) != 6 {
		t.Fatalf("the page loads %v", files)
	}
	for _, path := range []string{files[0][1], files[1][1], files[2][1], files[3][1], files[4][1], files[5][1], graph.ExplorerPath + "graphiql.LICENSE.txt"} {
		a := serve(t, h, httptest.NewRequest("GET", path, nil))
		if a.Status != 200 || a.Text == "" || a.Header.Get("Content-Type") == "" || strings.Contains(a.Header.Get("Content-Security-Policy"), "'self'") {
			t.Errorf("%s: %d %v", path, a.Status, a.Header)
		}
		again := httptest.NewRequest("GET", path, nil)
		again.Header.Set("If-None-Match", a.Header.Get("ETag"))
		if a := serve(t, h, again); a.Status != 304 {
			t.Errorf("%s is sent again: %d", path, a.Status)
		}
	}
	for _, path := range []string{"page.js", "../graph.go", "react.js.gz", ""} {
		if a := serve(t, h, httptest.NewRequest("GET", graph.ExplorerPath+path, nil)); a.Status != 404 || a.code() != "NOT_FOUND" {
			t.Errorf("%q: %d %s", path, a.Status, a)
		}
	}
}

func TestThereIsNoPageInProduction(t *testing.T) {
	for _, path := range []string{"/graphql", graph.ExplorerPath + "start.js"} {
		if a := serve(t, newHandlerWithoutUseCases(t, false), httptest.NewRequest("GET", path, nil)); a.Status != 405 {
			t.Errorf("%s: %d", path, a.Status)
		}
	}
}

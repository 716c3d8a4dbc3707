package markdown_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/octavo-books/octavo/adapters/markdown"
	"github.com/octavo-books/octavo/test/must"
)

const source = "https://code.example/blob/main/"

func library(t *testing.T, files map[string]string) *markdown.Library {
	t.Helper()
	all := fstest.MapFS{}
	for name, text := range files {
		all[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return must.Get(markdown.New(all, source))(t)
}

var files = map[string]string{
	"README.md":             "# Octavo\n\n![A shelf](docs/images/shelf.png)\n\nSee [the decisions](docs/adr), [the index](docs/README.md) and [the licence](LICENSE).\n",
	"docs/README.md":        "# Documentation\n\n- [Buy](../README.md#buy-a-book)\n- [Site](https://octavo.example/a#b)\n",
	"docs/market.md":        "# The `market`\n\n## Over JSON\n\n[Here](#over-json), [there](recipes/spa.md#one-two).\n\n<script>alert(1)</script>\n\n| a | b |\n|--:|---|\n| 1 | x \\| y |\n",
	"docs/recipes/spa.md":   "# A page\n\n## One & two\n\n## One & two\n\n```html\n<b>bold</b>\n```\n\n[up](../market.md)\n",
	"docs/adr/0001-one.md":  "# 1. One\n",
	"docs/images/shelf.png": "PNG",
}

// get returns the content of a page.
func get(t *testing.T, path string) *httptest.ResponseRecorder {
	t.Helper()
	site := markdown.Site{
		Library: library(t, files), Base: "/docs", Missing: http.NotFoundHandler(),
		Show: func(w http.ResponseWriter, _ *http.Request, p markdown.Shown) {
			w.WriteHeader(p.Status)
			_, _ = w.Write([]byte(p.Title + "\n" + string(p.Main)))
		},
		Failed: func(_ *http.Request, err error) { t.Error(err) },
	}
	w := httptest.NewRecorder()
	site.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w
}

func TestLinksBetweenFilesBecomeLinksBetweenPages(t *testing.T) {
	for path, want := range map[string][]string{
		"/docs":             {`href="/docs/readme#buy-a-book"`, `href="https://octavo.example/a#b"`},
		"/docs/readme":      {`src="/docs/images/shelf.png"`, `alt="A shelf"`, `href="/docs/adr"`, `href="/docs"`, `href="` + source + `LICENSE"`},
		"/docs/market":      {`href="#over-json"`, `id="over-json"`, `href="/docs/recipes/spa#one-two"`},
		"/docs/recipes/spa": {`id="one--two"`, `id="one--two-1"`, `href="/docs/market"`},
		"/docs/recipes":     {`href="/docs/recipes/spa"`, "A page"},
		"/docs/adr":         {"Decisions", `href="/docs/adr/0001-one"`, "1. One"},
	} {
		page := get(t, path)
		for _, text := range want {
			if page.Code != http.StatusOK || !strings.Contains(page.Body.String(), text) {
				t.Errorf("%s (%d) has no %s:\n%s", path, page.Code, text, page.Body)
			}
		}
	}
}

func TestAPageContainsNoScriptAndNoStyle(t *testing.T) {
	for path, banned := range map[string][]string{"/docs/market": {"<script", "style="}, "/docs/recipes/spa": {"<b>"}} {
		page := get(t, path).Body.String()
		for _, text := range banned {
			if strings.Contains(page, text) {
				t.Errorf("%s contains %s:\n%s", path, text, page)
			}
		}
	}
}

func TestPicturesAreServedAndNothingElseOfTheFiles(t *testing.T) {
	picture := get(t, "/docs/images/shelf.png")
	if picture.Code != http.StatusOK || picture.Body.String() != "PNG" || picture.Header().Get("Content-Type") != "image/png" {
		t.Errorf("%d %v %s", picture.Code, picture.Header(), picture.Body)
	}
	for _, path := range []string{"/docs/market.md", "/docs/images", "/docs/../README.md", "/docs/images/../../shelf.png", "/docs/images/no.png", "/docs/nowhere"} {
		if got := get(t, path); got.Code != http.StatusNotFound {
			t.Errorf("%s: %d %s, want %d", path, got.Code, got.Body, http.StatusNotFound)
		}
	}
}

func TestAPageIsFoundByItsNameItsFileAndTheEndOfItsName(t *testing.T) {
	l := library(t, files)
	for name, want := range map[string]string{
		"market": "market", "Market": "market", "docs/market.md": "market", "market.md": "market", "README.md": "readme", "docs/README.md": "index",
		"spa": "recipes/spa", "recipes/spa": "recipes/spa", "adr": "adr", "0001-one": "adr/0001-one",
	} {
		if p, ok := l.Find(name); !ok || p.Name != want {
			t.Errorf("%s: %q, %v", name, p.Name, ok)
		}
	}
	for _, name := range []string{"", "nowhere", "images/shelf.png", "/"} {
		if p, ok := l.Find(name); ok {
			t.Errorf("%q is %q", name, p.Name)
		}
	}
}

func TestTwoFilesOfOneNameAreRefused(t *testing.T) {
	_, err := markdown.New(fstest.MapFS{"SECURITY.md": {}, "docs/security.md": {}}, source)
	if err == nil || !strings.Contains(err.Error(), "SECURITY.md and docs/security.md are both called security") {
		t.Errorf("err = %v", err)
	}
}

func TestASectionEndsBeforeTheNextOfItsLevel(t *testing.T) {
	text := "# Page\n\nFirst.\n\n## One\n\n```sh\n# no heading\n```\n\n### Below\n\nSome *words*.\n\n## Two\n\nLast.\n"
	l := library(t, map[string]string{"docs/page.md": text})
	page, _ := l.Find("page")
	for anchor, want := range map[string]string{
		"": text, "page": text, "one": "## One\n\n```sh\n# no heading\n```\n\n### Below\n\nSome *words*.\n", "below": "### Below\n\nSome *words*.\n", "two": "## Two\n\nLast.\n",
	} {
		if got, err := l.Source(page, anchor); err != nil || string(got) != want {
			t.Errorf("%q: %v\n%s", anchor, err, got)
		}
	}
	if got, err := l.Source(page, "no-heading"); !errors.Is(err, markdown.ErrNoSection) {
		t.Errorf("err = %v\n%s", err, got)
	}
	if all, err := l.Anchors(page); err != nil || !slices.Equal(all, []string{"page", "one", "below", "two"}) {
		t.Errorf("anchors %v, %v", all, err)
	}
}

func TestASearchFindsTheSectionThatIsAboutTheWords(t *testing.T) {
	l := library(t, map[string]string{
		"docs/keys.md":       "# Keys\n\nWhat they are for.\n\n## Rotating a key\n\nPut the [new one](market.md) beside the `old` one.\n",
		"docs/market.md":     "# Market\n\nA key rotates a carousel.\n",
		"docs/adr/0001-x.md": "# Rotating a key\n\nWhy.\n",
	})
	found := l.Search("rotating keys")
	if len(found) != 3 || found[0].Page.Name != "keys" || found[0].Anchor != "rotating-a-key" || found[1].Page.Name != "adr/0001-x" {
		t.Errorf("found %+v", found)
	}
	if found := l.Search("old carousel"); len(found) != 2 || found[0].Text != "Put the new one beside the old one." && found[1].Text != "Put the new one beside the old one." {
		t.Errorf("without a section that has both words: %+v", found)
	}
	if found := l.Search("xylophone"); len(found) != 0 {
		t.Errorf("found %+v", found)
	}
	if page := get(t, "/docs?q=recipes"); !strings.Contains(page.Body.String(), `value="recipes"`) {
		t.Errorf("the page of the search is %s", page.Body)
	}
}

func TestPagesOfAFolderLeadToTheirNeighboursAndSections(t *testing.T) {
	l := library(t, map[string]string{
		"docs/op/README.md": "# Operating\n\n[Two](two.md), [One](one.md), [Three](three.md)\n", "docs/op/one.md": "# One\n\n## A\n\n## B\n\n## C\n\n## D & E\n",
		"docs/op/two.md": "# Two\n", "docs/op/three.md": "# Three\n",
	})
	page, _ := l.Find("op/one")
	before, after := l.Neighbours(page)
	if before == nil || before.Name != "op/two" || after == nil || after.Name != "op/three" {
		t.Errorf("before %v, after %v", before, after)
	}
	if index, ok := l.Find("op"); !ok || index.Title != "Operating" {
		t.Errorf("the folder is %+v", index)
	}
	dir := t.TempDir()
	if err := l.WriteSite(dir); err != nil {
		t.Fatal(err)
	}
	html := string(must.Get(os.ReadFile(filepath.Join(dir, "op", "one.html")))(t))
	for _, want := range []string{`href="../op.html"`, `href="../op/two.html"`, `href="../op/three.html"`, `href="#d--e"`, "D &amp; E", "On this page"} {
		if !strings.Contains(html, want) {
			t.Errorf("the page has no %s:\n%s", want, html)
		}
	}
}

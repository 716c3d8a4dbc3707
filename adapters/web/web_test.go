package web_test

import (
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/adapters/web/webrooms"
	"github.com/octavo-books/octavo/domain/fault"
)

var update = flag.Bool("update", false, "rewrite the golden files")

var noon = time.Date(2026, time.September, 7, 12, 0, 0, 0, time.UTC)

func TestPagesMatchTheirGoldenFiles(t *testing.T) {
	for name, path := range map[string]string{
		"front": "/", "found": "/?q=linear+%22algebra", "mails": "/dev/mail?to=ann@x.edu", "invitation": "/invitation?token=t0k%22en", "unsubscribe": "/unsubscribe?token=g00d",
		"approval": "/approve?token=g00d",
	} {
		for _, lang := range []string{"en", "fr"} {
			w := get(handler(t, example()), path, "Accept-Language", lang)
			if w.Code != http.StatusOK {
				t.Errorf("%s: %d, want %d", path, w.Code, http.StatusOK)
			}
			golden(t, name+"."+lang+".html", w.Body.String())
		}
	}
}

func TestAnEmptyMarketDiffersFromAFailedSearch(t *testing.T) {
	h := handler(t, &services{})
	for path, name := range map[string]string{"/": "empty", "/?q=algebra": "notfound"} {
		for _, lang := range []string{"en", "fr"} {
			golden(t, name+"."+lang+".html", get(h, path, "Accept-Language", lang).Body.String())
		}
	}
}

func TestAnUnknownPathIsAPageForBrowsers(t *testing.T) {
	pages, err := webrooms.New(web.Services{}, web.Options{Service: "Octavo", Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	h := http.HandlerFunc(pages.NotFound)
	for _, lang := range []string{"en", "fr"} {
		w := get(h, "/<b>nowhere", "Accept", "text/html,*/*;q=0.8", "Accept-Language", lang)
		if w.Code != http.StatusNotFound || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			t.Errorf("%d %v", w.Code, w.Header())
		}
		golden(t, "missing."+lang+".html", w.Body.String())
	}
	for _, accept := range []string{"", "*/*", "application/json"} {
		w := get(h, "/nowhere", "Accept", accept)
		if w.Code != http.StatusNotFound || w.Body.String() != "Not Found\n" || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
			t.Errorf("%q: %d %v %s", accept, w.Code, w.Header(), w.Body)
		}
	}
}

var inline = regexp.MustCompile(`(?i)<script(?:>|\s+[^s])|<style|\sstyle=|\son[a-z]+=|javascript:`)

func TestNoPageHasAnythingInlineAndThePolicyIsConstant(t *testing.T) {
	h := handler(t, example())
	for _, w := range []*httptest.ResponseRecorder{
		get(h, "/"), get(h, "/?q=<script>alert(1)</script>"), get(h, "/dev/mail"), get(h, "/invitation"), get(h, `/invitation?token="><script>`),
		get(h, "/unsubscribe"), get(h, "/unsubscribe?token=g00d"), send(h, "POST", "/unsubscribe", "token=g00d"), send(h, "POST", "/invitation", "token=x"),
		get(h, "/approve"), get(h, "/approve?token=g00d"), send(h, "POST", "/approve", "token=g00d"), send(h, "POST", "/approve", "token=<script>"),
	} {
		if found := inline.FindString(w.Body.String()); found != "" {
			t.Errorf("found %q in %s", found, w.Body)
		}
		if got := w.Header().Get("Content-Security-Policy"); !strings.Contains(got, "default-src 'none'") || strings.Contains(got, "unsafe") {
			t.Errorf("policy = %q", got)
		}
		if w.Header().Get("Referrer-Policy") != "same-origin" || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") {
			t.Errorf("headers = %v", w.Header())
		}
	}
}

func TestTheFrontPageSearchesWhenAsked(t *testing.T) {
	s := example()
	h := handler(t, s)
	if get(h, "/"); s.asked != "list" {
		t.Errorf("asked %q, want \"list\"", s.asked)
	}
	if get(h, "/?q=+linear+"); s.asked != "search linear" {
		t.Errorf("asked %q, want \"search linear\"", s.asked)
	}
	s.err = fault.New(fault.Unavailable, "unavailable", "Down.").After(2 * time.Second)
	if w := get(h, "/"); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "try again in a moment") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	s.err = errors.New("password=hunter2")
	if w := get(h, "/"); w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "hunter2") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestTheMailboxInJSONIsAsTheContractSays(t *testing.T) {
	s := example()
	w := get(handler(t, s), "/dev/mail.json?to=%20Ann@X.edu")
	if s.asked != "mails ann@x.edu" || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("asked %q, %v", s.asked, w.Header())
	}
	want := `[{"id":"9","to":"ann@x.edu","kind":"verification","lang":"fr","subject":"Confirmez \u003cvotre\u003e adresse","text":"Bonjour","html":"\u003cp\u003eBonjour\u003c/p\u003e","code":"04815162","link":null,"sentAt":"2026-09-07T12:00:00Z"},` +
		`{"id":"8","to":"bob@x.edu","kind":"invitation","lang":"en","subject":"You are invited","text":"Hello","html":"\u003cp\u003eHello\u003c/p\u003e","code":null,"link":"https://octavo.example/i?token=a\u0026b","sentAt":"2026-09-07T12:00:00Z"}]` + "\n"
	if w.Body.String() != want {
		t.Errorf("got  %s\nwant %s", w.Body, want)
	}
	s.mails = nil
	if w = get(handler(t, s), "/dev/mail.json"); strings.TrimSpace(w.Body.String()) != "[]" {
		t.Errorf("an empty mailbox is %s", w.Body)
	}
	var all []any
	if err := json.Unmarshal(w.Body.Bytes(), &all); err != nil {
		t.Error(err)
	}
}

func TestAMailPreviewIsShownInASandbox(t *testing.T) {
	h := handler(t, example())
	w := get(h, "/dev/mail.html?id=9")
	if w.Body.String() != "<p>Bonjour</p>" || !strings.Contains(w.Header().Get("Content-Security-Policy"), "sandbox") {
		t.Errorf("%v %s", w.Header(), w.Body)
	}
	if w = get(h, "/dev/mail.html?id=1"); w.Code != http.StatusNotFound {
		t.Errorf("an unknown mail: %d, want %d", w.Code, http.StatusNotFound)
	}
}

func TestWithoutAServiceItsPagesDoNotExist(t *testing.T) {
	pages, err := webrooms.New(web.Services{}, web.Options{Service: "Octavo", Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		t.Fatal(err)
	}
	h := mux(pages)
	for _, path := range []string{"/dev/mail", "/dev/mail.json", "/dev/mail.html", "/invitation", "/unsubscribe"} {
		if w := get(h, path); w.Code != http.StatusNotFound {
			t.Errorf("%s: %d, want %d", path, w.Code, http.StatusNotFound)
		}
	}
	if w := get(h, "/"); w.Code != http.StatusOK || strings.Contains(w.Body.String(), `role="search"`) {
		t.Errorf("front page: %d %s", w.Code, w.Body)
	}
}

func TestFormsThatAreTooLargeOrBrokenAreRefused(t *testing.T) {
	for _, path := range []string{"/invitation", "/unsubscribe", "/approve"} {
		for form, want := range map[string]int{"token=" + strings.Repeat("x", 70<<10): http.StatusRequestEntityTooLarge, "token=%zz": http.StatusBadRequest} {
			s := example()
			if w := send(handler(t, s), "POST", path, form); w.Code != want || s.asked != "" {
				t.Errorf("%s: %d, asked %q", path, w.Code, s.asked)
			}
		}
	}
}

func TestStaticFilesAreServedAndCacheable(t *testing.T) {
	h := handler(t, example())
	for path, mediaType := range map[string]string{"/static/octavo.css": "text/css; charset=utf-8", "/static/icon.svg": "image/svg+xml"} {
		version := strings.Trim(strings.TrimPrefix(get(h, path).Header().Get("ETag"), "W/"), `"`)
		w := get(h, path+"?v="+version)
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != mediaType || !strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
		for _, other := range []string{path, path + "?v=older"} {
			if w = get(h, other); strings.Contains(w.Header().Get("Cache-Control"), "immutable") {
				t.Errorf("%s would be cached for ever under a name that is not its own", other)
			}
		}
	}
}

func TestAStyleSheetIsSentSmallOnceAndNotAgain(t *testing.T) {
	h := handler(t, example())
	whole := get(h, "/static/octavo.css")
	small := get(h, "/static/octavo.css", "Accept-Encoding", "gzip, deflate, br, zstd")
	z, err := gzip.NewReader(small.Body)
	if err != nil || small.Header().Get("Content-Encoding") != "gzip" || small.Header().Get("Vary") != "Accept-Encoding" {
		t.Fatalf("%v, %v", small.Header(), err)
	}
	if text, err := io.ReadAll(z); err != nil || string(text) != whole.Body.String() || small.Header().Get("Content-Length") == whole.Header().Get("Content-Length") {
		t.Errorf("%d bytes of %s, %v", len(text), whole.Header().Get("Content-Length"), err)
	}
	if again := get(h, "/static/octavo.css", "If-None-Match", small.Header().Get("ETag")); again.Code != http.StatusNotModified || again.Body.Len() > 0 {
		t.Errorf("sent again: %d", again.Code)
	}
	if icon := get(h, "/static/icon-192.png", "Accept-Encoding", "gzip"); icon.Header().Get("Content-Encoding") != "" {
		t.Error("a picture is compressed again")
	}
}

// assetVersion matches the versions of static files, which the golden files leave out: a
// new rule in the style sheet would change all of them.
var assetVersion = regexp.MustCompile(`(/static/[\w.]+)\?v=[\w-]+`)

func golden(t *testing.T, name, got string) {
	t.Helper()
	got = assetVersion.ReplaceAllString(got, "$1")
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; look at it and run with -update:\n%s", path, got)
	}
}

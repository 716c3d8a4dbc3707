package e2e_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
)

// runCachingNginx runs the server of the recipe with the cache of the recipe.
func runCachingNginx(t *testing.T, upstream string) string {
	t.Helper()
	cache := strings.Replace(recipe(t, "proxy.md", "nginx", 1), "/var/cache/nginx/octavo", t.TempDir(), 1)
	return runNginxEdited(t, upstream, func(server string) string {
		return cache + strings.Replace(server, "    location / {\n", "    location / {\n"+recipe(t, "proxy.md", "nginx", 2), 1)
	})
}

// askCache returns what a proxy answers, and what its cache did.
func askCache(t *testing.T, address string, header ...string) (cache, body string) {
	t.Helper()
	r := through(t, "GET", address, "")
	r.Header.Set("Accept-Encoding", "identity")
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	response, err := insecureClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v: %s", address, response.StatusCode, err, text)
	}
	return response.Header.Get("X-Cache-Status"), string(text)
}

func TestACacheServesVisitorsAndNeverASignedInAnswerToAnother(t *testing.T) {
	t.Parallel()
	s := e2e.StartWith(t, []string{"TRUSTED_PROXIES=127.0.0.1/32"}, "market")
	ada, ben := s.Student("ada@campus.edu", "Ada"), s.Student("ben@campus.edu", "Ben")
	mine := ada.Post(t, "Only Ada Sells This", "CSC 172")
	ben.Post(t, "Only Ben Sells This", "CSC 172")
	proxy := runCachingNginx(t, strings.TrimPrefix(s.URL, "http://"))
	deliver(t, through(t, "GET", proxy+"/readyz", "")) // waits for nginx

	for _, path := range []string{"/", "/book?id=" + mine, "/api/books/getAllBooks", "/api/books/getBook/" + mine, "/api/books/search/public/sells"} {
		// Signed in first: what they get must not reach the cache. Their name is on their pages.
		notFromTheCache(t, proxy+path, ada, ben)
		first, fresh := askCache(t, proxy+path)
		second, kept := askCache(t, proxy+path)
		if first != "MISS" || second != "HIT" || kept != fresh {
			t.Errorf("%s of visitors: %s, then %s", path, first, second)
		}
		if strings.Contains(kept, "/logout") || strings.HasPrefix(path, "/api/books/getAllBooks") && !strings.Contains(kept, "Only Ada Sells This") {
			t.Errorf("%s: the cache has the answer of somebody: %s", path, kept)
		}
		cache, own := askCache(t, proxy+path, "Cookie", "octavo_access="+ada.Token)
		if cache == "HIT" || !strings.HasPrefix(path, "/api") && !strings.Contains(own, "/logout") {
			t.Errorf("%s: Ada gets the copy of visitors (%s)", path, cache)
		}
		if packed, _ := askCache(t, proxy+path, "Accept-Encoding", "gzip"); packed == "HIT" {
			t.Errorf("%s: who accepts gzip gets the plain copy", path)
		}
	}
	for _, path := range []string{"/login", "/api/openapi.yaml"} {
		if cache, _ := askCache(t, proxy+path); cache == "HIT" {
			t.Errorf("%s comes from the cache", path)
		}
	}
	s.Kill()
	if cache, body := askCache(t, proxy+"/"); cache != "HIT" || !strings.Contains(body, "Only Ada Sells This") {
		t.Errorf("while the program is down visitors get %s %s", cache, body)
	}
}

// notFromTheCache asks with the tokens and the cookies of people. Pages know no tokens.
func notFromTheCache(t *testing.T, address string, people ...e2e.Client) {
	t.Helper()
	for _, c := range people {
		for _, credential := range [][]string{{"Authorization", "Bearer " + c.Token}, {"Cookie", "octavo_access=" + c.Token}} {
			if strings.Contains(address, "/api/") || credential[0] == "Cookie" {
				if cache, _ := askCache(t, address, credential...); cache == "HIT" {
					t.Errorf("%s with %s comes from the cache", address, credential[0])
				}
			}
		}
	}
}

func TestPagesListsAndFilesAreCompressed(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t, "market")
	ada := s.Student("ada@campus.edu", "Ada")
	for range 5 {
		ada.Post(t, strings.Repeat("Introduction to Algorithms ", 8), "CSC 172")
	}
	bearer := []string{"Authorization", "Bearer " + ada.Token}
	for _, path := range []string{"/", "/static/octavo.css", "/api/books/search/public/algorithms", "/api/openapi.yaml", "/api/books/getUsersPosts"} {
		header := append([]string{"Accept-Encoding", "gzip"}, bearer...)
		r, packed := exchange(t, "GET", s.URL+path, "", header...)
		plain, _ := exchange(t, "GET", s.URL+path, "", append([]string{"Accept-Encoding", "identity"}, bearer...)...)
		if r.Header.Get("Content-Encoding") != "gzip" || plain.Header.Get("Content-Encoding") != "" || r.Header.Get("ETag") != plain.Header.Get("ETag") {
			t.Errorf("%s: %d bytes, %v", path, len(packed), r.Header)
		}
		if again, _ := exchange(t, "GET", s.URL+path, "", append(header, "If-None-Match", plain.Header.Get("ETag"))...); plain.Header.Get("ETag") != "" && again.StatusCode != http.StatusNotModified {
			t.Errorf("%s with the ETag of the plain answer: %d", path, again.StatusCode)
		}
	}
}

package e2e_test

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
)

// varnish is a server with the configuration of the recipe.
type varnish struct {
	*servers.VarnishServer
	t *testing.T
}

// startFor starts it in front of a program.
func (v *varnish) startFor(s *e2e.Server) {
	v.t.Helper()
	port := strings.TrimPrefix(s.URL, "http://127.0.0.1:")
	v.Start(strings.Replace(recipe(v.t, "varnish.md", "vcl", 0), `"3000"`, `"`+port+`"`, 1))
}

// ask returns what a visitor gets at a path, and whether it is a copy.
func (v *varnish) ask(path string) (status int, body string, copied bool) {
	v.t.Helper()
	answer, err := insecureClient.Do(through(v.t, "GET", v.URL+path, ""))
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	if keys := answer.Header.Get("xkey") + answer.Header.Get("Surrogate-Key"); keys != "" {
		v.t.Errorf("%s shows visitors the keys %s", path, keys)
	}
	return answer.StatusCode, string(text), answer.Header.Get("X-Cache-Status") == "HIT"
}

// await asks until a visitor sees what is wanted.
func (v *varnish) await(what, path string, wanted func(status int, body string) bool) {
	v.t.Helper()
	var status int
	var body string
	if !poll.Until(func() bool { status, body, _ = v.ask(path); return wanted(status, body) }) {
		v.t.Fatalf("%s: visitors get %d at %s: %s", what, status, path, body)
	}
}

// settle waits until nothing is left to purge, for the second time as well, and then asks until the
// paths come from the cache.
func (v *varnish) settle(s *e2e.Server, paths ...string) {
	v.t.Helper()
	if !poll.Until(func() bool { return strings.Contains(scrape(v.t, s.URL), "\noctavo_cache_purge_waiting 0\n") }) {
		v.t.Fatalf("purges are left:\n%s", s.Log())
	}
	for _, path := range paths {
		v.ask(path)
		if _, _, copied := v.ask(path); !copied {
			v.t.Errorf("%s does not come from the cache", path)
		}
	}
}

func shows(text string) func(int, string) bool {
	return func(_ int, body string) bool { return strings.Contains(body, text) }
}

func lacks(text string) func(int, string) bool {
	return func(_ int, body string) bool { return !strings.Contains(body, text) }
}

func isGone(status int, _ string) bool { return status == http.StatusNotFound }

// stay requires that the paths still come from the cache after a change.
func (v *varnish) stay(what string, paths ...string) {
	v.t.Helper()
	for _, path := range paths {
		if _, _, copied := v.ask(path); !copied {
			v.t.Errorf("%s removes the copy of %s", what, path)
		}
	}
}

// visibleChange is an action, after which some paths show something else to visitors. Those of another book and the
// help stay in the cache.
type visibleChange struct {
	what, path string
	body       map[string]any
	by         e2e.Client
	status     int
	until      func(status int, body string) bool
	paths      []string
}

func TestVarnishServesVisitorsAndForgetsWhatHasChanged(t *testing.T) {
	t.Parallel()
	v := &varnish{servers.Varnish(t), t}
	s := e2e.StartWith(t, []string{"TRUSTED_PROXIES=127.0.0.1/32", "CACHE_PURGE_URL=" + v.Purges}, "market")
	v.startFor(s)
	if out, code := s.Octavo("doctor"); code != 0 || !strings.Contains(out, "accepts purges") {
		t.Errorf("the doctor ends with %d: %s", code, out)
	}
	ada, ben := s.Student("ada@campus.edu", "Ada"), s.Student("ben@campus.edu", "Ben")
	algebra, optics := ada.Post(t, "Linear Algebra", "MTH 165"), ada.Post(t, "Optics", "PHY 143")
	photo := addedPhoto(t, ada, algebra)
	const list, front, help = "/api/books/getAllBooks", "/", "/help"
	book, json, other := "/book?id="+algebra, "/api/books/getBook/"+algebra, "/book?id="+optics
	all := []string{list, front, help, book, json, other}
	the := map[string]any{"bookId": algebra}
	do := func(c visibleChange) {
		t.Helper()
		c.by.Must(t, c.status, "POST", c.path, c.body)
		for _, path := range c.paths {
			v.await(c.what, path, c.until)
		}
	}

	v.settle(s, append(all, photo.URL, photo.ThumbURL)...)
	do(visibleChange{"a new price", "/api/books/updateBook", map[string]any{"bookId": algebra, "price": 17.25}, ada, 200, shows("17.25"), []string{list, front, book, json}})
	v.stay("a new price", help, other)

	v.settle(s, append(all, photo.URL, photo.ThumbURL)...)
	do(visibleChange{"a removed photo", "/api/books/removePhoto", map[string]any{"photoId": photo.ID}, ada, 200, isGone, []string{photo.URL, photo.ThumbURL}})
	v.await("a removed photo", book, lacks(photo.URL))
	v.stay("a removed photo", help, other)

	photo = addedPhoto(t, ada, algebra)
	v.settle(s, append(all, photo.URL, photo.ThumbURL)...)
	do(visibleChange{"an unlisted book", "/api/books/deleteBook", the, ada, 200, isGone, []string{book, json, photo.URL, photo.ThumbURL}})
	v.await("an unlisted book", list, lacks("Linear Algebra"))
	v.stay("an unlisted book", help, other)

	do(visibleChange{"a relisted book", "/api/books/reactivateBook", the, ada, 200, shows("Linear Algebra"), []string{front}})
	v.settle(s, all...)
	do(visibleChange{"a sold book", "/api/books/checkoutCart", map[string]any{"bookIds": []string{algebra}}, ben, 201, isGone, []string{book, json}})
	v.await("a sold book", list, lacks("Linear Algebra"))
	v.await("a sold book", front, lacks("Linear Algebra"))
	v.stay("a sold book", help, other)
}

func addedPhoto(t *testing.T, c e2e.Client, book string) bookPhoto {
	t.Helper()
	_, p, err := addPhoto(c, book, aPicture(t))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestTheMarketGoesOnWithoutTheCacheThatItPurges(t *testing.T) {
	t.Parallel()
	v := &varnish{servers.Varnish(t), t}
	s := e2e.StartWith(t, []string{"TRUSTED_PROXIES=127.0.0.1/32", "CACHE_PURGE_URL=" + v.Purges}, "market")
	v.startFor(s)
	ada, anyone := s.Student("ada@campus.edu", "Ada"), e2e.Client{URL: s.URL}
	awaitCache := func(state string) {
		t.Helper()
		ready := ""
		if !poll.Until(func() bool {
			ready = string(anyone.Must(t, http.StatusOK, "GET", "/readyz", nil).Body)
			return strings.Contains(ready, `"cache":"`+state+`"`)
		}) {
			t.Fatalf("/readyz: %s, want %s", ready, state)
		}
	}
	v.Stop()
	ada.Post(t, "Linear Algebra", "MTH 165")
	awaitCache("degraded")
	for range 5 {
		ada.Post(t, "Optics", "PHY 143")
	}
	if out, code := s.Octavo("doctor"); code != 0 || !strings.Contains(out, "it is not purged") {
		t.Errorf("the doctor ends with %d: %s", code, out)
	}
	v.startFor(s)
	awaitCache("up")
	v.settle(s, "/")
	ada.Post(t, "Topology", "MTH 440")
	v.await("a new book", "/", shows("Topology"))
	if n := strings.Count(s.Log(), "the cache in front is not purged"); n != 1 {
		t.Errorf("the log says %d times that the cache is not purged:\n%s", n, s.Log())
	}
}

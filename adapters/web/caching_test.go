package web_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
)

func TestACacheMayKeepAPublicPageOfAVisitorAndNothingElse(t *testing.T) {
	c := newCampus(t)
	ada := c.student("Ada")
	id := ada.offers("Linear Algebra", "20.00")
	for _, path := range []string{"/", "/?q=algebra", "/book?id=" + id} {
		v := c.visitor()
		first := v.open(path).shows(200)
		etag := first.header.Get("ETag")
		if got := first.header.Get("Cache-Control"); got != "public, max-age=0, s-maxage=60, stale-while-revalidate=60" || !strings.HasPrefix(etag, `W/"`) {
			t.Errorf("%s of a visitor: Cache-Control %q, ETag %q", path, got, etag)
		}
		for _, name := range []string{"Cookie", "Accept-Language"} {
			if !strings.Contains(first.header.Get("Vary"), name) {
				t.Errorf("%s does not vary with %s: %v", path, name, first.header)
			}
		}
		if again := v.request(http.MethodGet, path, nil, "If-None-Match", etag); again.status != http.StatusNotModified || again.body != "" {
			t.Errorf("%s again: %d, %d bytes", path, again.status, len(again.body))
		}
		if french := v.request(http.MethodGet, path, nil, "If-None-Match", etag, "Accept-Language", "fr"); french.status != http.StatusOK {
			t.Errorf("%s in French: %d", path, french.status)
		}
		for who, private := range map[string]page{
			"signed in":      ada.open(path),
			"a bad token":    v.request(http.MethodGet, path, nil, "Authorization", "Bearer x"),
			"a dead session": (&visit{campus: c, cookies: map[string]string{"octavo_access": "dead"}, lang: "en"}).open(path),
		} {
			if got := private.header.Get("Cache-Control"); got != "no-store" || private.header.Get("ETag") != "" {
				t.Errorf("%s, %s: Cache-Control %q", path, who, got)
			}
		}
		// Some CDNs ignore Vary.
		known := (&visit{campus: c, cookies: map[string]string{"octavo_device": "x"}, lang: "en"}).open(path).shows(200)
		if got := known.header.Get("Cache-Control"); strings.Contains(got, "public") {
			t.Errorf("%s with a cookie: Cache-Control %q", path, got)
		}
	}
	for _, path := range []string{"/login", "/signup", "/book?id=1", "/nowhere", "/?minPrice=x"} {
		if p := c.visitor().open(path); p.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d, Cache-Control %q", path, p.status, p.header.Get("Cache-Control"))
		}
	}
}

func TestAPageHasOneAddressForSearchEngines(t *testing.T) {
	c := newCampus(t)
	id := c.student("Ada").offers("Linear Algebra", "20.00")
	for path, want := range map[string]string{
		"/":                                "https://octavo.example/",
		"/?q=algebra&utm_source=x":         "https://octavo.example/",
		"/book?utm_source=mail&id=" + id:   "https://octavo.example/book?id=" + id,
		"/book?id=" + id + "&back=%2Fcart": "https://octavo.example/book?id=" + id,
	} {
		if got := c.visitor().open(path).header.Get("Link"); got != "<"+want+`>; rel="canonical"` {
			t.Errorf("%s: Link %s", path, got)
		}
	}
}

func TestTheTitleOfAPageWithFormErrorsSaysSo(t *testing.T) {
	c := newCampus(t)
	ada := c.student("Ada")
	ada.send("/sell", "name", "x").shows(400, "<title>Error: ")
	ada.send("/wanted", "name", "").shows(400, "<title>Error: ")
	c.visitor().send("/login", "email", "ada@campus.edu", "password", "wrong").shows(401, "<title>Error: Sign in")
	c.visitor().open("/?minPrice=x").shows(400, "<title>Error: ")
	ada.lang = "fr"
	ada.send("/sell", "name", "x").shows(400, "<title>Erreur\u00a0: ")
	ada.open("/sell").shows(200).lacks("Erreur")
	ada.open("/nowhere").shows(404).lacks("Erreur\u00a0: ")
}

func TestLinksThatRepeatSayWhichBookTheyAreFor(t *testing.T) {
	c := newCampus(t)
	ada := c.student("Ada")
	ada.offers("Linear Algebra", "20.00")
	ada.offers("Organic Chemistry", "20.00")
	ada.open("/mine").shows(200, `Edit<span class="visually-hidden">: Linear Algebra</span></a>`, `Edit<span class="visually-hidden">: Organic Chemistry</span></a>`)
}

func TestAWrongMethodGetsAPageInABrowser(t *testing.T) {
	c := newCampus(t)
	for _, v := range []*visit{c.visitor(), c.staff("Olga", user.Owner)} {
		p := v.open("/wrong-method").shows(http.StatusMethodNotAllowed, "This page cannot do that", "Back to the home page", `<a class="brand" href="/">`)
		if p.header.Get("Cache-Control") != "no-store" {
			t.Errorf("it may be cached: %v", p.header)
		}
	}
	if p := c.visitor().request(http.MethodPost, "/wrong-method", nil, "Accept", "application/json"); p.status != http.StatusMethodNotAllowed || strings.Contains(p.body, "<") {
		t.Errorf("a program gets %d %s", p.status, p.body)
	}
}

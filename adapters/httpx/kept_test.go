package httpx_test

import (
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
)

// tab keeps a value and returns the request that the browser sends afterwards.
func tab(jar *cookiejar.Jar, site *url.URL, do func(http.ResponseWriter, *http.Request)) *http.Request {
	send := func() *http.Request {
		r := httptest.NewRequest(http.MethodGet, site.String(), nil)
		for _, c := range jar.Cookies(site) {
			r.AddCookie(c)
		}
		return r
	}
	w := httptest.NewRecorder()
	do(w, send())
	jar.SetCookies(site, w.Result().Cookies())
	return send()
}

func TestTabsKeepWhatTheyHaveBegunApartAndABrowserDoesNotKeepTooMuch(t *testing.T) {
	site, _ := url.Parse("http://octavo.example/")
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	kept := httpx.NewCookies(httpx.CookieConfig{}).ExternalSignIns()
	key := func(n int) string { return fmt.Sprintf("key-%08d", n) }
	var r *http.Request
	for n := range 3 {
		r = tab(jar, site, func(w http.ResponseWriter, r *http.Request) {
			kept.Put(w, r, key(n), fmt.Sprint("value", n), time.Minute)
		})
	}
	if kept.Get(r, key(0)) != "value0" || kept.Get(r, key(2)) != "value2" || kept.Get(r, "") != "value2" || kept.Get(r, key(9)) != "" {
		t.Errorf("kept %v", r.Cookies())
	}
	r = tab(jar, site, func(w http.ResponseWriter, r *http.Request) { kept.Clear(w, r, key(1)) })
	if kept.Get(r, key(1)) != "" || kept.Get(r, key(0)) != "value0" {
		t.Errorf("kept %v", r.Cookies())
	}
	for n := range 20 {
		r = tab(jar, site, func(w http.ResponseWriter, r *http.Request) {
			kept.Put(w, r, key(100+n), strings.Repeat("x", 1000), time.Minute)
		})
	}
	if n := len(r.Cookies()); n != 3 || kept.Get(r, key(119)) == "" || kept.Get(r, key(100)) != "" {
		t.Errorf("%d values of 1,000 bytes are kept, want the newest 3", n)
	}
}

func TestAKeyIsNothingButAKey(t *testing.T) {
	for random, want := range map[string]string{"abcdefghijkl_rest": "abcdefghijkl", "abc": "", "": "", "abcdefghijk=": "", "abcdefg\r\nhijkl": ""} {
		if got := httpx.KeyOf(random); got != want {
			t.Errorf("%q has the key %q, want %q", random, got, want)
		}
	}
}

package web

import (
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func FuzzRedirectsStayOnThisSite(f *testing.F) {
	for _, path := range []string{"/cart?x=1", "//evil.example", `/\evil.example`, "https://evil.example", "/%2Fevil.example", "/%2F evil.example", "/%5Cevil.example", "/..//evil.example", "/\t/evil.example", "javascript:alert(1)", "", "?x", "/a#b"} {
		f.Add(path)
	}
	base := &url.URL{Scheme: "http", Host: "here.example", Path: "/"}
	f.Fuzz(func(t *testing.T, path string) {
		w := httptest.NewRecorder()
		if err := (&Pages{}).Redirect(w, httptest.NewRequest("POST", "/cart/add", nil), path, "added"); err != nil {
			t.Fatalf("%q: %v", path, err)
		}
		to := w.Header().Get("Location")
		there, err := base.Parse(to)
		if err != nil || there.Host != base.Host || there.Scheme != base.Scheme {
			t.Errorf("%q leads to %q", path, to)
		}
		if !strings.HasPrefix(to, "/") || strings.HasPrefix(to, "//") || strings.ContainsAny(to, "\\\t\r\n") {
			t.Errorf("%q leads to %q, which browsers may read otherwise", path, to)
		}
	})
}

package logout_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/octavo-books/octavo/adapters/logout"
	"github.com/octavo-books/octavo/adapters/outbound"
)

func TestAnApplicationGetsTheTokenInAForm(t *testing.T) {
	for status, fails := range map[int]bool{200: false, 204: false, 302: true, 400: true, 503: true} {
		var got string
		app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost && r.URL.Path == "/back" {
				got = r.PostFormValue("logout_token")
			}
			w.Header().Set("Location", "/elsewhere")
			w.WriteHeader(status)
		}))
		t.Cleanup(app.Close)
		s := logout.New("Octavo/test", true)
		t.Cleanup(s.Close)
		if err := s.SendLogout(t.Context(), app.URL+"/back", "a.b.c"); got != "a.b.c" || (err != nil) != fails {
			t.Errorf("%d: sent %q, %v", status, got, err)
		}
	}
}

func TestNothingIsSentToAddressesThatNoApplicationHas(t *testing.T) {
	development, production := logout.New("Octavo/test", true), logout.New("Octavo/test", false)
	for _, uri := range []string{"https://169.254.169.254/latest", "https://10.0.0.1/back", "https://[fd00:ec2::254]/"} {
		if err := development.SendLogout(t.Context(), uri, "a.b.c"); !errors.Is(err, outbound.ErrForbidden) {
			t.Errorf("%s: %v", uri, err)
		}
	}
	if err := production.SendLogout(t.Context(), "http://127.0.0.1:1/back", "a.b.c"); err == nil || errors.Is(err, outbound.ErrForbidden) {
		t.Errorf("a clear-text address in production: %v", err)
	}
}

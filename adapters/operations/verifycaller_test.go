package operations

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

// sessions knows the tokens of an admin, of an application that acts for a user, and one
// for which the store is down.
type sessions struct{}

func (sessions) Authenticate(_ context.Context, token string, _ user.ClientInfo) (user.Caller, error) {
	switch token {
	case "admin":
		return user.Caller{ID: 7, Session: 9, Role: user.Admin}, nil
	case "application":
		return user.Caller{ID: 7, Session: 9, Client: "app", Scopes: "openid"}, nil
	case "down":
		return user.Caller{}, errors.New("the store is down")
	}
	return user.Caller{}, user.ErrUnauthenticated
}

func TestAProxyLearnsWhoIsSignedIn(t *testing.T) {
	m, err := httpx.NewMiddleware(httpx.Config{Cookies: httpx.CookieConfig{SameSite: http.SameSiteLaxMode}},
		httpx.Options{Auth: sessions{}, Log: slog.New(slog.DiscardHandler)})
	must.Do(t, err)
	for token, status := range map[string]int{"": 401, "expired": 401, "application": 403, "down": 500, "admin": 204} {
		r := httptest.NewRequest("POST", "/auth/verify", nil)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		w := httptest.NewRecorder()
		m.Wrap(http.HandlerFunc(VerifyCaller)).ServeHTTP(w, r)
		who := w.Header().Get("Octavo-User") + " " + w.Header().Get("Octavo-Role") + " " + w.Header().Get("Octavo-Session")
		if w.Code != status || (who == "7 ADMIN 9") != (status == 204) || (w.Header().Get("WWW-Authenticate") != "") != (status == 401) {
			t.Errorf("%q: %d %v", token, w.Code, w.Header())
		}
		if w.Body.Len() != 0 || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%q: the answer may be kept: %v %s", token, w.Header(), w.Body)
		}
	}
}

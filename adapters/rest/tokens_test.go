package rest_test

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/rest"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

// personalToken makes a token of somebody who has just signed in.
func (w *marketFixture) personalToken(name string, scopes ...string) (user.Caller, string) {
	w.t.Helper()
	by := must.Get(w.Authenticator.Authenticate(w.t.Context(), w.as(name), authkit.Firefox))(w.t)
	must.Do(w.t, w.Store.Sessions.ProveSession(w.t.Context(), by.ID, by.Session, session.Password, w.Clock.Now()))
	return by, must.Get(w.PersonalTokens.Create(w.t.Context(), by, "script", scopes, time.Hour))(w.t)
}

func TestAPersonalTokenWithTheScopeMarketUsesTheAPIAsItsOwner(t *testing.T) {
	w := newMarketFixture(t)
	by, token := w.personalToken("ann", "market")
	w.post("/api/books/postBook", token, calculus()).wantStatus(201, "")
	w.get("/api/user/getUserData", token).wantStatus(200, "")
	w.post("/api/auth/logout", token, nil).wantStatus(403, "forbidden")
	_, reader := w.personalToken("ann", "openid", "email", "profile")
	w.get("/api/user/getUserData", reader).wantStatus(403, "forbidden")
	w.get("/api/user/getUserData", "", header("Cookie", "octavo_access="+token)).wantStatus(401, "unauthenticated")
	must.Do(t, w.PersonalTokens.Revoke(t.Context(), by, must.Get(w.PersonalTokens.List(t.Context(), by))(t)[0].ID))
	w.get("/api/user/getUserData", token).wantStatus(401, "unauthenticated")
}

func TestTheStreamOfAPersonalTokenEndsWhenTheTokenIsRevoked(t *testing.T) {
	w := newStreams(t, rest.Config{Heartbeat: quick().Heartbeat, MaxStreams: 2})
	by, token := w.personalToken("ann", "market")
	f := w.listen(token, "")
	f.until(": alive")
	f.until(": alive")
	must.Do(t, w.PersonalTokens.Revoke(t.Context(), by, must.Get(w.PersonalTokens.List(t.Context(), by))(t)[0].ID))
	if f.until("never") != "" {
		t.Error("the stream continued after its token was revoked")
	}
}

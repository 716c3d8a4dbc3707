package provider

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// Logout is a request of a client to sign its user out (OpenID Connect RP-Initiated Logout).
type Logout struct {
	Client   openid.Client // zero if unknown
	Expected bool          // an ID token proves that the client means the caller
	// Asks says that the person must agree first: any site can lead here, and whoever has found an
	// ID token in a log can present it.
	Asks      bool
	ReturnsTo string // where to send the user afterwards; "" if nowhere
	// Refusal is what is wrong with the request: the user may sign out all the same.
	Refusal error

	of  user.ID        // whose session of the client ends; 0 if none does
	sid user.SessionID // that session
}

// ReadLogout reads the parameters of a logout. An address that is not registered and invalid parameters
// are not used, and the user is asked, because they may sign out in any case.
func (a *Authorizations) ReadLogout(ctx context.Context, by user.Caller, p url.Values) (Logout, error) {
	l, err := a.readLogout(ctx, by, p)
	if err != nil || l.Expected && l.Refusal == nil {
		return l, err
	}
	if l.Asks = by.SignedIn(); !l.Asks {
		_, l.Asks, err = a.sessionToEnd(ctx, l)
	}
	return l, err
}

// sessionToEnd returns the session of the client that a logout ends; false if there is none any more.
func (a *Authorizations) sessionToEnd(ctx context.Context, l Logout) (session.Session, bool, error) {
	if l.of == 0 {
		return session.Session{}, false, nil
	}
	own, err := a.Sessions.FindSession(ctx, l.of, l.sid)
	if errors.Is(err, session.ErrNotFound) {
		return own, false, nil
	}
	return own, err == nil && own.Client == l.Client.ID, err
}

func (a *Authorizations) readLogout(ctx context.Context, by user.Caller, p url.Values) (Logout, error) {
	hint, err := a.idTokens.VerifyIDToken(p.Get("id_token_hint"))
	hinted := err == nil
	id := p.Get("client_id")
	switch {
	case !hinted && p.Get("id_token_hint") != "", hinted && id != "" && id != hint.Client:
		return Logout{Refusal: openid.ErrLogoutHint}, nil
	case hinted:
		id = hint.Client
	case id == "":
		return Logout{}, nil
	}
	client, err := a.reader.FindClient(ctx, id)
	if errors.Is(err, openid.ErrClientNotFound) {
		return Logout{Refusal: err}, nil
	}
	if err != nil {
		return Logout{}, err
	}
	l := Logout{Client: client}
	if hinted {
		l.Expected, l.of, l.sid = hint.User == by.ID, hint.User, hint.Session
	}
	switch to := p["post_logout_redirect_uri"]; {
	case len(to) == 1 && client.AllowsPostLogoutRedirect(to[0]):
		l.ReturnsTo = openid.WithState(to[0], p.Get("state"))
	case strings.Join(to, "") != "":
		l.Refusal = openid.ErrLogoutURI
	}
	return l, nil
}

// EndSession ends the caller's session, and that of the client which asked for it; everywhere also those of
// the other applications that were signed in to from the caller's session. It returns the pages that the
// browser must load so that applications without a back channel hear of it.
func (a *Authorizations) EndSession(ctx context.Context, by user.Caller, l Logout, everywhere bool) (pages []string, err error) {
	if pages, err = a.frontChannel(ctx, by, l, everywhere); err != nil {
		return nil, err
	}
	return pages, a.endSession(ctx, by, l, everywhere)
}

func (a *Authorizations) endSession(ctx context.Context, by user.Caller, l Logout, everywhere bool) error {
	if by.SignedIn() {
		if err := a.Hooks.SignOut(ctx, by, everywhere); err != nil {
			return err
		}
	}
	if l.of == 0 {
		return nil
	}
	// The application hears of it also if its session here has expired.
	err := a.Atomically(ctx, func(ctx context.Context, st *tx) error {
		return st.RecordSideEffects(ctx, auth.SideEffects{Logouts: a.LogoutOf(l.of, l.sid)})
	})
	if err != nil {
		return err
	}
	own, found, err := a.sessionToEnd(ctx, l)
	if err != nil || !found {
		return err
	}
	_, err = a.Sessions.RevokeSessions(ctx, l.of, []user.SessionID{own.ID}, a.Now(), auth.SideEffects{
		AuditEntries: []audit.Entry{a.AuditEntry(by, "session.signed_out", l.of, "session "+own.ID.String()+" of client "+own.Client)},
		Events:       a.SessionsEnded(l.of, event.SignedOut, own.ID),
	})
	return err
}

package provider

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/user"
)

// SignIn is a sign-in at an application.
type SignIn struct {
	Session user.SessionID // of the client
	User    user.ID
	Parent  user.SessionID // in which the user consented
	Client  string
	Until   time.Time // when it is forgotten
}

// MaxSignIns limits the sign-ins of a user at one client in one session of Octavo that are remembered.
const MaxSignIns = 20

// rememberSignIn is how long an application without a refresh token hears of the end of a sign-in. Its own
// session may last longer than ours, which ends with the access token.
const rememberSignIn = 30 * 24 * time.Hour

// LogoutClaims are the content of a logout token (OpenID Connect Back-Channel Logout, section 2.4).
type LogoutClaims struct {
	auth.EndedSession
	ID                  string // unique
	IssuedAt, ExpiresAt time.Time
}

// LogoutSender tells an application that a session has ended.
type LogoutSender interface {
	// SendLogout posts a logout token. Any answer but one of success is an error.
	SendLogout(ctx context.Context, uri, token string) error
}

// Logouts tells applications which of their sessions have ended.
type Logouts struct {
	*unit
	sender LogoutSender
}

// logoutLifetime is how long a logout token is valid: it is sent at once.
const logoutLifetime = 2 * time.Minute

// Tell does a job of the kind auth.LogoutJob. A client that was removed, or that does not want to be told
// any more, is not. Each attempt has a token of its own, because an application may have seen the one before.
func (l *Logouts) Tell(ctx context.Context, args string) error {
	var ended auth.EndedSession
	if err := json.Unmarshal([]byte(args), &ended); err != nil {
		return err
	}
	client, err := l.reader.FindClient(ctx, ended.Client)
	if errors.Is(err, openid.ErrClientNotFound) || err == nil && client.BackchannelLogoutURI == "" {
		return nil
	}
	if err != nil {
		return err
	}
	id, err := challenge.NewLink(l.Random)
	if err != nil {
		return err
	}
	now := l.Now()
	token, err := l.idTokens.SignLogoutToken(LogoutClaims{ended, id, now, now.Add(logoutLifetime)}, client.IDTokenAlg)
	if err != nil {
		return err
	}
	return l.sender.SendLogout(ctx, client.BackchannelLogoutURI, token)
}

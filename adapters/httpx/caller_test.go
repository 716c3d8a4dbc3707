package httpx_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/domain/user"
)

// revokedSession accepts the first check only, like a session that is revoked
// after it.
type revokedSession struct{ asked int }

func (f *revokedSession) Authenticate(context.Context, string, user.ClientInfo) (user.Caller, error) {
	if f.asked++; f.asked > 1 {
		return user.Caller{}, user.ErrUnauthenticated
	}
	return user.Caller{ID: 7}, nil
}

func TestReauthenticateNoticesARevokedSession(t *testing.T) {
	m := newMiddleware(t, httpx.Config{}, httpx.Options{Auth: &revokedSession{}})
	send(m, func(_ http.ResponseWriter, r *http.Request) {
		for range 2 {
			if by, err := httpx.CallerFrom(r.Context()); by.ID != 7 || err != nil {
				t.Errorf("the caller is %v, %v", by, err)
			}
		}
		if err := httpx.Reauthenticate(r.Context()); !errors.Is(err, user.ErrUnauthenticated) {
			t.Errorf("a revoked session is still valid: %v", err)
		}
	}, func(r *http.Request) { r.Header.Set("Authorization", "Bearer good") })
}

func TestReauthenticateRefusesARequestWithoutACredential(t *testing.T) {
	m := newMiddleware(t, httpx.Config{}, httpx.Options{Auth: &revokedSession{}})
	send(m, func(_ http.ResponseWriter, r *http.Request) {
		if err := httpx.Reauthenticate(r.Context()); !errors.Is(err, user.ErrUnauthenticated) {
			t.Errorf("got %v", err)
		}
	}, nil)
}

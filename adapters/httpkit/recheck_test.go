package httpkit_test

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/octavo-books/octavo/adapters/httpkit"
	"github.com/octavo-books/octavo/domain/user"
)

// fading holds for its first request only, as a session that is then revoked.
type fading struct{ asked int }

func (f *fading) Authenticate(context.Context, string, user.Source) (user.Caller, error) {
	if f.asked++; f.asked > 1 {
		return user.Caller{}, user.ErrUnauthenticated
	}
	return user.Caller{ID: 7}, nil
}

func TestATokenIsAskedAboutAgain(t *testing.T) {
	k := kit(t, httpkit.Config{}, httpkit.Options{Auth: &fading{}})
	send(k, func(_ http.ResponseWriter, r *http.Request) {
		for range 2 {
			if by, err := httpkit.CallerFrom(r.Context()); by.ID != 7 || err != nil {
				t.Errorf("the caller is %v, %v", by, err)
			}
		}
		if err := httpkit.Recheck(r.Context()); !errors.Is(err, user.ErrUnauthenticated) {
			t.Errorf("a revoked session still holds: %v", err)
		}
	}, func(r *http.Request) { r.Header.Set("Authorization", "Bearer good") })
}

func TestNothingPresentedDoesNotHold(t *testing.T) {
	k := kit(t, httpkit.Config{}, httpkit.Options{Auth: &fading{}})
	send(k, func(_ http.ResponseWriter, r *http.Request) {
		if err := httpkit.Recheck(r.Context()); !errors.Is(err, user.ErrUnauthenticated) {
			t.Errorf("nobody holds: %v", err)
		}
	}, nil)
}

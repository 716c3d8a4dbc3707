package auth_test

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/stores"
)

func TestAClockThatJumpsSignsNobodyOutAndLocksNobodyOut(t *testing.T) {
	for name, jump := range map[string]time.Duration{"back": -time.Hour, "forward": time.Hour} {
		t.Run(name, func(t *testing.T) {
			k := authkit.New(t, onSQLite(t), nil)
			k.CreateUser(t, "ada@rit.edu")
			for range 30 { // so that the limits of this address have counts
				k.SignIn(t, "ada@rit.edu")
			}
			g := k.SignIn(t, "ada@rit.edu")
			k.Clock.Advance(jump)
			next, err := k.Sessions.Refresh(t.Context(), g.RefreshToken, authkit.Firefox)
			if err != nil {
				t.Fatalf("refresh: %v", err)
			}
			k.CallerOf(t, next)
			if again, err := k.Sessions.Refresh(t.Context(), g.RefreshToken, authkit.Firefox); err != nil || again.RefreshToken != next.RefreshToken {
				t.Errorf("a parallel refresh with the same token: %v", err)
			}
			k.Clock.Advance(time.Minute)
			k.SignIn(t, "ada@rit.edu")
			k.CreateUser(t, "ben@rit.edu")
		})
	}
}

func onSQLite(t testing.TB) authkit.Stores {
	t.Helper()
	return stores.SQLite(t).Auth(t)
}

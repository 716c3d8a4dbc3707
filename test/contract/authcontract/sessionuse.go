package authcontract

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func lastUsed(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	g := k.SignIn(t, "ann@example.org")
	seen := func() time.Duration {
		all := must.Get(k.Store.Sessions.ListSessions(ctx, g.User.ID))(t)
		return all[0].LastUsedAt.Sub(g.Session.CreatedAt)
	}
	k.Clock.Advance(59 * time.Second)
	k.CallerOf(t, g)
	if d := seen(); d != 0 {
		t.Fatalf("stored after %s, want 0", d)
	}
	k.Clock.Advance(time.Second)
	if _, err := k.Authenticator.Introspect(ctx, g.AccessToken); err != nil || seen() != 0 {
		t.Fatalf("introspection counts as a use: %v, %v", err, seen())
	}
	k.CallerOf(t, g)
	if d := seen(); d != time.Minute {
		t.Fatalf("last used after %s, want %s", d, time.Minute)
	}
}

func usedAlone(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	idle := k.SignIn(t, "ann@example.org")
	k.Clock.Advance(time.Second)
	g := k.SignIn(t, "ann@example.org")
	began := k.Clock.Now()
	for range 59 {
		k.Clock.Advance(time.Second)
		k.CallerOf(t, g)
		one := must.Get(k.Store.Sessions.FindSession(ctx, g.User.ID, g.Session.ID))(t)
		if !one.LastUsedAt.Equal(began) {
			t.Fatalf("stored at %s beside session %s", one.LastUsedAt, idle.Session.ID)
		}
	}
}

func listedByUse(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	first := k.SignIn(t, "ann@example.org")
	k.Clock.Advance(time.Second)
	k.SignIn(t, "ann@example.org")
	k.Clock.Advance(time.Second)
	by := k.CallerOf(t, first)
	list := must.Get(k.Sessions.List(ctx, by, by.ID))(t)
	if len(list) != 2 || list[0].ID != first.Session.ID {
		t.Fatalf("list is %+v", list)
	}
}

func usedWithinAMinute(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	var all []auth.TokenPair
	for range k.Config.MaxSessions {
		all = append(all, k.SignIn(t, "ann@example.org"))
		k.Clock.Advance(time.Millisecond)
	}
	for _, i := range []int{1, 0, 1, 0} { // the third is the least recently used
		k.Clock.Advance(50 * time.Microsecond)
		k.CallerOf(t, all[i])
	}
	k.Clock.Advance(50 * time.Microsecond)
	for _, next := range []int{2, 1, 0} {
		k.SignIn(t, "ann@example.org")
		assertRevoked(t, k, all[next])
		k.Clock.Advance(50 * time.Microsecond)
	}
}

func introspect(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	g := k.SignIn(t, "ann@example.org")
	info := must.Get(k.Authenticator.Introspect(ctx, g.AccessToken))(t)
	if !info.Active || info.User != g.User.ID || info.Session != g.Session.ID || !info.ExpiresAt.Equal(k.Clock.Now().Add(20*time.Minute)) {
		t.Fatalf("info is %+v", info)
	}
	must.Get(k.Users.SetRole(ctx, k.CreateCaller(t, "root@example.org", user.Owner), g.User.ID, user.Admin))(t)
	if info, err := k.Authenticator.Introspect(ctx, g.AccessToken); err != nil || !info.Active || info.Role != user.Regular {
		t.Fatalf("the token of a regular user is %+v, %v after a promotion", info, err)
	}
	for _, token := range []string{"", "x", g.RefreshToken} {
		if info, err := k.Authenticator.Introspect(ctx, token); err != nil || info.Active {
			t.Fatalf("%q is %+v, %v", token, info, err)
		}
	}
	k.Clock.Advance(20 * time.Minute)
	if info, err := k.Authenticator.Introspect(ctx, g.AccessToken); err != nil || info.Active {
		t.Fatalf("expired: %+v, %v", info, err)
	}
}

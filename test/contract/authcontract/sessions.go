package authcontract

import (
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/auth/signin"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func sessionCases(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"parallel refreshes with one token return the same next one":   parallelRefresh,
		"a lost response does not end the session":                     lostResponse,
		"an old refresh token ends its session and no other":           theft,
		"a used token ends its session once its successor has arrived": usedToken,
		"forged refresh tokens change nothing":                         forgedTokens,
		"a session expires when it is idle, later if remembered":       idle,
		"a session expires after a year even if it is used":            absolute,
		"too many sessions revoke the least recently used":             tooManySessions,
		"users list and revoke only their own sessions":                devices,
		"a session ends when its user signs out":                       signOut,
		"all sessions of a user end who signs out of all":              signOutOfAll,
		"the time of last use is stored to the minute":                 lastUsed,
		"a session used alone is stored once a minute":                 usedAlone,
		"the most recently used session is listed first":               listedByUse,
		"a token can be introspected":                                  introspect,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
	t.Run("concurrent sign-ins do not exceed the number of sessions", func(t *testing.T) {
		signInsAtOnce(t, authkit.New(t, open(t), func(_ *authrooms.Ports, c *auth.Config) { c.MaxSessions = 3 }))
	})
	t.Run("the least recently used session is exact within a minute", func(t *testing.T) {
		usedWithinAMinute(t, authkit.New(t, open(t), func(_ *authrooms.Ports, c *auth.Config) { c.MaxSessions = 3 }))
	})
	t.Run("concurrent right passwords are never limited", func(t *testing.T) { rightPasswordsAtOnce(t, authkit.New(t, open(t), nil)) })
	t.Run("of many concurrent wrong passwords ten are compared", func(t *testing.T) { wrongPasswordsAtOnce(t, authkit.New(t, open(t), nil)) })
	t.Run("of many concurrent wrong codes five are compared", func(t *testing.T) { wrongCodesAtOnce(t, authkit.New(t, open(t), nil)) })
	t.Run("of many concurrent right codes one succeeds", func(t *testing.T) { rightCodesAtOnce(t, authkit.New(t, open(t), nil)) })
	t.Run("of many concurrent acceptances of an invitation one succeeds", func(t *testing.T) { acceptancesAtOnce(t, authkit.New(t, open(t), nil)) })
	t.Run("concurrent sign-ups with one password keep it", func(t *testing.T) { signUpsAtOnce(t, authkit.New(t, open(t), nil)) })
	t.Run("transactions with the lock of one address are serialized", func(t *testing.T) { addressLock(t, open(t)) })
	t.Run("a concurrent refresh does not survive a revocation", func(t *testing.T) { refreshRacesRevoke(t, authkit.New(t, open(t), nil)) })
}

func refresh(t *testing.T, k *authkit.Fixture, token string) auth.TokenPair {
	t.Helper()
	return must.Get(k.Sessions.Refresh(ctx, token, authkit.Firefox))(t)
}

func parallelRefresh(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	g := k.SignIn(t, "ann@example.org")
	const tabs = 50
	next, errs := make([]string, tabs), make([]error, tabs)
	must.Together(tabs, func(i int) {
		g, err := k.Sessions.Refresh(ctx, g.RefreshToken, authkit.Firefox)
		next[i], errs[i] = g.RefreshToken, err
	})
	for i := range tabs {
		if errs[i] != nil || next[i] != next[0] || next[i] == g.RefreshToken {
			t.Fatalf("tab %d: %q and %v, the first %q", i, next[i], errs[i], next[0])
		}
	}
	k.CallerOf(t, refresh(t, k, next[0]))
}

func lostResponse(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	g := k.SignIn(t, "ann@example.org")
	k.CallerOf(t, g)
	lost := refresh(t, k, g.RefreshToken)
	k.Clock.Advance(8 * time.Hour) // the laptop slept
	again := refresh(t, k, g.RefreshToken)
	if again.RefreshToken != lost.RefreshToken || again.Session.ID != g.Session.ID {
		t.Fatal("the successor differs")
	}
	k.CallerOf(t, refresh(t, k, again.RefreshToken))
}

func theft(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	stolen, other := k.SignIn(t, "ann@example.org"), k.SignIn(t, "ann@example.org")
	second := refresh(t, k, stolen.RefreshToken)
	third := refresh(t, k, second.RefreshToken)
	want(t, must.Err(k.Sessions.Refresh(ctx, stolen.RefreshToken, authkit.Chrome)), session.ErrInvalid)
	assertRevoked(t, k, third)
	k.CallerOf(t, refresh(t, k, other.RefreshToken))
	if mails := k.Mails(message.SessionEnded, "ann@example.org"); len(mails) != 1 || mails[0].Params[message.ParamIP] != authkit.Chrome.IP {
		t.Fatalf("mails are %+v", mails)
	}
	owner := k.CreateCaller(t, "root@example.org", user.Owner)
	log := must.Get(k.Users.AuditLog(ctx, owner, account.AuditQuery{AuditFilter: account.AuditFilter{User: stolen.User.ID}, First: 100}))(t)
	n := 0
	for _, e := range log.Entries {
		if e.Action == "session.reused" && e.IP == authkit.Chrome.IP {
			n++
		}
	}
	if n != 1 {
		t.Fatalf("%d audit entries about the theft, want 1: %+v", n, log.Entries)
	}
}

func usedToken(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	g := k.SignIn(t, "ann@example.org")
	next := refresh(t, k, g.RefreshToken)
	k.CallerOf(t, next) // the successor's access token has arrived
	k.Clock.Advance(session.GracePeriod)
	refresh(t, k, g.RefreshToken)
	k.Clock.Advance(time.Microsecond)
	want(t, must.Err(k.Sessions.Refresh(ctx, g.RefreshToken, authkit.Firefox)), session.ErrInvalid)
	assertRevoked(t, k, next)
}

func forgedTokens(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	k.CreateUser(t, "bob@example.org")
	ann, bob := k.SignIn(t, "ann@example.org"), k.SignIn(t, "bob@example.org")
	genuine := must.Get(session.ParseToken(ann.RefreshToken))(t)
	forged := []session.Token{genuine, genuine, genuine, genuine, genuine}
	forged[0].Number += 5
	forged[1].Tag[3] ^= 1
	forged[2].ClientSecret[0] ^= 1
	forged[3].User = bob.User.ID
	forged[4].Session = bob.Session.ID
	texts := []string{"", "x", ann.AccessToken, ann.RefreshToken + "A", strings.Repeat("A", 72), strings.ToUpper(ann.RefreshToken)}
	for _, f := range forged {
		texts = append(texts, f.String())
	}
	for _, text := range texts {
		want(t, must.Err(k.Sessions.Refresh(ctx, text, authkit.Chrome)), session.ErrInvalid)
	}
	k.CallerOf(t, refresh(t, k, ann.RefreshToken))
	k.CallerOf(t, refresh(t, k, bob.RefreshToken))
}

func idle(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	short := k.SignIn(t, "ann@example.org")
	long := must.Get(k.SignIns.SignIn(ctx, signin.Request{Email: "ann@example.org", Password: authkit.Password, Remember: true, From: authkit.Firefox}))(t)
	if d := long.Session.ExpiresAt().Sub(k.Clock.Now()); d != 30*24*time.Hour {
		t.Fatalf("a remembered session expires after %s", d)
	}
	k.Clock.Advance(24*time.Hour - time.Second)
	short = refresh(t, k, short.RefreshToken)
	k.Clock.Advance(24 * time.Hour)
	assertRevoked(t, k, short)
	k.Clock.Advance(28 * 24 * time.Hour)
	long = refresh(t, k, long.RefreshToken)
	k.Clock.Advance(30 * 24 * time.Hour)
	assertRevoked(t, k, long)
	if mails := k.Mails(message.SessionEnded, "ann@example.org"); len(mails) != 0 {
		t.Fatalf("an expired session is mailed as theft: %+v", mails)
	}
}

func absolute(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	g := must.Get(k.SignIns.SignIn(ctx, signin.Request{Email: "ann@example.org", Password: authkit.Password, Remember: true, From: authkit.Firefox}))(t)
	start := k.Clock.Now()
	for range 18 {
		k.Clock.Advance(20 * 24 * time.Hour)
		g = refresh(t, k, g.RefreshToken)
	}
	if at := g.Session.ExpiresAt(); !at.Equal(start.Add(365 * 24 * time.Hour)) {
		t.Fatalf("expires at %s", at)
	}
	k.Clock.Advance(5 * 24 * time.Hour)
	assertRevoked(t, k, g)
}

func tooManySessions(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	var all []auth.TokenPair
	for range k.Config.MaxSessions {
		all = append(all, k.SignIn(t, "ann@example.org"))
		k.Clock.Advance(time.Minute)
	}
	k.CallerOf(t, all[0]) // used, so the second is the least recently used
	all = append(all, k.SignIn(t, "ann@example.org"))
	assertRevoked(t, k, all[1])
	by := k.CallerOf(t, all[0])
	k.CallerOf(t, all[len(all)-1])
	list := must.Get(k.Sessions.List(ctx, by, by.ID))(t)
	if len(list) != k.Config.MaxSessions {
		t.Fatalf("%d sessions, want %d", len(list), k.Config.MaxSessions)
	}
}

func devices(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	ann, bob := k.CallerOf(t, k.SignIn(t, "ann@example.org")), k.CreateCaller(t, "bob@example.org", user.Regular)
	k.Clock.Advance(time.Second)
	second := must.Get(signIn(k, "ann@example.org", authkit.Password, authkit.Chrome))(t)
	third := k.SignIn(t, "ann@example.org")
	list := must.Get(k.Sessions.List(ctx, ann, ann.ID))(t)
	if len(list) != 3 || list[2].ID != ann.Session {
		t.Fatalf("list is %+v", list)
	}
	for _, s := range list {
		if s.ID == second.Session.ID && (s.Device.Browser != "Chrome" || s.Device.OS != "Windows" || s.IP != authkit.Chrome.IP || s.UserAgent != authkit.Chrome.UserAgent) {
			t.Fatalf("device is %+v", s)
		}
	}
	want(t, must.Err(k.Sessions.List(ctx, bob, ann.ID)), user.ErrForbidden)
	want(t, must.Err(k.Sessions.List(ctx, user.Caller{}, 0)), user.ErrUnauthenticated)
	want(t, k.Sessions.Revoke(ctx, bob, second.Session.ID), session.ErrNotFound)
	want(t, k.Sessions.Revoke(ctx, user.Caller{}, second.Session.ID), user.ErrUnauthenticated)
	must.Do(t, k.Sessions.Revoke(ctx, ann, second.Session.ID))
	want(t, k.Sessions.Revoke(ctx, ann, second.Session.ID), session.ErrNotFound)
	assertRevoked(t, k, second)
	n := must.Get(k.Sessions.RevokeOthers(ctx, ann))(t)
	if n != 1 {
		t.Fatalf("%d others, want 1", n)
	}
	assertRevoked(t, k, third)
	if n, err := k.Sessions.RevokeOthers(ctx, ann); n != 0 || err != nil {
		t.Fatalf("%d others, %v; want 0", n, err)
	}
	list = must.Get(k.Sessions.List(ctx, ann, ann.ID))(t)
	if len(list) != 1 || list[0].ID != ann.Session {
		t.Fatalf("list is %+v", list)
	}
}

func signOutOfAll(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	eve := k.CreateCaller(t, "eve@example.org", user.Regular)
	g, other := k.SignIn(t, "ann@example.org"), k.SignIn(t, "ann@example.org")
	by := k.CallerOf(t, g)
	for range 2 {
		must.Do(t, k.Sessions.SignOutOfAll(ctx, by))
	}
	assertRevoked(t, k, g)
	assertRevoked(t, k, other)
	must.Get(k.Users.Me(ctx, eve))(t)
	must.Do(t, k.Sessions.SignOutOfAll(ctx, user.Caller{}))
	limited := eve
	limited.Client, limited.Scopes = "1", "openid"
	want(t, k.Sessions.SignOutOfAll(ctx, limited), user.ErrForbidden)
	k.CallerOf(t, k.SignIn(t, "ann@example.org")) // a new one begins
}

func signOut(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	g, other := k.SignIn(t, "ann@example.org"), k.SignIn(t, "ann@example.org")
	must.Do(t, k.Sessions.SignOut(ctx, k.CallerOf(t, g)))
	assertRevoked(t, k, g)
	k.CallerOf(t, other)
	must.Do(t, k.Sessions.SignOut(ctx, user.Caller{}))
}

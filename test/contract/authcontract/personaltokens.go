package authcontract

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/sessions"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

// PersonalTokens tests sessions.Reader and sessions.Store, and what people do with their tokens.
func PersonalTokens(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"a token is found as it was added and used, until it is deleted": personalTokenRoundTrip,
		"expired tokens are swept, and a deleted user leaves none":       personalTokensGone,
		"a token acts as its owner in the market and nowhere else":       personalTokenActs,
		"a token neither proves anything nor makes another token":        personalTokenProvesNothing,
		"a token ends when it is revoked or expires":                     personalTokenEnds,
		"a token ends with all sessions of its owner":                    personalTokenEndsWithSessions,
		"a token needs a proof, a name, known scopes and room":           personalTokenRefusals,
		"a token does not outlive the undoing of a theft":                personalTokenOfAThief,
		"tokens that are made at once are no more than the limit":        personalTokensInParallel,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
}

func tokenStore(t *testing.T, k *authkit.Fixture, fn func(sessions.Store) error) error {
	t.Helper()
	return k.Store.Identity.Atomically(ctx, func(_ context.Context, st auth.Stores) error {
		return fn(k.Store.Identity.SessionRoomStore(st))
	})
}

func personalTokenRoundTrip(t *testing.T, k *authkit.Fixture) {
	addUser(t, k.Store, 3)
	s := k.Store.Identity
	one := session.PersonalToken{
		ID: 11, User: 3, Name: "Lucy’s script", Scopes: "openid market", Digest: [32]byte{1}, Factors: 2, Epoch: 4, CreatedAt: monday, ExpiresAt: monday.Add(time.Hour),
	}
	two := one
	two.ID, two.Digest = 12, [32]byte{2}
	for _, token := range []session.PersonalToken{two, one} {
		must.Do(t, tokenStore(t, k, func(st sessions.Store) error { return st.AddPersonalToken(ctx, token) }))
	}
	for _, at := range []time.Time{monday.Add(time.Minute), monday} { // the second finished late
		must.Do(t, tokenStore(t, k, func(st sessions.Store) error { return st.TouchPersonalToken(ctx, 11, at) }))
	}
	one.LastUsedAt = monday.Add(time.Minute)
	if found, err := s.FindPersonalToken(ctx, one.Digest); err != nil || found.PersonalToken != one || found.UserEpoch != 0 || found.Student {
		t.Errorf("found %+v, %v", found, err)
	}
	if all, err := s.ListPersonalTokens(ctx, 3); err != nil || !reflect.DeepEqual(all, []session.PersonalToken{one, two}) {
		t.Errorf("listed %+v, %v", all, err)
	}
	wantPersonalTokens(t, k, 4, monday, 2)
	wantPersonalTokens(t, k, 5, monday, 0)
	wantPersonalTokens(t, k, 0, one.ExpiresAt.Add(-time.Microsecond), 2)
	wantPersonalTokens(t, k, 0, one.ExpiresAt, 0)
	lifetimes := must.Get(s.FindPersonalTokenLifetimes(ctx, []user.SessionID{11, 99}))(t)
	if len(lifetimes) != 1 || !lifetimes[11].ExpiresAt().Equal(one.ExpiresAt) || lifetimes[11].Epoch != 4 {
		t.Errorf("lifetimes are %+v", lifetimes)
	}
	want(t, tokenStore(t, k, func(st sessions.Store) error { return st.DeletePersonalToken(ctx, 4, 11) }), session.ErrPersonalTokenNotFound)
	must.Do(t, tokenStore(t, k, func(st sessions.Store) error { return st.DeletePersonalToken(ctx, 3, 11) }))
	want(t, must.Err(s.FindPersonalToken(ctx, one.Digest)), session.ErrPersonalTokenNotFound)
}

// wantPersonalTokens counts the active tokens of user 3.
func wantPersonalTokens(t *testing.T, k *authkit.Fixture, epoch int64, at time.Time, n int) {
	t.Helper()
	must.Do(t, tokenStore(t, k, func(st sessions.Store) error {
		if count, err := st.CountPersonalTokens(ctx, 3, epoch, at); err != nil || count != n {
			t.Errorf("with epoch %d at %v: %d, %v; want %d", epoch, at, count, err, n)
		}
		return nil
	}))
}

func personalTokensInParallel(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@u.edu")
	by := proved(t, k, "ann@u.edu")
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range session.MaxPersonalTokens/4 + 2 {
				if _, err := k.PersonalTokens.Create(ctx, by, "n", []string{"openid"}, time.Hour); err != nil && !errors.Is(err, session.ErrTooManyPersonalTokens) {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	if made, err := k.PersonalTokens.List(ctx, by); err != nil || len(made) != session.MaxPersonalTokens {
		t.Errorf("%d tokens, %v", len(made), err)
	}
}

func personalTokensGone(t *testing.T, k *authkit.Fixture) {
	ann := k.CreateUser(t, "ann@u.edu").ID
	by := proved(t, k, "ann@u.edu")
	short := must.Get(k.PersonalTokens.Create(ctx, by, "short", []string{"openid"}, time.Minute))(t)
	long := must.Get(k.PersonalTokens.Create(ctx, by, "long", []string{"openid"}, time.Hour))(t)
	k.Clock.Advance(time.Minute)
	must.Do(t, k.Housekeeping.DeleteExpired(ctx))
	want(t, must.Err(k.Store.Identity.FindPersonalToken(ctx, session.PersonalTokenDigest(short))), session.ErrPersonalTokenNotFound)
	must.Get(k.Store.Identity.FindPersonalToken(ctx, session.PersonalTokenDigest(long)))(t)
	must.Do(t, k.Store.Identity.Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
		return k.Store.Identity.AccountStore(st).EraseUsers(ctx, []user.ID{ann}, monday)
	}))
	if all, err := k.Store.Identity.ListPersonalTokens(ctx, ann); err != nil || len(all) != 0 {
		t.Errorf("a deleted user has %+v, %v", all, err)
	}
}

// newToken makes a token and authenticates it.
func newToken(t *testing.T, k *authkit.Fixture, by user.Caller, scopes ...string) (string, user.Caller) {
	t.Helper()
	token := must.Get(k.PersonalTokens.Create(ctx, by, "script", scopes, time.Hour))(t)
	return token, must.Get(k.Authenticator.Authenticate(ctx, token, authkit.Chrome))(t)
}

func personalTokenActs(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@u.edu")
	must.Get(k.Users.Promote(ctx, "ann@u.edu", user.Admin))(t)
	by := proved(t, k, "ann@u.edu")
	must.Get(k.Users.UpdateProfile(ctx, by, fullProfile()))(t)
	token, script := newToken(t, k, by, "market", "openid", "email")
	want(t, script.MustBe(user.Regular), user.ErrForbidden)
	in := script.InMarket()
	if in.ID != by.ID || in.Role != user.Admin || !in.Student || in.MustBe(user.Admin) != nil || in.MustBeInPerson() == nil || in.From != authkit.Chrome {
		t.Errorf("in the market it is %+v", in)
	}
	if u, err := k.Users.MeWithin(ctx, script); err != nil || u.Email != "ann@u.edu" || u.Name != "" {
		t.Errorf("it reads %+v, %v", u, err)
	}
	if about, err := k.Authenticator.About(ctx, token, authkit.Chrome); err != nil || about.Email != "ann@u.edu" || about.GivenName != "" {
		t.Errorf("userinfo is %+v, %v", about, err)
	}
	if all, err := k.PersonalTokens.List(ctx, by); err != nil || len(all) != 1 || all[0].Scopes != "openid email market" || !all[0].LastUsedAt.Equal(k.Clock.Now()) {
		t.Errorf("listed %+v, %v", all, err)
	}
	other, reader := newToken(t, k, by, "email")
	if reader = reader.InMarket(); reader.SignedIn() {
		t.Errorf("without the scope market it is %+v there", reader)
	}
	want(t, must.Err(k.Authenticator.About(ctx, other, authkit.Chrome)), openid.ErrInsufficientScope)
	if ended, err := k.Authenticator.EndedSessions(ctx, []user.Caller{by, in}); err != nil || len(ended) != 0 {
		t.Errorf("ended are %v, %v", ended, err)
	}
	if text := string(must.Get(k.Exports.Mine(ctx, by))(t)); !strings.Contains(text, `{"name":"script","scopes":"openid email market",`) {
		t.Errorf("the export is %s", text)
	}
}

func personalTokenProvesNothing(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@u.edu")
	must.Get(k.Users.Promote(ctx, "ann@u.edu", user.Owner))(t)
	by := proved(t, k, "ann@u.edu")
	bob := k.CreateUser(t, "bob@u.edu").ID
	_, script := newToken(t, k, by, "market", "openid")
	in := script.InMarket()
	for name, err := range map[string]error{
		"make a token":           must.Err(k.PersonalTokens.Create(ctx, in, "more", []string{"openid"}, time.Hour)),
		"revoke a token":         k.PersonalTokens.Revoke(ctx, in, in.Session),
		"change the password":    k.Passwords.Change(ctx, in, authkit.Password, otherPassword),
		"change the address":     k.EmailChanges.Request(ctx, in, "ann@v.edu"),
		"set up an app":          must.Err(k.SecondFactors.Start(ctx, in)),
		"add a passkey":          must.Err(k.Passkeys.BeginRegistration(ctx, in, "key")),
		"export everything":      must.Err(k.Exports.Mine(ctx, in)),
		"end a session":          k.Sessions.Revoke(ctx, in, by.Session),
		"end all sessions":       must.Err(k.Sessions.RevokeOthers(ctx, in)),
		"sign out":               k.Sessions.SignOut(ctx, in),
		"make somebody an owner": must.Err(k.Users.SetRole(ctx, in, bob, user.Owner)),
	} {
		must.Refuse(t, err, user.ErrForbidden, "a token could "+name)
	}
}

func personalTokenEnds(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@u.edu")
	k.CreateUser(t, "eve@u.edu")
	by, eve := proved(t, k, "ann@u.edu"), proved(t, k, "eve@u.edu")
	token, script := newToken(t, k, by, "market", "openid")
	other, _ := newToken(t, k, by, "market")
	want(t, k.PersonalTokens.Revoke(ctx, eve, script.Session), session.ErrPersonalTokenNotFound)
	must.Do(t, k.PersonalTokens.Revoke(ctx, by, script.Session))
	want(t, k.PersonalTokens.Revoke(ctx, by, script.Session), session.ErrPersonalTokenNotFound)
	want(t, must.Err(k.Authenticator.Authenticate(ctx, token, authkit.Chrome)), user.ErrUnauthenticated)
	want(t, must.Err(k.Authenticator.About(ctx, token, authkit.Chrome)), openid.ErrInvalidToken)
	if ended, err := k.Authenticator.EndedSessions(ctx, []user.Caller{by, script}); err != nil || len(ended) != 1 || ended[0] != script.Session {
		t.Errorf("ended are %v, %v", ended, err)
	}
	must.Get(k.Authenticator.Authenticate(ctx, other, authkit.Chrome))(t)
	k.Clock.Advance(time.Hour)
	want(t, must.Err(k.Authenticator.Authenticate(ctx, other, authkit.Chrome)), user.ErrUnauthenticated)
	for _, forged := range []string{"oct_", "oct_" + strings.Repeat("A", 43), token + "A", strings.ToUpper(token)} {
		want(t, must.Err(k.Authenticator.Authenticate(ctx, forged, authkit.Chrome)), user.ErrUnauthenticated)
	}
}

func personalTokenEndsWithSessions(t *testing.T, k *authkit.Fixture) {
	owner := k.CreateCaller(t, "root@u.edu", user.Owner)
	for name, end := range map[string]func(user.Caller) error{
		"changed":   func(by user.Caller) error { return k.Passwords.Change(ctx, by, authkit.Password, otherPassword) },
		"suspended": func(by user.Caller) error { return must.Err(k.Users.Suspend(ctx, owner, by.ID, "why")) },
		"ended":     func(by user.Caller) error { return must.Err(k.Users.EndSessions(ctx, owner, by.ID)) },
		"deleted":   func(by user.Caller) error { return must.Err(k.Users.Delete(ctx, owner, []user.ID{by.ID})) },
	} {
		k.CreateUser(t, name+"@u.edu")
		by := proved(t, k, name+"@u.edu")
		token, _ := newToken(t, k, by, "market")
		must.Do(t, end(by))
		must.Refuse(t, must.Err(k.Authenticator.Authenticate(ctx, token, authkit.Chrome)), user.ErrUnauthenticated, name)
	}
}

func personalTokenRefusals(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@u.edu")
	by := proved(t, k, "ann@u.edu")
	make := func(name, scopes string, lifetime time.Duration) error {
		return must.Err(k.PersonalTokens.Create(ctx, by, name, strings.Fields(scopes), lifetime))
	}
	want(t, make("", "openid", time.Hour), session.ErrPersonalTokenName)
	want(t, make("two\nlines", "openid", time.Hour), session.ErrPersonalTokenName)
	want(t, make(strings.Repeat("n", 101), "openid", time.Hour), session.ErrPersonalTokenName)
	want(t, make("n", "", time.Hour), session.ErrPersonalTokenScope)
	want(t, make("n", "openid admin", time.Hour), session.ErrPersonalTokenScope)
	want(t, make("n", "openid", 0), session.ErrPersonalTokenLifetime)
	want(t, make("n", "openid", session.MaxPersonalTokenLifetime+1), session.ErrPersonalTokenLifetime)
	for range session.MaxPersonalTokens {
		must.Do(t, make("n", "openid", time.Minute))
	}
	want(t, make("n", "openid", time.Hour), session.ErrTooManyPersonalTokens)
	k.Clock.Advance(time.Minute)
	must.Do(t, make("n", "openid", time.Hour)) // the others have expired
	k.Clock.Advance(session.ProofLifetime)
	want(t, make("n", "openid", time.Hour), user.ErrProofNeeded)
	want(t, must.Err(k.PersonalTokens.Create(ctx, user.Caller{}, "n", []string{"openid"}, time.Hour)), user.ErrUnauthenticated)
}

func personalTokenOfAThief(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@u.edu")
	by := proved(t, k, "ann@u.edu")
	must.Do(t, k.EmailChanges.Request(ctx, by, "eve@u.edu"))
	undo := undoToken(t, k.LastMail(t, message.EmailChanged, "ann@u.edu"))
	must.Get(k.EmailChanges.Confirm(ctx, by, k.LastMail(t, message.EmailChange, "eve@u.edu").Code))(t)
	token, _ := newToken(t, k, by, "market")
	must.Do(t, k.EmailChanges.Undo(ctx, undo, authkit.Firefox))
	want(t, must.Err(k.Authenticator.Authenticate(ctx, token, authkit.Chrome)), user.ErrUnauthenticated)
	want(t, must.Err(k.Store.Identity.FindPersonalToken(ctx, session.PersonalTokenDigest(token))), session.ErrPersonalTokenNotFound)
}

package authcontract

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/auth/factors"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/passkey"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

// takeoverCases are actions of a thief at the moment in which the owner takes an account back.
func takeoverCases(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture, *interruption){
		"a thief's passkey does not sign in while the owner removes it":              undoWhilePasskeySignsIn,
		"a thief registers no passkey while the owner undoes the rest":               undoWhilePasskeyIsAdded,
		"a thief's consent to an application does not outlive the undoing":           undoRemovesConsents,
		"a thief consents to no application while the owner undoes the rest":         undoWhileConsenting,
		"a thief's authenticator app is not turned on while the owner undoes":        undoWhileTotpIsConfirmed,
		"a thief's sign-in at a service does not outlive the undoing with its roles": undoWhileRulesApply,
		"a thief does not move the account while the owner resets the password":      resetWhileMoving,
		"a thief's request to delete the account ends when the owner undoes theirs":  undoWhileLeaving,
	} {
		t.Run(name, func(t *testing.T) {
			in := &interruption{}
			test(t, authkit.New(t, open(t), func(p *authrooms.Ports, _ *auth.Config) {
				p.Storage, p.PasskeyVerifier, p.Sessions = interruptedStorage{p.Storage, in}, interruptedVerifier{p.PasskeyVerifier, in}, interruptedSessions{p.Sessions, in}
			}), in)
		})
	}
}

// interruption runs something once in the middle of a use case.
type interruption struct {
	at string
	do func()
}

func (i *interruption) reach(point string) {
	if do := i.do; do != nil && point == i.at {
		i.do = nil
		do()
	}
}

// arm interrupts at a point with the owner's undoing of a change of address.
func (i *interruption) arm(t *testing.T, k *authkit.Fixture, point, undo string) {
	t.Helper()
	i.at, i.do = point, func() { must.Do(t, k.EmailChanges.Undo(ctx, undo, authkit.Chrome)) }
	t.Cleanup(func() {
		if i.do != nil {
			t.Errorf("%s was not reached", point)
		}
	})
}

type interruptedStorage struct {
	authrooms.Storage
	*interruption
}

func (u interruptedStorage) FindUser(ctx context.Context, id user.ID) (user.User, error) {
	u.reach("find user")
	return u.Storage.FindUser(ctx, id)
}

func (u interruptedStorage) ListLabels(ctx context.Context, of user.ID) ([]user.Label, error) {
	u.reach("list labels")
	return u.Storage.ListLabels(ctx, of)
}

type interruptedVerifier struct {
	factors.PasskeyVerifier
	*interruption
}

func (v interruptedVerifier) FinishRegistration(u user.User, state []byte, response json.RawMessage) (passkey.Credential, error) {
	v.reach("verify a registration")
	return v.PasskeyVerifier.FinishRegistration(u, state, response)
}

type interruptedSessions struct {
	auth.SessionStore
	*interruption
}

func (s interruptedSessions) FindSession(ctx context.Context, of user.ID, id user.SessionID) (session.Session, error) {
	found, err := s.SessionStore.FindSession(ctx, of, id)
	s.reach("session found")
	return found, err
}

// stolen returns the session of a thief after a change of ann's address, and the undo link in her
// mail.
func stolen(t *testing.T, k *authkit.Fixture) (thief user.Caller, undo string) {
	t.Helper()
	thief, undo = changed(t, k)
	k.Clock.Advance(time.Minute)
	prove(t, k, thief)
	return thief, undo
}

func undoWhilePasskeySignsIn(t *testing.T, k *authkit.Fixture, in *interruption) {
	thief, undo := stolen(t, k)
	key := newKey()
	register(t, k, thief, key)
	c := must.Get(k.Passkeys.BeginSignIn(ctx, authkit.Firefox))(t)
	in.arm(t, k, "find user", undo)
	if g, err := k.Passkeys.FinishSignIn(ctx, c.ID, key.Sign(c.Options), false, authkit.Firefox); err == nil {
		want(t, must.Err(k.Authenticator.Authenticate(ctx, g.AccessToken, authkit.Firefox)), user.ErrUnauthenticated)
	}
	all, err := k.Sessions.List(ctx, admin, thief.ID)
	if err != nil || len(all) != 0 {
		t.Fatalf("the account has the sessions %+v, %v", all, err)
	}
}

func undoWhilePasskeyIsAdded(t *testing.T, k *authkit.Fixture, in *interruption) {
	thief, undo := stolen(t, k)
	c := must.Get(k.Passkeys.BeginRegistration(ctx, thief, "Key"))(t)
	in.arm(t, k, "verify a registration", undo)
	want(t, must.Err(k.Passkeys.FinishRegistration(ctx, thief, c.ID, newKey().Create(c.Options))), user.ErrUnauthenticated)
	if p, _, _ := countFactors(t, k, thief.ID); p != 0 {
		t.Fatalf("the account has %d passkeys, want 0", p)
	}
}

func undoRemovesConsents(t *testing.T, k *authkit.Fixture, _ *interruption) {
	older, since, extended := addClient(t, k, nil), addClient(t, k, nil), addClient(t, k, nil)
	k.CreateUser(t, annOld)
	by := proved(t, k, annOld)
	tokensFor(t, k, by, older)
	tokensFor(t, k, by, extended, "scope", "openid")
	k.Clock.Advance(time.Minute)
	_, undo := requestChange(t, k, by, annOld, annNew)
	k.Clock.Advance(time.Minute)
	stolen := tokensFor(t, k, by, since)
	tokensFor(t, k, by, extended)
	must.Do(t, k.EmailChanges.Undo(ctx, undo, authkit.Chrome))
	if isActive(k, stolen) {
		t.Error("the application still has a session")
	}
	owner := k.CallerOf(t, k.SignIn(t, annOld))
	all, err := k.Clients.ListConsents(ctx, owner)
	if err != nil || len(all) != 1 || all[0].Client.ID != older.ID {
		t.Fatalf("the consents are %+v, %v", all, err)
	}
	for _, c := range []openid.Client{since, extended} {
		if step, err := k.Authorizations.Begin(ctx, owner, parameters(c, "scope", "openid")); err != nil || step.Answer != "" {
			t.Errorf("the owner is not asked: %+v, %v", step, err)
		}
	}
}

func undoWhileConsenting(t *testing.T, k *authkit.Fixture, in *interruption) {
	c := addClient(t, k, nil)
	thief, undo := stolen(t, k)
	step := must.Get(k.Authorizations.Begin(ctx, thief, parameters(c)))(t)
	in.arm(t, k, "session found", undo)
	want(t, must.Err(k.Authorizations.Decide(ctx, thief, step.Pending, true)), user.ErrUnauthenticated)
	if all, err := k.Store.Identity.ListGrants(ctx, thief.ID); err != nil || len(all) != 0 {
		t.Fatalf("the consents are %+v, %v", all, err)
	}
}

func undoWhileTotpIsConfirmed(t *testing.T, k *authkit.Fixture, in *interruption) {
	k.CreateUser(t, annOld)
	thief := proved(t, k, annOld)
	app := k.StartSecondFactor(t, thief)
	k.Clock.Advance(time.Second)
	_, undo := requestChange(t, k, thief, annOld, annNew)
	in.arm(t, k, "find user", undo)
	want(t, must.Err(k.SecondFactors.Confirm(ctx, thief, app.Next())), user.ErrUnauthenticated)
	if _, _, on := countFactors(t, k, thief.ID); on {
		t.Fatal("the account has an authenticator app")
	}
}

func undoWhileRulesApply(t *testing.T, k *authkit.Fixture, in *interruption) {
	thief, undo := stolen(t, k)
	must.Do(t, k.Identities.LinkFor(ctx, admin, thief.ID, "trusted", "7"))
	in.arm(t, k, "list labels", undo)
	c := ann("7")
	c.Grants = identity.Grants{Admin: true}
	if g, err := externalSignIn(t, k, "trusted", c); err == nil {
		want(t, must.Err(k.Authenticator.Authenticate(ctx, g.AccessToken, authkit.Firefox)), user.ErrUnauthenticated)
	}
	if u := must.Get(k.Store.Identity.FindUser(ctx, thief.ID))(t); u.Role != user.Regular {
		t.Errorf("the thief's claims made the owner's account %+v", u)
	}
}

func resetWhileMoving(t *testing.T, k *authkit.Fixture, in *interruption) {
	k.CreateUser(t, annOld)
	thief := proved(t, k, annOld)
	code, _ := requestChange(t, k, thief, annOld, annNew)
	must.Do(t, k.Passwords.RequestReset(ctx, annOld, user.EN, authkit.Chrome))
	reset := k.LastMail(t, message.PasswordReset, annOld).Code
	in.at, in.do = "find user", func() { must.Do(t, k.Passwords.Reset(ctx, annOld, reset, otherPassword, authkit.Chrome)) }
	want(t, must.Err(k.EmailChanges.Confirm(ctx, thief, code)), user.ErrUnauthenticated)
	if u := must.Get(k.Store.Identity.FindUser(ctx, thief.ID))(t); u.Email != annOld {
		t.Errorf("the account was moved to %s", u.Email)
	}
}

func undoWhileLeaving(t *testing.T, k *authkit.Fixture, in *interruption) {
	thief, undo := stolen(t, k)
	in.arm(t, k, "find user", undo)
	err := k.Users.Leave(ctx, thief)
	if !errors.Is(err, user.ErrUnauthenticated) && !errors.Is(err, account.ErrAddressMoved) {
		t.Fatalf("error is %v", err)
	}
	if u, err := k.Store.Identity.FindUser(ctx, thief.ID); err != nil || u.Leaving() {
		t.Fatalf("user is %+v, %v", u, err)
	}
}

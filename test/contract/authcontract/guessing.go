package authcontract

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func guessingCases(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"using up the attempts at an account's code is audited once": guessedCode,
		"guessing the current password is audited":                   guessedCurrent,
		"an imported password may not be in NFC":                     importedBytes,
		"of two concurrent changes of a password one succeeds":       changesAtOnce,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
	t.Run("a session that loses a change of password is revoked", func(t *testing.T) { overtakenChange(t, open(t)) })
}

// audited counts the audit entries of an action with a user as target.
func audited(t *testing.T, k *authkit.Fixture, action string, about user.ID) (n int) {
	t.Helper()
	log := must.Get(k.Store.Identity.ListAuditEntries(ctx, account.AuditFilter{User: about}, 0, 100))(t)
	for _, e := range log {
		if e.Action == action && e.IP == authkit.Chrome.IP {
			n++
		}
	}
	return n
}

func guessedCode(t *testing.T, k *authkit.Fixture) {
	ann := k.CreateUser(t, "ann@example.org")
	for _, email := range []string{"ann@example.org", "nobody@example.org"} {
		must.Do(t, k.Passwords.RequestReset(ctx, email, user.EN, authkit.Firefox))
	}
	code := wrong(k.LastMail(t, message.PasswordReset, "ann@example.org").Code)
	for i := range 8 {
		if n := audited(t, k, "code.guessed", ann.ID); n != min(1, i/5) {
			t.Fatalf("%d audit entries after %d guesses, want %d", n, i, min(1, i/5))
		}
		want(t, k.Passwords.Reset(ctx, "ann@example.org", code, otherPassword, authkit.Chrome), challenge.ErrCodeInvalid)
		want(t, k.Passwords.Reset(ctx, "nobody@example.org", code, otherPassword, authkit.Chrome), challenge.ErrCodeInvalid)
	}
	log := must.Get(k.Store.Identity.ListAuditEntries(ctx, account.AuditFilter{}, 0, 100))(t)
	for _, e := range log {
		if e.Action == "code.guessed" && e.Target != ann.ID.String() {
			t.Fatalf("a guess without an account is audited: %+v", e)
		}
	}
}

func guessedCurrent(t *testing.T, k *authkit.Fixture) {
	ann := k.CreateUser(t, "ann@example.org")
	by := k.CallerOf(t, k.SignIn(t, "ann@example.org"))
	by.From = authkit.Chrome
	for range 10 {
		want(t, k.Passwords.Change(ctx, by, "wrong wrong wrong", otherPassword), auth.ErrInvalidCredentials)
	}
	for range 2 {
		want(t, k.Passwords.Change(ctx, by, authkit.Password, otherPassword), limit.ErrExceeded)
	}
	if n := audited(t, k, "sign_in.limited", ann.ID); n != 1 {
		t.Fatalf("%d audit entries, want 1", n)
	}
}

func importedBytes(t *testing.T, k *authkit.Fixture) {
	const decomposed, composed = "cafe\u0301 du jour", "caf\u00e9 du jour"
	must.Get(k.Users.Import(ctx, strings.NewReader("ann@example.org,x:"+decomposed+"\n"), account.ImportOptions{}))(t)
	want(t, must.Err(signIn(k, "ann@example.org", composed, authkit.Firefox)), auth.ErrInvalidCredentials)
	for _, typed := range []string{decomposed, composed, decomposed} { // the first one stores a hash of NFC
		must.Get(signIn(k, "ann@example.org", typed, authkit.Firefox))(t)
	}
}

func changesAtOnce(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	by := k.CallerOf(t, k.SignIn(t, "ann@example.org"))
	next, errs := []string{otherPassword, otherPassword + " too"}, make([]error, 2)
	must.Together(2, func(i int) { errs[i] = k.Passwords.Change(ctx, by, authkit.Password, next[i]) })
	good := 0
	for i, err := range errs {
		_, in := signIn(k, "ann@example.org", next[i], authkit.Firefox)
		if (err == nil) != (in == nil) {
			t.Fatalf("changed: %v, signed in with it: %v", err, in)
		}
		if err == nil {
			good++
		} else if !errors.Is(err, auth.ErrWrongPassword) && !errors.Is(err, user.ErrUnauthenticated) {
			t.Fatal(err)
		}
	}
	if good != 1 {
		t.Fatalf("%d changes succeeded, want 1: %v", good, errs)
	}
}

// overtaking calls then just after a session was moved to a new epoch.
type overtaking struct {
	auth.SessionStore
	then func()
}

func (o overtaking) RebindSession(ctx context.Context, of user.ID, id user.SessionID, from, to int64) error {
	err := o.SessionStore.RebindSession(ctx, of, id, from, to)
	o.then()
	return err
}

// The epoch that overtakes may be the smaller one of the two: it was generated before and
// committed after the other.
func overtakenChange(t *testing.T, s authkit.Stores) {
	var endAll func()
	k := authkit.New(t, s, func(p *authrooms.Ports, _ *auth.Config) { p.Sessions = overtaking{p.Sessions, func() { endAll() }} })
	k.CreateUser(t, "ann@example.org")
	g := k.SignIn(t, "ann@example.org")
	by := k.CallerOf(t, g)
	endAll = func() {
		must.Do(t, s.Identity.Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
			u, err := st.LockUser(ctx, by.ID)
			if err != nil {
				return err
			}
			u.AdvanceEpoch(0)
			return st.SaveUser(ctx, u)
		}))
	}
	want(t, k.Passwords.Change(ctx, by, authkit.Password, otherPassword), user.ErrUnauthenticated)
	assertRevoked(t, k, g)
	k.SignIn(t, "ann@example.org")
}

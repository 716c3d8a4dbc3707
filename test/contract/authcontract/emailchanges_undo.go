package authcontract

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/factors"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/passkey"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

// addedFactors gives ann a passkey, an identity and an authenticator app.
func addedFactors(t *testing.T, k *authkit.Fixture, of user.ID) {
	t.Helper()
	now := k.Clock.Now()
	must.Do(t, k.Store.Identity.Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
		id := k.IDs.Next()
		return errors.Join(
			k.Store.Identity.FactorsStore(st).AddPasskey(ctx, passkey.Passkey{ID: passkey.ID(id), User: of, Name: "key", CreatedAt: now, Credential: passkey.Credential{CredentialID: []byte{byte(id), byte(id >> 8)}, PublicKey: []byte{1}}}),
			k.Store.Identity.ExternalStore(st).AddIdentity(ctx, identity.Identity{ID: identity.ID(id), User: of, Provider: "campus", Subject: of.String() + now.String(), CreatedAt: now}),
			k.Store.Identity.FactorsStore(st).PutSecondFactor(ctx, factors.SecondFactor{User: of, SealedSecret: []byte("sealed"), StartedAt: now, ConfirmedAt: now}),
		)
	}))
}

// countFactors counts what addedFactors adds.
func countFactors(t *testing.T, k *authkit.Fixture, of user.ID) (passkeys, identities int, app bool) {
	t.Helper()
	p := must.Get(k.Store.Identity.ListPasskeys(ctx, of))(t)
	i := must.Get(k.Store.Identity.ListIdentities(ctx, of))(t)
	app = must.Get(k.Store.Identity.HasSecondFactor(ctx, of))(t)
	return len(p), len(i), app
}

func undoChange(t *testing.T, k *authkit.Fixture) {
	u := k.CreateUser(t, annOld)
	k.CreateUser(t, "bob@example.org")
	by := proved(t, k, annOld)
	must.Do(t, k.Store.Identity.Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
		return k.Store.Identity.FactorsStore(st).AddPasskey(ctx, passkey.Passkey{ID: 7, User: u.ID, Name: "older", CreatedAt: k.Clock.Now(), Credential: passkey.Credential{CredentialID: []byte("older"), PublicKey: []byte{1}}})
	}))
	k.Clock.Advance(time.Minute)
	code, undo := requestChange(t, k, by, annOld, annNew)
	must.Get(k.EmailChanges.Confirm(ctx, by, code))(t)
	k.Clock.Advance(time.Hour)
	addedFactors(t, k, u.ID)
	must.Do(t, k.Passwords.Change(ctx, by, authkit.Password, otherPassword))
	for range 2 {
		must.Do(t, k.EmailChanges.Check(ctx, undo)) // a page or a mail scanner
	}
	if got := emailOf(t, k, u.ID); got != annNew {
		t.Fatalf("looking at the link changed the address to %s, want %s", got, annNew)
	}
	must.Do(t, k.EmailChanges.Undo(ctx, undo, authkit.Chrome))
	if got := emailOf(t, k, u.ID); got != annOld {
		t.Fatalf("the address is %s, want %s", got, annOld)
	}
	want(t, must.Err(k.EmailChanges.Confirm(ctx, by, code)), user.ErrUnauthenticated)
	if p, i, app := countFactors(t, k, u.ID); p != 1 || i != 0 || app {
		t.Fatalf("%d passkeys, %d identities, authenticator app: %v", p, i, app)
	}
	all := must.Get(k.Sessions.List(ctx, by, u.ID))(t)
	if len(all) != 0 {
		t.Fatalf("%d sessions, want 0", len(all))
	}
	for _, password := range []string{authkit.Password, otherPassword} { // the thief knows one and has set the other
		want(t, must.Err(signIn(k, annOld, password, authkit.Firefox)), auth.ErrInvalidCredentials)
	}
	for _, to := range []string{annOld, annNew} {
		if m := k.LastMail(t, message.EmailChanged, to); m.Params[message.ParamUndone] == "" || m.Link != "" {
			t.Fatalf("mail to %s is %+v", to, m)
		}
	}
	askReset(t, k, authkit.Firefox)
	must.Do(t, k.Passwords.Reset(ctx, annOld, k.LastMail(t, message.PasswordReset, annOld).Code, "a third long phrase", authkit.Firefox))
	if n := auditActions(t, k, u.ID)["user.email_change_undone"]; n != 1 {
		t.Fatalf("%d audit entries, want 1", n)
	}
}

func undoBefore(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, annOld)
	g := k.SignIn(t, annOld)
	by := proved(t, k, annOld)
	code, undo := requestChange(t, k, by, annOld, annNew)
	must.Do(t, k.EmailChanges.Undo(ctx, undo, authkit.Chrome))
	want(t, must.Err(k.Sessions.Refresh(ctx, g.RefreshToken, authkit.Firefox)), session.ErrInvalid)
	want(t, must.Err(k.EmailChanges.Confirm(ctx, by, code)), user.ErrUnauthenticated)
	k.SignIn(t, annOld) // with the password, which nobody has changed
	if n := len(k.Mails(message.EmailChanged, annNew)); n != 0 {
		t.Fatalf("%d mails to the address that was never the user's, want 0", n)
	}
}

func undoAgainstSecond(t *testing.T, k *authkit.Fixture) {
	by, first := changed(t, k)
	k.Clock.Advance(time.Hour)
	must.Do(t, k.Store.Sessions.ProveSession(ctx, by.ID, by.Session, session.Password, k.Clock.Now()))
	code, second := requestChange(t, k, by, annNew, "thief@example.org")
	must.Get(k.EmailChanges.Confirm(ctx, by, code))(t)
	must.Do(t, k.Store.Sessions.ProveSession(ctx, by.ID, by.Session, session.Password, k.Clock.Now()))
	must.Do(t, k.Users.Leave(ctx, by))
	must.Do(t, k.EmailChanges.Undo(ctx, first, authkit.Chrome))
	u := must.Get(k.Store.Identity.FindUser(ctx, by.ID))(t)
	if u.Email != annOld || u.Leaving() {
		t.Fatalf("user is %+v", u)
	}
	want(t, k.EmailChanges.Undo(ctx, second, authkit.Chrome), challenge.ErrLinkInvalid)
}

func undoRace(t *testing.T, k *authkit.Fixture) {
	by, undo := changed(t, k)
	k.Clock.Advance(time.Hour)
	must.Do(t, k.Store.Sessions.ProveSession(ctx, by.ID, by.Session, session.Password, k.Clock.Now()))
	code, _ := requestChange(t, k, by, annNew, "thief@example.org")
	var undone error
	must.Together(3, func(i int) {
		if i == 0 {
			undone = k.EmailChanges.Undo(ctx, undo, authkit.Chrome)
			return
		}
		_, _ = k.EmailChanges.Confirm(ctx, by, code)
	})
	if errors.Is(undone, account.ErrAddressMoved) { // the page says to press the button again
		undone = k.EmailChanges.Undo(ctx, undo, authkit.Chrome)
	}
	must.Do(t, undone)
	if got := emailOf(t, k, by.ID); got != annOld {
		t.Fatalf("the address is %s, want %s", got, annOld)
	}
}

func undoBounds(t *testing.T, k *authkit.Fixture) {
	_, undo := changed(t, k)
	for _, bad := range []string{"", undo[1:] + "A", undo + "A", strings.Repeat("A", 43)} {
		want(t, k.EmailChanges.Check(ctx, bad), challenge.ErrLinkInvalid)
		want(t, k.EmailChanges.Undo(ctx, bad, authkit.Chrome), challenge.ErrLinkInvalid)
	}
	want(t, k.Deletions.Undo(ctx, undo, authkit.Chrome), challenge.ErrLinkInvalid)
	k.Clock.Advance(7*24*time.Hour - time.Second)
	must.Do(t, k.EmailChanges.Check(ctx, undo))
	errs := make([]error, 3)
	must.Together(len(errs), func(i int) { errs[i] = k.EmailChanges.Undo(ctx, undo, authkit.Chrome) })
	undone := 0
	for _, err := range errs {
		if err == nil {
			undone++
		} else if !errors.Is(err, account.ErrAddressMoved) {
			want(t, err, challenge.ErrLinkInvalid)
		}
	}
	if undone != 1 {
		t.Fatalf("undone %d times, want 1", undone)
	}
	bob := k.CreateUser(t, "bob@example.org")
	by := proved(t, k, "bob@example.org")
	code, late := requestChange(t, k, by, "bob@example.org", "bob@new.example")
	must.Get(k.EmailChanges.Confirm(ctx, by, code))(t)
	k.Clock.Advance(7 * 24 * time.Hour)
	want(t, k.EmailChanges.Check(ctx, late), challenge.ErrLinkInvalid)
	want(t, k.EmailChanges.Undo(ctx, late, authkit.Chrome), challenge.ErrLinkInvalid)
	if got := emailOf(t, k, bob.ID); got != "bob@new.example" {
		t.Fatalf("the address is %s, want bob@new.example", got)
	}
}

package authcontract

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func leavingCases(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"an account is deleted 14 days after its owner asks for it":              leave,
		"signing in keeps an account that was about to be deleted":               stayBySignIn,
		"a stranger's failed sign-in does not undo a deletion":                   stayByStranger,
		"the mailed link keeps an account once, and by POST only":                stayByLink,
		"deleting one's account needs a recent proof":                            leaveWithoutProof,
		"the last owner cannot leave":                                            lastOwnerLeaves,
		"a deletion and a sign-in at once leave account and session, or neither": leaveDuringSignIn,
		"an account that left keeps its address until it is deleted":             leavingAddress,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
}

func leave(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	other := k.SignIn(t, "ann@example.org")
	ann := proved(t, k, "ann@example.org")
	must.Do(t, k.Users.Leave(ctx, ann))
	want(t, must.Err(k.Authenticator.Authenticate(ctx, other.AccessToken, authkit.Firefox)), user.ErrUnauthenticated)
	want(t, must.Err(k.Sessions.Refresh(ctx, other.RefreshToken, authkit.Firefox)), session.ErrInvalid)
	m := k.LastMail(t, message.AccountDeletion, "ann@example.org")
	if !strings.HasPrefix(m.Link, "https://octavo.example/account/undo-deletion?token=") || m.ExpiresAt.Sub(m.CreatedAt) != 14*24*time.Hour {
		t.Fatalf("mail is %+v", m)
	}
	k.Clock.Advance(14*24*time.Hour - time.Second)
	must.Do(t, k.Housekeeping.DeleteExpired(ctx))
	must.Get(k.Store.Identity.FindUser(ctx, ann.ID))(t)
	k.Clock.Advance(time.Second)
	for range 2 {
		must.Do(t, k.Housekeeping.DeleteExpired(ctx))
	}
	want(t, must.Err(k.Store.Identity.FindUser(ctx, ann.ID)), user.ErrNotFound)
	if n := auditActions(t, k, ann.ID); n["user.deletion_requested"] != 1 || n["user.deleted"] != 1 {
		t.Fatalf("audit entries %v", n)
	}
	wantEvents(t, k, ann.ID, "user.created", "user.verified", "session.started new", "session.started", "session.ended account_deletion", "session.ended account_deletion", "user.deleted")
	if mails := k.Mails(message.AccountDeletion, "ann@example.org"); len(mails) != 0 {
		t.Fatalf("mails of a deleted account: %+v", mails)
	}
	k.CreateUser(t, "ann@example.org") // the address is free
}

func stayBySignIn(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	ann := proved(t, k, "ann@example.org")
	must.Do(t, k.Users.Leave(ctx, ann))
	link := undoToken(t, k.LastMail(t, message.AccountDeletion, "ann@example.org"))
	k.CallerOf(t, k.SignIn(t, "ann@example.org"))
	m := k.LastMail(t, message.AccountDeletion, "ann@example.org")
	if m.Params[message.ParamUndone] == "" || m.Link != "" {
		t.Fatalf("mail is %+v", m)
	}
	want(t, k.Deletions.Check(ctx, link), challenge.ErrLinkInvalid)
	k.Clock.Advance(15 * 24 * time.Hour)
	must.Do(t, k.Housekeeping.DeleteExpired(ctx))
	u := must.Get(k.Store.Identity.FindUser(ctx, ann.ID))(t)
	if n := auditActions(t, k, ann.ID)["user.deletion_undone"]; u.Leaving() || n != 1 {
		t.Fatalf("user is %+v, %d audit entries", u, n)
	}
}

func undoToken(t *testing.T, m message.Message) string {
	t.Helper()
	_, token, found := strings.Cut(m.Link, "?token=")
	if !found {
		t.Fatalf("the mail has the link %q", m.Link)
	}
	return token
}

func stayByStranger(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	ann := proved(t, k, "ann@example.org")
	must.Do(t, k.Users.Leave(ctx, ann))
	want(t, must.Err(signIn(k, "ann@example.org", "a wrong password", authkit.Chrome)), auth.ErrInvalidCredentials)
	wantCode(t, k, "ann@example.org", "12345678", authkit.Chrome, challenge.ErrCodeInvalid)
	askCode(t, k, "ann@example.org", authkit.Chrome)
	u := must.Get(k.Store.Identity.FindUser(ctx, ann.ID))(t)
	if !u.Leaving() {
		t.Fatal("the deletion is undone")
	}
}

func stayByLink(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	ann := proved(t, k, "ann@example.org")
	must.Do(t, k.Users.Leave(ctx, ann))
	token := undoToken(t, k.LastMail(t, message.AccountDeletion, "ann@example.org"))
	for range 2 {
		must.Do(t, k.Deletions.Check(ctx, token)) // as often as a mail scanner opens it
	}
	for _, bad := range []string{"", token[1:] + "A", token + "A", strings.Repeat("A", 5000)} {
		want(t, k.Deletions.Check(ctx, bad), challenge.ErrLinkInvalid)
		want(t, k.Deletions.Undo(ctx, bad, authkit.Chrome), challenge.ErrLinkInvalid)
	}
	errs := make([]error, 4)
	must.Together(len(errs), func(i int) { errs[i] = k.Deletions.Undo(ctx, token, authkit.Chrome) })
	undone := 0
	for _, err := range errs {
		if err == nil {
			undone++
			continue
		}
		want(t, err, challenge.ErrLinkInvalid)
	}
	u := must.Get(k.Store.Identity.FindUser(ctx, ann.ID))(t)
	if undone != 1 || u.Leaving() {
		t.Fatalf("undone %d times, user is %+v", undone, u)
	}
	k.SignIn(t, "ann@example.org")
	must.Do(t, k.Users.Leave(ctx, proved(t, k, "ann@example.org"))) // once more
	want(t, k.Deletions.Undo(ctx, token, authkit.Chrome), challenge.ErrLinkInvalid)
}

func leaveWithoutProof(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	want(t, k.Users.Leave(ctx, user.Caller{}), user.ErrUnauthenticated)
	stale := k.CallerOf(t, k.SignIn(t, "ann@example.org"))
	k.Clock.Advance(session.ProofLifetime)
	want(t, k.Users.Leave(ctx, stale), user.ErrProofNeeded)
	by := proved(t, k, "ann@example.org")
	app := by
	app.Client, app.Scopes = "an application", "openid profile"
	want(t, k.Users.Leave(ctx, app), user.ErrForbidden)
	k.Clock.Advance(session.ProofLifetime)
	want(t, k.Users.Leave(ctx, by), user.ErrProofNeeded)
}

func lastOwnerLeaves(t *testing.T, k *authkit.Fixture) {
	k.CreateCaller(t, "one@example.org", user.Owner)
	one := proved(t, k, "one@example.org")
	want(t, k.Users.Leave(ctx, one), account.ErrLastOwner)
	k.CreateCaller(t, "two@example.org", user.Owner)
	two := proved(t, k, "two@example.org")
	errs := make([]error, 2)
	must.Together(2, func(i int) { errs[i] = k.Users.Leave(ctx, []user.Caller{one, two}[i]) })
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Fatalf("%v, %v", errs[0], errs[1])
	}
	want(t, errors.Join(errs...), account.ErrLastOwner)
	k.Clock.Advance(14 * 24 * time.Hour)
	must.Do(t, k.Housekeeping.DeleteExpired(ctx))
	left := one
	if errs[0] == nil {
		left = two
	}
	must.Get(k.Store.Identity.FindUser(ctx, left.ID))(t)
}

func leaveDuringSignIn(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	ann := proved(t, k, "ann@example.org")
	must.Do(t, k.Users.Leave(ctx, ann))
	k.Clock.Advance(14 * 24 * time.Hour)
	var g auth.TokenPair
	var signedIn, swept error
	must.Together(2, func(i int) {
		if i == 0 {
			g, signedIn = signIn(k, "ann@example.org", authkit.Password, authkit.Firefox)
			return
		}
		swept = k.Housekeeping.DeleteExpired(ctx)
	})
	must.Do(t, swept)
	if signedIn != nil {
		want(t, signedIn, auth.ErrInvalidCredentials)
		want(t, must.Err(k.Store.Identity.FindUser(ctx, ann.ID)), user.ErrNotFound)
		return
	}
	k.CallerOf(t, g)
}

func leavingAddress(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	must.Do(t, k.Users.Leave(ctx, proved(t, k, "ann@example.org")))
	signUp(t, k, "ann@example.org", otherPassword)
	if n := len(k.Mails(message.AccountExists, "ann@example.org")); n != 1 {
		t.Fatalf("%d mails, want 1", n)
	}
}

package authcontract

import (
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/sessions"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

const otherPassword = "staple tangerine lamp"

func retryAfter(err error) time.Duration {
	if e := fault.As(err); e != nil {
		return e.RetryAfter
	}
	return 0
}

// assertRevoked checks that a session's tokens are refused.
func assertRevoked(t *testing.T, k *authkit.Fixture, g auth.TokenPair) {
	t.Helper()
	want(t, must.Err(k.Authenticator.Authenticate(ctx, g.AccessToken, authkit.Firefox)), user.ErrUnauthenticated)
	want(t, must.Err(k.Sessions.Refresh(ctx, g.RefreshToken, authkit.Firefox)), session.ErrInvalid)
	info := must.Get(k.Authenticator.Introspect(ctx, g.AccessToken))(t)
	if info != (sessions.TokenInfo{}) {
		t.Fatalf("token info is %+v", info)
	}
}

func resetPassword(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	g := k.SignIn(t, "ann@example.org")
	must.Do(t, k.Passwords.RequestReset(ctx, "Ann@example.org", user.FR, authkit.Chrome))
	m := k.LastMail(t, message.PasswordReset, "ann@example.org")
	if m.Lang != user.FR || len(m.Code) != 8 {
		t.Fatalf("mail is %+v", m)
	}
	k.CallerOf(t, g) // the request alone ends no session
	must.Do(t, k.Passwords.Reset(ctx, "ann@example.org", m.Code, otherPassword, authkit.Chrome))
	assertRevoked(t, k, g)
	k.LastMail(t, message.PasswordChanged, "ann@example.org")
	want(t, must.Err(signIn(k, "ann@example.org", authkit.Password, authkit.Firefox)), auth.ErrInvalidCredentials)
	must.Get(signIn(k, "ann@example.org", otherPassword, authkit.Firefox))(t)
}

func resetBounds(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	k.CreateUser(t, "bob@example.org")
	must.Do(t, k.Passwords.RequestReset(ctx, "ann@example.org", user.EN, authkit.Firefox))
	first := k.LastMail(t, message.PasswordReset, "ann@example.org").Code
	want(t, k.Passwords.Reset(ctx, "bob@example.org", first, otherPassword, authkit.Firefox), challenge.ErrCodeInvalid)
	k.Clock.Advance(time.Minute)
	must.Do(t, k.Passwords.RequestReset(ctx, "ann@example.org", user.EN, authkit.Firefox))
	second := k.LastMail(t, message.PasswordReset, "ann@example.org").Code
	want(t, k.Passwords.Reset(ctx, "ann@example.org", first, otherPassword, authkit.Firefox), challenge.ErrCodeInvalid)
	want(t, k.Passwords.Reset(ctx, "ann@example.org", second, "short", authkit.Firefox), user.ErrPasswordInvalid)
	must.Do(t, k.Passwords.Reset(ctx, "ann@example.org", second, otherPassword, authkit.Firefox))
	want(t, k.Passwords.Reset(ctx, "ann@example.org", second, otherPassword, authkit.Firefox), challenge.ErrCodeInvalid)
	k.Clock.Advance(time.Minute)
	must.Do(t, k.Passwords.RequestReset(ctx, "ann@example.org", user.EN, authkit.Firefox))
	third := k.LastMail(t, message.PasswordReset, "ann@example.org").Code
	for range 5 {
		want(t, k.Passwords.Reset(ctx, "ann@example.org", wrong(third), otherPassword, authkit.Firefox), challenge.ErrCodeInvalid)
	}
	want(t, k.Passwords.Reset(ctx, "ann@example.org", third, otherPassword, authkit.Firefox), challenge.ErrCodeInvalid)
}

func changePassword(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	mine, other := k.SignIn(t, "ann@example.org"), k.SignIn(t, "ann@example.org")
	by := k.CallerOf(t, mine)
	want(t, k.Passwords.Change(ctx, user.Caller{}, authkit.Password, otherPassword), user.ErrUnauthenticated)
	want(t, k.Passwords.Change(ctx, by, "wrong wrong wrong", otherPassword), auth.ErrInvalidCredentials)
	want(t, k.Passwords.Change(ctx, by, "", otherPassword), auth.ErrInvalidCredentials)
	want(t, k.Passwords.Change(ctx, by, authkit.Password, "password"), user.ErrPasswordInvalid)
	k.CallerOf(t, other)
	must.Do(t, k.Passwords.Change(ctx, by, authkit.Password, otherPassword))
	assertRevoked(t, k, other)
	k.CallerOf(t, mine)
	next := must.Get(k.Sessions.Refresh(ctx, mine.RefreshToken, authkit.Firefox))(t)
	k.CallerOf(t, next)
	k.LastMail(t, message.PasswordChanged, "ann@example.org")
	must.Get(signIn(k, "ann@example.org", otherPassword, authkit.Firefox))(t)
}

func invite(t *testing.T, k *authkit.Fixture, by user.Caller, email string) (user.ID, string) {
	t.Helper()
	id := must.Get(k.Invitations.Invite(ctx, by, email, user.FR))(t)
	m := k.LastMail(t, message.Invitation, email)
	token, found := strings.CutPrefix(m.Link, "https://octavo.example/invitation?token=")
	if !found || m.Lang != user.FR || m.ExpiresAt.Sub(m.CreatedAt) != 7*24*time.Hour {
		t.Fatalf("mail is %+v", m)
	}
	return id, token
}

func acceptInvitation(t *testing.T, k *authkit.Fixture) {
	admin := k.CreateCaller(t, "root@example.org", user.Admin)
	password := otherPassword
	id, token := invite(t, k, admin, "ann@example.org")
	open := must.Get(k.Invitations.Open(ctx, admin))(t)
	if len(open) != 1 || open[0].User != id || open[0].InvitedBy != admin.ID || open[0].Email != "ann@example.org" || !open[0].AcceptedAt.IsZero() {
		t.Fatalf("open invitations are %+v", open)
	}
	short := "short"
	want(t, must.Err(k.Invitations.Accept(ctx, token, &short, authkit.Firefox)), user.ErrPasswordInvalid)
	g := must.Get(k.Invitations.Accept(ctx, token, &password, authkit.Firefox))(t)
	if by := k.CallerOf(t, g); by.ID != id || !g.User.Verified {
		t.Fatalf("signed in as %+v", by)
	}
	want(t, must.Err(k.Invitations.Accept(ctx, token, &password, authkit.Firefox)), challenge.ErrCodeInvalid)
	must.Get(signIn(k, "ann@example.org", otherPassword, authkit.Firefox))(t)
	want(t, must.Err(k.Invitations.Invite(ctx, admin, "ann@example.org", user.EN)), account.ErrAlreadyVerified)

	_, token = invite(t, k, admin, "bob@example.org")
	g = must.Get(k.Invitations.Accept(ctx, token, nil, authkit.Firefox))(t)
	k.CallerOf(t, g)
	want(t, must.Err(signIn(k, "bob@example.org", authkit.Password, authkit.Firefox)), auth.ErrInvalidCredentials)
	must.Do(t, k.Passwords.RequestReset(ctx, "bob@example.org", user.EN, authkit.Firefox))
	must.Do(t, k.Passwords.Reset(ctx, "bob@example.org", k.LastMail(t, message.PasswordReset, "bob@example.org").Code, authkit.Password, authkit.Firefox))
	k.SignIn(t, "bob@example.org")
}

func invitationVoids(t *testing.T, k *authkit.Fixture) {
	admin := k.CreateCaller(t, "root@example.org", user.Admin)
	signUp(t, k, "ann@example.org", "the stranger's password")
	code := k.LastMail(t, message.Verification, "ann@example.org").Code
	_, token := invite(t, k, admin, "ann@example.org")
	must.Get(k.Invitations.Accept(ctx, token, nil, authkit.Firefox))(t)
	want(t, k.Accounts.VerifyEmail(ctx, "ann@example.org", code, authkit.Firefox), challenge.ErrCodeInvalid)
	want(t, must.Err(signIn(k, "ann@example.org", "the stranger's password", authkit.Firefox)), auth.ErrInvalidCredentials)

	// Confirming a sign-up revokes the invitation in turn.
	id, token := invite(t, k, admin, "bob@example.org")
	if u := k.CreateUser(t, "bob@example.org"); u.ID != id {
		t.Fatalf("user %s got the new id %s", id, u.ID)
	}
	want(t, must.Err(k.Invitations.Accept(ctx, token, nil, authkit.Firefox)), challenge.ErrCodeInvalid)
	open := must.Get(k.Invitations.Open(ctx, admin))(t)
	if len(open) != 0 {
		t.Fatalf("still open: %+v", open)
	}
}

func inviteAgain(t *testing.T, k *authkit.Fixture) {
	admin := k.CreateCaller(t, "root@example.org", user.Admin)
	id, first := invite(t, k, admin, "ann@example.org")
	again, second := invite(t, k, admin, "ann@example.org")
	if id != again || first == second {
		t.Fatalf("invited %s with %s, then %s with %s", id, first, again, second)
	}
	want(t, must.Err(k.Invitations.Accept(ctx, first, nil, authkit.Firefox)), challenge.ErrCodeInvalid)
	open := must.Get(k.Invitations.Open(ctx, admin))(t)
	if len(open) != 1 {
		t.Fatalf("%d open invitations, want 1", len(open))
	}
	must.Do(t, k.Invitations.Revoke(ctx, admin, open[0].ID))
	want(t, k.Invitations.Revoke(ctx, admin, open[0].ID), account.ErrInvitationNotFound)
	want(t, must.Err(k.Invitations.Accept(ctx, second, nil, authkit.Firefox)), challenge.ErrCodeInvalid)
	_, third := invite(t, k, admin, "ann@example.org")
	k.Clock.Advance(7 * 24 * time.Hour)
	want(t, must.Err(k.Invitations.Accept(ctx, third, nil, authkit.Firefox)), challenge.ErrCodeInvalid)
	regular := user.Caller{ID: id}
	_, err := k.Invitations.Invite(ctx, regular, "x@example.org", user.EN)
	_, err2 := k.Invitations.Open(ctx, regular)
	for _, err := range []error{err, err2, k.Invitations.Revoke(ctx, regular, 1)} {
		want(t, err, user.ErrForbidden)
	}
	want(t, must.Err(k.Invitations.Invite(ctx, admin, "no address", user.EN)), user.ErrEmailInvalid)
}

func demotedInviter(t *testing.T, k *authkit.Fixture) {
	owner, admin := k.CreateCaller(t, "root@example.org", user.Owner), k.CreateCaller(t, "admin@example.org", user.Admin)
	_, token := invite(t, k, admin, "ann@example.org")
	must.Get(k.Users.RevokeAdmin(ctx, owner, admin.ID))(t)
	invitationIsVoid(t, k, owner, token)
	_, token = invite(t, k, owner, "ann@example.org")
	must.Get(k.Invitations.Accept(ctx, token, nil, authkit.Firefox))(t)
}

func erasedInviter(t *testing.T, k *authkit.Fixture) {
	owner, admin := k.CreateCaller(t, "root@example.org", user.Owner), k.CreateCaller(t, "admin@example.org", user.Admin)
	_, token := invite(t, k, admin, "ann@example.org")
	must.Get(k.Users.Delete(ctx, owner, []user.ID{admin.ID}))(t)
	invitationIsVoid(t, k, owner, token)
}

func invitationIsVoid(t *testing.T, k *authkit.Fixture, owner user.Caller, token string) {
	t.Helper()
	password := otherPassword
	for _, p := range []*string{nil, &password} {
		want(t, must.Err(k.Invitations.Accept(ctx, token, p, authkit.Firefox)), challenge.ErrCodeInvalid)
	}
	open := must.Get(k.Invitations.Open(ctx, owner))(t)
	if len(open) != 0 {
		t.Fatalf("open are %+v", open)
	}
	u, err := k.Store.Identity.FindUserByEmail(ctx, "ann@example.org")
	if err != nil || u.Verified {
		t.Fatalf("%+v, %v", u, err)
	}
}

func onePasswordSpelling(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	admin := k.CreateCaller(t, "root@example.org", user.Admin)
	by := k.CallerOf(t, k.SignIn(t, "ann@example.org"))
	must.Do(t, k.Passwords.RequestReset(ctx, "ann@example.org", user.EN, authkit.Firefox))
	code := k.LastMail(t, message.PasswordReset, "ann@example.org").Code
	_, token := invite(t, k, admin, "bob@example.org")
	for _, other := range []string{authkit.Password + "\x00" + authkit.Password, authkit.Password + "\x00", "correct \ufffd battery", "correct\thorse battery"} {
		want(t, must.Err(signIn(k, "ann@example.org", other, authkit.Firefox)), auth.ErrInvalidCredentials)
		want(t, k.Passwords.Change(ctx, by, other, otherPassword), auth.ErrWrongPassword)
		_, err := k.Invitations.Accept(ctx, token, &other, authkit.Firefox)
		for _, err := range []error{
			err,
			k.Accounts.SignUp(ctx, account.SignUpRequest{Email: "new@example.org", Password: other, From: authkit.Firefox}),
			k.Passwords.Reset(ctx, "ann@example.org", code, other, authkit.Firefox),
			k.Passwords.Change(ctx, by, authkit.Password, other),
			k.Users.SetPassword(ctx, admin, by.ID, other),
		} {
			want(t, err, user.ErrPasswordInvalid)
		}
	}
	k.SignIn(t, "ann@example.org")
}

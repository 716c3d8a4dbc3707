package authcontract

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/auth/signin"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

// externalOnlyCases are the cases of sign-ins at external services only.
func externalOnlyCases(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"with external sign-ins only every other door is shut and reveals nothing":    otherDoorsAreShut,
		"with external sign-ins only sessions of before go on":                        sessionsGoOn,
		"with external sign-ins only a sign-in of before ends at its second factor":   pendingSignInEnds,
		"with external sign-ins only the invited open their account at a service":     invitedExternalOnly,
		"an owner who may break the glass signs in with a password until demoted":     breaksGlass,
		"an owner without a password gets one to break the glass with":                breaksGlassWithNewPassword,
		"newcomers come through external services alone if registration demands that": newcomersExternally,
		"without passwords people prove who they are by a mailed code":                provesByCode,
		"with external sign-ins only nobody adds a passkey that would not sign in":    noNewPasskeys,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
}

// externalOnly returns the same accounts after a restart with external sign-ins only.
func externalOnly(t *testing.T, k *authkit.Fixture) *authkit.Fixture {
	return restarted(t, k, func(c *auth.Config) { c.ExternalOnly, c.ExternalRegistration, c.AllowRegistration = true, true, false })
}

func restarted(t *testing.T, k *authkit.Fixture, change func(*auth.Config)) *authkit.Fixture {
	t.Helper()
	again := authkit.New(t, k.Store, func(p *authrooms.Ports, c *auth.Config) {
		p.NextID, p.Now = k.IDs.Next, k.Clock.Now
		change(c)
	})
	again.Clock, again.IDs, again.ProviderClient.Now = k.Clock, k.IDs, k.Clock.Now
	return again
}

func otherDoorsAreShut(t *testing.T, before *authkit.Fixture) {
	before.CreateUser(t, "ann@u.edu")
	must.Do(t, before.Passwords.RequestReset(ctx, "ann@u.edu", user.EN, authkit.Firefox))
	reset := before.LastMail(t, message.PasswordReset, "ann@u.edu").Code
	must.Do(t, before.SignIns.RequestCode(ctx, "ann@u.edu", user.EN, authkit.Firefox))
	code := before.LastMail(t, message.SignInCode, "ann@u.edu").Code
	signUp(t, before, "new@u.edu", authkit.Password)
	confirm := before.LastMail(t, message.Verification, "new@u.edu").Code
	k := externalOnly(t, before)
	sent := len(k.Store.Messages())
	for _, email := range []string{"ann@u.edu", "nobody@u.edu", "no address"} {
		want(t, must.Err(signIn(k, email, authkit.Password, authkit.Firefox)), auth.ErrExternalOnly)
		want(t, must.Err(signIn(k, email, "a wrong password", authkit.Firefox)), auth.ErrExternalOnly)
		want(t, k.SignIns.RequestCode(ctx, email, user.EN, authkit.Firefox), auth.ErrExternalOnly)
		want(t, must.Err(k.SignIns.SignInWithCode(ctx, signin.CodeSignInRequest{Email: email, Code: code, From: authkit.Firefox})), auth.ErrExternalOnly)
		want(t, k.Passwords.RequestReset(ctx, email, user.EN, authkit.Firefox), auth.ErrExternalOnly)
		want(t, k.Passwords.Reset(ctx, email, reset, "another good password", authkit.Firefox), auth.ErrExternalOnly)
		want(t, k.Accounts.SignUp(ctx, account.SignUpRequest{Email: email, Password: authkit.Password, From: authkit.Firefox}), auth.ErrJoinExternally)
	}
	want(t, k.Accounts.VerifyEmail(ctx, "new@u.edu", confirm, authkit.Firefox), auth.ErrJoinExternally)
	want(t, k.Accounts.ResendVerification(ctx, account.ResendRequest{Email: "new@u.edu", From: authkit.Firefox}), auth.ErrJoinExternally)
	want(t, must.Err(k.Passkeys.BeginSignIn(ctx, authkit.Firefox)), auth.ErrExternalOnly)
	want(t, must.Err(k.Passkeys.FinishSignIn(ctx, "1", nil, false, authkit.Firefox)), auth.ErrExternalOnly)
	if now := len(k.Store.Messages()); now != sent {
		t.Errorf("%d mails were sent, want none", now-sent)
	}
	must.Get(externalSignIn(t, k, "trusted", ann("1")))(t)
	must.Get(externalSignIn(t, k, "trusted", identity.Claims{Subject: "2", Email: "new@u.edu", EmailVerified: true}))(t)
}

func sessionsGoOn(t *testing.T, before *authkit.Fixture) {
	before.CreateUser(t, "ann@u.edu")
	pair := before.SignIn(t, "ann@u.edu")
	k := externalOnly(t, before)
	pair = must.Get(k.Sessions.Refresh(ctx, pair.RefreshToken, authkit.Firefox))(t)
	by := k.CallerOf(t, pair)
	must.Get(k.Users.Me(ctx, by))(t)
	want(t, k.Passwords.Change(ctx, by, authkit.Password, "another good password"), auth.ErrExternalOnly)

	back := restarted(t, k, func(*auth.Config) {}) // to all ways
	must.Get(back.Users.Me(ctx, by))(t)
	back.SignIn(t, "ann@u.edu")
}

func pendingSignInEnds(t *testing.T, before *authkit.Fixture) {
	_, app := withSecondFactor(t, before, "ann@u.edu")
	pending := challengeOf(t, before, "ann@u.edu", authkit.Firefox)
	want(t, must.Err(complete(externalOnly(t, before), pending, app.Next(), authkit.Firefox)), auth.ErrExternalOnly)
}

func invitedExternalOnly(t *testing.T, before *authkit.Fixture) {
	owner := before.CreateCaller(t, "owner@u.edu", user.Owner)
	id := must.Get(before.Invitations.Invite(ctx, owner, "ann@u.edu", user.EN))(t)
	token := before.LastMail(t, message.Invitation, "ann@u.edu").Link
	k := externalOnly(t, before)
	want(t, must.Err(k.Invitations.Accept(ctx, token[strings.Index(token, "token=")+len("token="):], nil, authkit.Firefox)), auth.ErrExternalOnly)
	if a := must.Get(externalSignIn(t, k, "trusted", ann("1")))(t); a.User.ID != id {
		t.Errorf("signed in as %+v, want the invited account %s", a.User, id)
	}
}

func breaksGlass(t *testing.T, before *authkit.Fixture) {
	before.CreateCaller(t, "owner@u.edu", user.Owner)
	zoe := before.CreateCaller(t, "zoe@u.edu", user.Owner)
	before.CreateCaller(t, "admin@u.edu", user.Admin)
	k := externalOnly(t, before)
	want(t, must.Err(k.Users.BreakGlass(ctx, "admin@u.edu", account.BreakGlassChange{})), account.ErrNotOwner)
	want(t, must.Err(k.Users.BreakGlass(ctx, "nobody@u.edu", account.BreakGlassChange{})), user.ErrNotFound)
	if made := must.Get(k.Users.BreakGlass(ctx, "owner@u.edu", account.BreakGlassChange{}))(t); made != "" {
		t.Errorf("an owner with a password got another one: %q", made)
	}
	want(t, must.Err(signIn(k, "owner@u.edu", "a wrong password", authkit.Firefox)), auth.ErrExternalOnly)
	want(t, must.Err(signIn(k, "zoe@u.edu", authkit.Password, authkit.Firefox)), auth.ErrExternalOnly)
	by := k.CallerOf(t, k.SignIn(t, "owner@u.edu"))
	password := authkit.Password
	must.Do(t, k.SignIns.Reauthenticate(ctx, by, signin.Proof{Password: &password}))

	must.Get(k.Users.SetRole(ctx, zoe, by.ID, user.Regular))(t)
	want(t, must.Err(signIn(k, "owner@u.edu", authkit.Password, authkit.Firefox)), auth.ErrExternalOnly)
	must.Get(k.Users.SetRole(ctx, zoe, by.ID, user.Owner))(t) // which does not bring it back
	want(t, must.Err(signIn(k, "owner@u.edu", authkit.Password, authkit.Firefox)), auth.ErrExternalOnly)
	must.Get(k.Users.BreakGlass(ctx, "owner@u.edu", account.BreakGlassChange{}))(t)
	k.SignIn(t, "owner@u.edu")
	must.Get(k.Users.BreakGlass(ctx, "owner@u.edu", account.BreakGlassChange{Off: true}))(t)
	want(t, must.Err(signIn(k, "owner@u.edu", authkit.Password, authkit.Firefox)), auth.ErrExternalOnly)
	entries := must.Get(k.Store.Identity.ListAuditEntries(ctx, account.AuditFilter{User: by.ID, Action: "user.break_glass"}, 0, 10))(t)
	if len(entries) != 3 || entries[0].Detail != "off, by the operator" {
		t.Errorf("the audit log has %+v", entries)
	}
}

func breaksGlassWithNewPassword(t *testing.T, before *authkit.Fixture) {
	k := externalOnly(t, before)
	owner := must.Get(externalSignIn(t, k, "trusted", ann("1")))(t)
	must.Get(k.Users.Promote(ctx, "ann@u.edu", user.Owner))(t)
	made := must.Get(k.Users.BreakGlass(ctx, "ann@u.edu", account.BreakGlassChange{}))(t)
	must.Get(signIn(k, "ann@u.edu", made, authkit.Firefox))(t)
	if again := must.Get(k.Users.BreakGlass(ctx, "ann@u.edu", account.BreakGlassChange{NewPassword: true}))(t); again == made || again == "" {
		t.Errorf("the new password is %q", again)
	}
	want(t, must.Err(signIn(k, "ann@u.edu", made, authkit.Firefox)), auth.ErrExternalOnly)
	want(t, must.Err(k.Authenticator.Authenticate(ctx, owner.AccessToken, authkit.Firefox)), user.ErrUnauthenticated)
}

func noNewPasskeys(t *testing.T, before *authkit.Fixture) {
	by := provedCaller(t, before, "ann@u.edu")
	begun := must.Get(before.Passkeys.BeginRegistration(ctx, by, "Laptop"))(t)
	k := externalOnly(t, before)
	want(t, must.Err(k.Passkeys.BeginRegistration(ctx, by, "Laptop")), auth.ErrExternalOnly)
	want(t, must.Err(k.Passkeys.FinishRegistration(ctx, by, begun.ID, nil)), auth.ErrExternalOnly)
	want(t, must.Err(k.Passkeys.BeginRegistration(ctx, user.Caller{}, "Laptop")), user.ErrUnauthenticated)
}

func newcomersExternally(t *testing.T, before *authkit.Fixture) {
	before.CreateUser(t, "ann@u.edu")
	k := restarted(t, before, func(c *auth.Config) { c.ExternalRegistration, c.AllowRegistration = true, false })
	want(t, k.Accounts.SignUp(ctx, account.SignUpRequest{Email: "new@u.edu", Password: authkit.Password, From: authkit.Firefox}), auth.ErrJoinExternally)
	k.SignIn(t, "ann@u.edu")
	must.Get(externalSignIn(t, k, "trusted", identity.Claims{Subject: "2", Email: "new@u.edu", EmailVerified: true}))(t)
}

func provesByCode(t *testing.T, before *authkit.Fixture) {
	before.CreateUser(t, "ann@u.edu") // with a password, which proves nothing any more
	k := externalOnly(t, before)
	by := k.CallerOf(t, must.Get(externalSignIn(t, k, "trusted", ann("1")))(t).TokenPair)
	password := authkit.Password
	want(t, k.SignIns.Reauthenticate(ctx, by, signin.Proof{Password: &password}), challenge.ErrCodeInvalid)
	must.Do(t, k.SignIns.RequestProof(ctx, by))
	must.Do(t, k.SignIns.Reauthenticate(ctx, by, signin.Proof{Code: k.LastMail(t, message.SignInCode, "ann@u.edu").Code}))
	mine := must.Get(k.Identities.List(ctx, by))(t)
	want(t, k.Identities.Unlink(ctx, by, mine[0].ID), auth.ErrLastSignIn)
}

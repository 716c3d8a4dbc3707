package authcontract

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/auth/factors"
	"github.com/octavo-books/octavo/application/auth/signin"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func secondFactorCases(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"a sign-in asks for the second factor once it is confirmed":          secondFactorSignIn,
		"a setup that is not confirmed in time has to be started again":      abandonedSetup,
		"a recovery code signs in once":                                      recoveryCodes,
		"new recovery codes replace the old ones":                            renewedRecoveryCodes,
		"turning the second factor off takes one of its codes":               disabledSecondFactor,
		"the operator can reset the second factor of a user":                 operatorReset,
		"a remembered device is not asked for the second factor for 30 days": rememberedSignIn,
		"a browser is remembered for several accounts":                       sharedBrowser,
		"a session is remembered if either step of its sign-in asks for it":  rememberedEitherWay,
		"with another key the answer says that the second factor is locked":  keyReplaced,
		"the password proves the identity for ten minutes of one session":    reauthenticated,
		"with a second factor both are needed to prove the identity":         reauthenticatedWithBoth,
		"without a password a mailed code proves the identity":               reauthenticatedByMail,
		"a mailed code does not replace the second factor":                   mailedCodeAndFactor,
		"changing a way to sign in needs a recent proof":                     unprovedChanges,
		"a suspended account says so only after the second factor":           suspendedSecondFactor,
		"a password reset keeps the second factor":                           resetKeepsFactor,
		"other users do not learn whether a user has a second factor":        foreignSecondFactor,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
	t.Run("an admin without a second factor has only the rights of a regular user", func(t *testing.T) {
		requiredSecondFactor(t, authkit.New(t, open(t), func(_ *authrooms.Ports, c *auth.Config) { c.RequireSecondFactor = true }))
	})
	secondFactorAttacks(t, open)
}

// withSecondFactor creates an account with a second factor.
func withSecondFactor(t *testing.T, k *authkit.Fixture, email string) (user.Caller, *authkit.App) {
	t.Helper()
	by := k.CreateCaller(t, email, user.Regular)
	return by, k.EnableSecondFactor(t, by)
}

// challengeOf signs in with a password and returns the challenge for the second factor.
func challengeOf(t *testing.T, k *authkit.Fixture, email string, from user.ClientInfo) string {
	t.Helper()
	_, err := signIn(k, email, authkit.Password, from)
	want(t, err, auth.ErrSecondFactorRequired)
	return fault.As(err).Details["challenge"]
}

func complete(k *authkit.Fixture, id, code string, from user.ClientInfo) (auth.TokenPair, error) {
	return k.SecondFactors.CompleteSignIn(ctx, factors.CompleteSignInRequest{Challenge: id, Code: code, From: from})
}

// signInWithBoth signs in with both factors.
func signInWithBoth(t *testing.T, k *authkit.Fixture, email, code string) auth.TokenPair {
	t.Helper()
	return must.Get(complete(k, challengeOf(t, k, email, authkit.Firefox), code, authkit.Firefox))(t)
}

func secondFactorSignIn(t *testing.T, k *authkit.Fixture) {
	by := k.CreateCaller(t, "ann@example.org", user.Regular)
	k.Prove(t, by, "")
	setup := must.Get(k.SecondFactors.Start(ctx, by))(t)
	if !strings.HasPrefix(setup.URI, "otpauth://totp/Octavo:ann%40example.org?secret="+setup.Secret) || !strings.HasPrefix(setup.QRCode, "<svg ") {
		t.Fatalf("setup is %+v", setup)
	}
	k.SignIn(t, "ann@example.org") // the second factor is not asked for before it is confirmed
	want(t, must.Err(k.SecondFactors.Confirm(ctx, by, "000000")), challenge.ErrCodeInvalid)
	app := k.EnableSecondFactor(t, by) // starting again replaces the secret
	if app.Secret.String() == setup.Secret || len(app.Recovery) != 10 {
		t.Fatalf("secret %s after %s, recovery codes %v", app.Secret, setup.Secret, app.Recovery)
	}
	if m := k.LastMail(t, message.TotpEnabled, "ann@example.org"); m.Code != "" || m.Params[message.ParamIP] != authkit.Firefox.IP {
		t.Fatalf("mail is %+v", m)
	}
	id := challengeOf(t, k, "ann@example.org", authkit.Chrome)
	want(t, must.Err(complete(k, id, wrong(app.Next()), authkit.Chrome)), challenge.ErrCodeInvalid)
	g := must.Get(complete(k, id, " "+app.Next()+" ", authkit.Chrome))(t)
	if g.Session.Factors != 2 || g.Device != "" || k.CallerOf(t, g).ID != by.ID {
		t.Fatalf("signed in with %+v", g.Session)
	}
	want(t, must.Err(complete(k, id, app.Next(), authkit.Chrome)), challenge.ErrCeremonyInvalid)
	if on, err := k.SecondFactors.Enabled(ctx, by, by.ID); err != nil || !on {
		t.Errorf("the second factor is on: %t, %v", on, err)
	}
	if n := audited(t, k, "second_factor.used", by.ID); n != 1 {
		t.Errorf("%d audit entries, want 1", n)
	}
}

func abandonedSetup(t *testing.T, k *authkit.Fixture) {
	by := k.CreateCaller(t, "ann@example.org", user.Regular)
	k.Prove(t, by, "")
	want(t, must.Err(k.SecondFactors.Confirm(ctx, by, "123456")), challenge.ErrCeremonyInvalid)
	app := k.StartSecondFactor(t, by)
	k.Clock.Advance(session.ProofLifetime)
	k.Prove(t, by, "")
	want(t, must.Err(k.SecondFactors.Confirm(ctx, by, app.Next())), challenge.ErrCeremonyInvalid)
	k.EnableSecondFactor(t, by)
	want(t, must.Err(k.SecondFactors.Start(ctx, by)), auth.ErrSecondFactorOn)
	want(t, must.Err(k.SecondFactors.Confirm(ctx, by, app.Next())), auth.ErrSecondFactorOn)
}

func recoveryCodes(t *testing.T, k *authkit.Fixture) {
	by, app := withSecondFactor(t, k, "ann@example.org")
	for i, code := range app.Recovery {
		signInWithBoth(t, k, "ann@example.org", strings.ToUpper(code))
		want(t, must.Err(complete(k, challengeOf(t, k, "ann@example.org", authkit.Firefox), code, authkit.Firefox)), challenge.ErrCodeInvalid)
		left, on, err := k.SecondFactors.RecoveryCodesLeft(ctx, by)
		m := k.LastMail(t, message.RecoveryCodeUsed, "ann@example.org")
		if left != 9-i || !on || err != nil || m.Params[message.ParamLeft] != strconv.Itoa(9-i) || m.Params[message.ParamIP] != authkit.Firefox.IP {
			t.Fatalf("%d codes are left, on %t, %v; the mail is %+v", left, on, err, m)
		}
	}
	signInWithBoth(t, k, "ann@example.org", app.Next())
	if n := len(k.Mails(message.RecoveryCodeUsed, "ann@example.org")); n != 10 {
		t.Errorf("%d mails, want one for each code", n)
	}
}

func renewedRecoveryCodes(t *testing.T, k *authkit.Fixture) {
	by, app := withSecondFactor(t, k, "ann@example.org")
	codes := must.Get(k.SecondFactors.RenewRecoveryCodes(ctx, by))(t)
	want(t, must.Err(complete(k, challengeOf(t, k, "ann@example.org", authkit.Firefox), app.Recovery[0], authkit.Firefox)), challenge.ErrCodeInvalid)
	signInWithBoth(t, k, "ann@example.org", codes[9])
	must.Do(t, k.SecondFactors.Disable(ctx, by, codes[0]))
	want(t, must.Err(k.SecondFactors.RenewRecoveryCodes(ctx, by)), auth.ErrSecondFactorOff)
}

func disabledSecondFactor(t *testing.T, k *authkit.Fixture) {
	by, app := withSecondFactor(t, k, "ann@example.org")
	want(t, k.SecondFactors.Disable(ctx, by, wrong(app.Next())), challenge.ErrCodeInvalid)
	must.Do(t, k.SecondFactors.Disable(ctx, by, app.Next()))
	k.LastMail(t, message.TotpDisabled, "ann@example.org")
	k.SignIn(t, "ann@example.org")
	want(t, k.SecondFactors.Disable(ctx, by, app.Next()), auth.ErrSecondFactorOff)
	again := k.EnableSecondFactor(t, by)
	signInWithBoth(t, k, "ann@example.org", again.Next())
}

func operatorReset(t *testing.T, k *authkit.Fixture) {
	by, app := withSecondFactor(t, k, "ann@example.org")
	id := challengeOf(t, k, "ann@example.org", authkit.Firefox)
	want(t, must.Err(k.SecondFactors.Reset(ctx, "bob@example.org")), user.ErrNotFound)
	u := must.Get(k.SecondFactors.Reset(ctx, " Ann@example.org"))(t)
	if u.ID != by.ID {
		t.Errorf("reset %s, not %s", u.ID, by.ID)
	}
	want(t, must.Err(k.SecondFactors.Reset(ctx, "ann@example.org")), auth.ErrSecondFactorOff)
	want(t, must.Err(complete(k, id, app.Next(), authkit.Firefox)), challenge.ErrCeremonyInvalid)
	k.SignIn(t, "ann@example.org")
	k.LastMail(t, message.TotpDisabled, "ann@example.org")
	log := must.Get(k.Store.Identity.ListAuditEntries(ctx, account.AuditFilter{User: by.ID}, 0, 100))(t)
	for _, e := range log {
		if e.Action == "second_factor.disabled" && e.Detail == "by the operator" {
			return
		}
	}
	t.Error("the reset is not audited")
}

// rememberDevice signs in with both factors and returns the client with the cookie of a
// remembered device.
func rememberDevice(t *testing.T, k *authkit.Fixture, email string, app *authkit.App, from user.ClientInfo) user.ClientInfo {
	t.Helper()
	g := must.Get(k.SecondFactors.CompleteSignIn(ctx, factors.CompleteSignInRequest{Challenge: challengeOf(t, k, email, from), Code: app.Next(), Remember: true, From: from}))(t)
	if g.Device == "" {
		t.Fatal("the device is not remembered")
	}
	from.Device = g.Device
	return from
}

func rememberedSignIn(t *testing.T, k *authkit.Fixture) {
	_, app := withSecondFactor(t, k, "ann@example.org")
	known := rememberDevice(t, k, "ann@example.org", app, authkit.Firefox)
	g := must.Get(signIn(k, "ann@example.org", authkit.Password, known))(t)
	if g.Session.Factors != 2 || g.Device != "" {
		t.Errorf("%d factors, cookie %q", g.Session.Factors, g.Device)
	}
	want(t, must.Err(signIn(k, "ann@example.org", "a wrong password", known)), auth.ErrInvalidCredentials)
	challengeOf(t, k, "ann@example.org", authkit.Firefox)
	k.Clock.Advance(session.DeviceLifetime)
	challengeOf(t, k, "ann@example.org", known)
}

func sharedBrowser(t *testing.T, k *authkit.Fixture) {
	_, ann := withSecondFactor(t, k, "ann@example.org")
	_, bob := withSecondFactor(t, k, "bob@example.org")
	known := rememberDevice(t, k, "ann@example.org", ann, authkit.Firefox)
	known = rememberDevice(t, k, "bob@example.org", bob, known)
	for _, email := range []string{"ann@example.org", "bob@example.org"} {
		must.Get(signIn(k, email, authkit.Password, known))(t)
	}
}

func rememberedEitherWay(t *testing.T, k *authkit.Fixture) {
	_, app := withSecondFactor(t, k, "ann@example.org")
	for _, first := range []bool{false, true} {
		for _, second := range []bool{false, true} {
			_, err := k.SignIns.SignIn(ctx, signin.Request{Email: "ann@example.org", Password: authkit.Password, Remember: first, From: authkit.Firefox})
			id := fault.As(err).Details["challenge"]
			g := must.Get(k.SecondFactors.CompleteSignIn(ctx, factors.CompleteSignInRequest{Challenge: id, Code: app.Next(), Remember: second, From: authkit.Firefox}))(t)
			if remembered := g.Session.IdleTimeout == session.IdleTimeoutRemembered; remembered != (first || second) || (g.Device != "") != second {
				t.Errorf("after %t and %t the session is remembered: %t, cookie %q", first, second, remembered, g.Device)
			}
		}
	}
}

// strange opens nothing that was sealed before.
type strange struct{ authkit.Sealer }

func (strange) Open([]byte) ([]byte, error) { return nil, errors.New("sealed with another key") }

func keyReplaced(t *testing.T, before *authkit.Fixture) {
	_, app := withSecondFactor(t, before, "ann@example.org")
	k := authkit.New(t, before.Store, func(p *authrooms.Ports, _ *auth.Config) {
		p.Secrets, p.NextID, p.Now = strange{}, before.IDs.Next, before.Clock.Now
	})
	_, err := signIn(k, "ann@example.org", authkit.Password, authkit.Firefox)
	want(t, err, auth.ErrSecondFactorRequired)
	challenge := fault.As(err).Details["challenge"]
	_, err = complete(k, challenge, app.Next(), authkit.Firefox)
	want(t, err, auth.ErrKeyReplaced)
	if fault.As(err).Details["reason"] != "KEY_REPLACED" {
		t.Errorf("the reason is %v", fault.As(err).Details)
	}
	_, err = complete(before, challenge, app.Next(), authkit.Firefox) // the key is back
	must.Do(t, err)
}

func reauthenticated(t *testing.T, k *authkit.Fixture) {
	by := k.CreateCaller(t, "ann@example.org", user.Regular)
	other := k.CallerOf(t, k.SignIn(t, "ann@example.org"))
	bad := "a wrong password"
	want(t, k.SignIns.Reauthenticate(ctx, by, signin.Proof{Password: &bad}), auth.ErrWrongPassword)
	want(t, k.SignIns.Reauthenticate(ctx, by, signin.Proof{Code: "12345678"}), auth.ErrPasswordMissing)
	want(t, k.SignIns.Reauthenticate(ctx, user.Caller{}, signin.Proof{Password: &bad}), user.ErrUnauthenticated)
	k.Clock.Advance(session.ProofLifetime)
	want(t, must.Err(k.SecondFactors.Start(ctx, by)), user.ErrProofNeeded)
	k.Prove(t, by, "")
	k.Clock.Advance(session.ProofLifetime - time.Second)
	must.Get(k.SecondFactors.Start(ctx, by))(t)
	want(t, must.Err(k.SecondFactors.Start(ctx, other)), user.ErrProofNeeded)
	k.Clock.Advance(time.Second)
	want(t, must.Err(k.SecondFactors.Start(ctx, by)), user.ErrProofNeeded)
	for range k.Config.Rules.SignInFailures.Burst {
		want(t, k.SignIns.Reauthenticate(ctx, by, signin.Proof{Password: &bad}), auth.ErrWrongPassword)
	}
	want(t, must.Err(signIn(k, "ann@example.org", authkit.Password, authkit.Firefox)), limit.ErrExceeded)
}

func reauthenticatedWithBoth(t *testing.T, k *authkit.Fixture) {
	by, app := withSecondFactor(t, k, "ann@example.org")
	k.Clock.Advance(session.ProofLifetime)
	right, bad := authkit.Password, "a wrong password"
	code := app.Next()
	want(t, k.SignIns.Reauthenticate(ctx, by, signin.Proof{Password: &right}), challenge.ErrCodeInvalid)
	want(t, k.SignIns.Reauthenticate(ctx, by, signin.Proof{Password: &right, Code: wrong(code)}), challenge.ErrCodeInvalid)
	want(t, k.SignIns.Reauthenticate(ctx, by, signin.Proof{Password: &bad, Code: code}), auth.ErrWrongPassword)
	want(t, must.Err(k.SecondFactors.RenewRecoveryCodes(ctx, by)), user.ErrProofNeeded)
	k.Prove(t, by, code)
	must.Get(k.SecondFactors.RenewRecoveryCodes(ctx, by))(t)
	want(t, k.SignIns.Reauthenticate(ctx, by, signin.Proof{Password: &right, Code: code}), challenge.ErrCodeInvalid)
}

func reauthenticatedByMail(t *testing.T, k *authkit.Fixture) {
	admin := k.CreateCaller(t, "root@example.org", user.Admin)
	must.Get(k.Invitations.Invite(ctx, admin, "ann@example.org", user.EN))(t)
	link := k.LastMail(t, message.Invitation, "ann@example.org").Link
	g := must.Get(k.Invitations.Accept(ctx, link[strings.Index(link, "token=")+len("token="):], nil, authkit.Firefox))(t)
	by := k.CallerOf(t, g)
	must.Do(t, k.SignIns.RequestCode(ctx, "ann@example.org", user.EN, authkit.Firefox))
	code, password := k.LastMail(t, message.SignInCode, "ann@example.org").Code, ""
	want(t, k.SignIns.Reauthenticate(ctx, by, signin.Proof{Password: &password, Code: wrong(code)}), challenge.ErrCodeInvalid)
	want(t, k.SignIns.Reauthenticate(ctx, admin, signin.Proof{Code: code}), auth.ErrPasswordMissing)
	must.Do(t, k.SignIns.Reauthenticate(ctx, by, signin.Proof{Code: code}))
	must.Get(k.SecondFactors.Start(ctx, by))(t)
	want(t, k.SignIns.Reauthenticate(ctx, by, signin.Proof{Code: code}), challenge.ErrCodeInvalid)
}

func mailedCodeAndFactor(t *testing.T, k *authkit.Fixture) {
	_, app := withSecondFactor(t, k, "ann@example.org")
	must.Do(t, k.SignIns.RequestCode(ctx, "ann@example.org", user.EN, authkit.Firefox))
	code := k.LastMail(t, message.SignInCode, "ann@example.org").Code
	_, err := k.SignIns.SignInWithCode(ctx, signin.CodeSignInRequest{Email: "ann@example.org", Code: code, Remember: true, From: authkit.Firefox})
	want(t, err, auth.ErrSecondFactorRequired)
	id := fault.As(err).Details["challenge"]
	want(t, must.Err(complete(k, id, code, authkit.Firefox)), challenge.ErrCodeInvalid)
	g := must.Get(complete(k, id, app.Next(), authkit.Firefox))(t)
	if g.Session.Factors != 2 || g.Session.IdleTimeout != session.IdleTimeoutRemembered {
		t.Errorf("session is %+v", g.Session)
	}
}

func unprovedChanges(t *testing.T, k *authkit.Fixture) {
	by, app := withSecondFactor(t, k, "ann@example.org")
	k.Clock.Advance(session.ProofLifetime)
	limited := by
	limited.Client, limited.Scopes = "some client", "openid"
	for caller, refusal := range map[user.Caller]error{by: user.ErrProofNeeded, limited: user.ErrForbidden, {}: user.ErrUnauthenticated} {
		for name, change := range map[string]func() error{
			"start":   func() error { _, err := k.SecondFactors.Start(ctx, caller); return err },
			"confirm": func() error { _, err := k.SecondFactors.Confirm(ctx, caller, app.Next()); return err },
			"disable": func() error { return k.SecondFactors.Disable(ctx, caller, app.Next()) },
			"renew":   func() error { _, err := k.SecondFactors.RenewRecoveryCodes(ctx, caller); return err },
		} {
			must.Refuse(t, change(), refusal, name)
		}
	}
	want(t, k.SignIns.Reauthenticate(ctx, limited, signin.Proof{}), user.ErrForbidden)
}

func suspendedSecondFactor(t *testing.T, k *authkit.Fixture) {
	by, app := withSecondFactor(t, k, "ann@example.org")
	atomically(t, k.Store, func(ctx context.Context, st auth.Stores) error {
		u, err := st.LockUser(ctx, by.ID)
		if err != nil {
			return err
		}
		u.SuspendedAt = k.Clock.Now()
		return st.SaveUser(ctx, u)
	})
	id := challengeOf(t, k, "ann@example.org", authkit.Firefox)
	want(t, must.Err(complete(k, id, wrong(app.Next()), authkit.Firefox)), challenge.ErrCodeInvalid)
	want(t, must.Err(complete(k, id, app.Next(), authkit.Firefox)), user.ErrSuspended)
}

func resetKeepsFactor(t *testing.T, k *authkit.Fixture) {
	_, app := withSecondFactor(t, k, "ann@example.org")
	resetPasswordOf(t, k, "ann@example.org")
	signInWithBoth(t, k, "ann@example.org", app.Next())
}

func resetPasswordOf(t *testing.T, k *authkit.Fixture, email string) {
	t.Helper()
	must.Do(t, k.Passwords.RequestReset(ctx, email, user.EN, authkit.Firefox))
	must.Do(t, k.Passwords.Reset(ctx, email, k.LastMail(t, message.PasswordReset, email).Code, authkit.Password, authkit.Firefox))
}

func foreignSecondFactor(t *testing.T, k *authkit.Fixture) {
	ann, _ := withSecondFactor(t, k, "ann@example.org")
	bob := k.CreateCaller(t, "bob@example.org", user.Regular)
	want(t, must.Err(k.SecondFactors.Enabled(ctx, bob, ann.ID)), user.ErrForbidden)
	admin := k.CreateCaller(t, "root@example.org", user.Admin)
	if on, err := k.SecondFactors.Enabled(ctx, admin, ann.ID); err != nil || !on {
		t.Errorf("the second factor is on: %t, %v", on, err)
	}
}

func requiredSecondFactor(t *testing.T, k *authkit.Fixture) {
	owner := k.CreateCaller(t, "root@example.org", user.Owner)
	if owner.Role != user.Regular || !owner.RoleWithheld {
		t.Errorf("caller is %+v", owner)
	}
	want(t, must.Err(k.Users.SetRole(ctx, owner, owner.ID, user.Admin)), user.ErrSecondFactorNeeded)
	want(t, must.Err(k.Users.List(ctx, owner, account.UserQuery{First: 1})), user.ErrSecondFactorNeeded)
	must.Get(k.Users.Me(ctx, owner))(t)
	app := k.EnableSecondFactor(t, owner)
	_, err := k.Users.List(ctx, owner, account.UserQuery{First: 1})
	want(t, err, user.ErrSecondFactorNeeded) // signed in without it
	g := signInWithBoth(t, k, "root@example.org", app.Next())
	must.Get(k.Users.List(ctx, k.CallerOf(t, g), account.UserQuery{First: 1}))(t)
	info, err := k.Authenticator.Introspect(ctx, g.AccessToken)
	if err != nil || info.Role != user.Owner {
		t.Errorf("the token's role is %d, %v; want %d", info.Role, err, user.Owner)
	}
	regular := k.CreateCaller(t, "ann@example.org", user.Regular)
	want(t, must.Err(k.Users.List(ctx, regular, account.UserQuery{First: 1})), user.ErrForbidden)
	if regular.RoleWithheld {
		t.Error("a regular user has to set up a second factor")
	}
}

// Package authcontract holds the contract suites of auth's ports. Every adapter runs them.
package authcontract

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/signin"
	"github.com/octavo-books/octavo/domain/campus"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

// Open returns empty stores.
type Open func(t *testing.T) authkit.Stores

// UseCases tests the observable behaviour of auth's use cases over the stores of an
// adapter.
func UseCases(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"a code creates an account that can sign in":                              codeMakesAnAccount,
		"a link creates an account with a profile, and may be used twice":         linkMakesAnAccount,
		"bad input is refused with an error that names it":                        badInput,
		"signing up with a taken address succeeds and mails its owner":            takenAddress,
		"sign-ups with the same password keep that password":                      samePassword,
		"a sign-up by somebody else sets no password for an address":              plantedPassword,
		"a different password is remembered after its sign-up is evicted":         evicted,
		"a code is invalid for a client after five wrong attempts":                fiveAttempts,
		"a code expires and is valid for one address only":                        codeBounds,
		"a resend invalidates the older code":                                     resendInvalidates,
		"mails to one address are limited, and the response does not reveal it":   mailBounds,
		"sign-ups by one client are limited":                                      signUpBound,
		"every failed sign-in has the same error and does the same work":          signInRevealsNothing,
		"after ten wrong passwords the client has to wait, but the owner has not": signInFailures,
		"an outdated hash is replaced at sign-in":                                 rehash,
		"a full queue is unavailable and counts no failure":                       fullQueue,
		"the first sign-in is mailed unless the account is new":                   firstDevice,
		"a sign-in with a new browser is mailed once":                             newDevice,
		"a reset sets a new password and ends all sessions":                       resetPassword,
		"a reset code is valid once and for one address":                          resetBounds,
		"changing the password keeps only the current session":                    changePassword,
		"an invitation is accepted with or without a password":                    acceptInvitation,
		"accepting an invitation deletes the sign-ups of its address":             invitationVoids,
		"deleting expired data leaves the rest":                                   deleteExpired,
		"an invitation can be replaced and revoked":                               inviteAgain,
		"an invitation is void after its sender was demoted":                      demotedInviter,
		"an invitation is void after its sender was deleted":                      erasedInviter,
		"no password contains control characters or U+FFFD":                       onePasswordSpelling,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
	sessionCases(t, open)
	guessingCases(t, open)
	strangerCases(t, open)
	signInCodeCases(t, open)
	suspensionCases(t, open)
	leavingCases(t, open)
	emailChangeCases(t, open)
	exportCases(t, open)
	throttleCases(t, open)
	linkCases(t, open)
	userCases(t, open)
	eventCases(t, open)
	openIDCases(t, open)
	freshnessCases(t, open)
	logoutCases(t, open)
	externalSignInCases(t, open)
	externalOnlyCases(t, open)
	provisioningCases(t, open)
	unseenCases(t, open)
	privacyCases(t, open)
	passkeyCases(t, open)
	secondFactorCases(t, open)
	takeoverCases(t, open)
	campusCases(t, open)
}

var ctx = context.Background()

func want(t *testing.T, err, target error) {
	t.Helper()
	if !errors.Is(err, target) {
		t.Fatalf("error is %v, want %v", err, target)
	}
}

func signUp(t *testing.T, k *authkit.Fixture, email, password string) {
	t.Helper()
	must.Do(t, k.Accounts.SignUp(ctx, account.SignUpRequest{Email: email, Password: password, From: authkit.Firefox}))
}

func signIn(k *authkit.Fixture, email, password string, from user.ClientInfo) (auth.TokenPair, error) {
	return k.SignIns.SignIn(ctx, signin.Request{Email: email, Password: password, From: from})
}

func student() *user.Profile {
	return &user.Profile{FirstName: " Ann ", LastName: "Lee", University: "Rochester", CampusMailbox: "CPU 271", PaymentUsername: "ann-lee"}
}

func codeMakesAnAccount(t *testing.T, k *authkit.Fixture) {
	signUp(t, k, " Ann@Example.ORG ", authkit.Password)
	m := k.LastMail(t, message.Verification, "ann@example.org")
	if len(m.Code) != 8 || m.Link != "" || m.Lang != user.EN || m.ExpiresAt.Sub(m.CreatedAt) != 10*time.Minute {
		t.Fatalf("mail is %+v", m)
	}
	want(t, must.Err(signIn(k, "ann@example.org", authkit.Password, authkit.Firefox)), auth.ErrInvalidCredentials)
	must.Do(t, k.Accounts.VerifyEmail(ctx, "ANN@example.org", " "+m.Code[:4]+" "+m.Code[4:], authkit.Firefox))
	want(t, k.Accounts.VerifyEmail(ctx, "ann@example.org", m.Code, authkit.Firefox), challenge.ErrCodeInvalid)
	g := must.Get(signIn(k, "ann@example.org", authkit.Password, authkit.Firefox))(t)
	by := k.CallerOf(t, g)
	if by.ID != g.User.ID || by.Session != g.Session.ID || by.Role != user.Regular || by.Student {
		t.Fatalf("caller is %+v", by)
	}
	me := must.Get(k.Users.Me(ctx, by))(t)
	if me.Email != "ann@example.org" || !me.Verified || me.Profile != nil || !me.CreatedAt.Equal(k.Clock.Now()) {
		t.Fatalf("me is %+v", me)
	}
}

func linkMakesAnAccount(t *testing.T, k *authkit.Fixture) {
	in := account.SignUpRequest{Email: "ann@u.EDU", Password: authkit.Password, Lang: user.FR, Profile: student(), ByLink: true, From: authkit.Firefox, Request: "sealed"}
	must.Do(t, k.Accounts.SignUp(ctx, in))
	m := k.LastMail(t, message.Verification, "ann@u.edu")
	token, found := strings.CutPrefix(m.Link, "https://octavo.example/api/auth/confirm/")
	if !found || m.Code != "" || m.Lang != user.FR {
		t.Fatalf("mail is %+v", m)
	}
	for range 2 {
		pending := must.Get(k.Accounts.Pending(ctx, token))(t)
		if pending != (account.Confirmation{Email: "ann@u.edu", Name: "Ann Lee", Request: "sealed"}) {
			t.Fatalf("pending is %+v", pending)
		}
	}
	want(t, must.Err(signIn(k, "ann@u.edu", authkit.Password, authkit.Firefox)), auth.ErrInvalidCredentials)
	for range 2 {
		must.Do(t, k.Accounts.ConfirmLink(ctx, token, "", authkit.Firefox))
	}
	if pending, err := k.Accounts.Pending(ctx, token); err != nil || !pending.Done {
		t.Fatalf("pending is %+v, %v", pending, err)
	}
	if needed, err := k.Accounts.PasswordNeeded(ctx, token); err != nil || needed {
		t.Fatalf("a password is needed: %t, %v", needed, err)
	}
	by := k.CallerOf(t, k.SignIn(t, "ann@u.edu"))
	me := must.Get(k.Users.Me(ctx, by))(t)
	if !by.Student || me.Profile == nil || me.Profile.FirstName != "Ann" || me.Lang != user.FR {
		t.Fatalf("me is %+v, %+v", me, me.Profile)
	}
	for _, bad := range []string{"", token + "A", token[1:] + "A", "../" + token, strings.Repeat("A", 4000)} {
		want(t, k.Accounts.ConfirmLink(ctx, bad, "", authkit.Firefox), challenge.ErrLinkInvalid)
		want(t, must.Err(k.Accounts.Pending(ctx, bad)), challenge.ErrLinkInvalid)
		want(t, must.Err(k.Accounts.PasswordNeeded(ctx, bad)), challenge.ErrLinkInvalid)
	}
	k.Clock.Advance(24 * time.Hour)
	want(t, must.Err(k.Accounts.Pending(ctx, token)), challenge.ErrLinkInvalid)
}

func badInput(t *testing.T, k *authkit.Fixture) {
	try := func(change func(*account.SignUpRequest)) error {
		in := account.SignUpRequest{Email: "ann@u.edu", Password: authkit.Password, Profile: student(), From: authkit.Firefox}
		change(&in)
		return k.Accounts.SignUp(ctx, in)
	}
	want(t, try(func(in *account.SignUpRequest) { in.Email = "ann" }), user.ErrEmailInvalid)
	want(t, try(func(in *account.SignUpRequest) { in.Email = "ann@example.org" }), campus.ErrAddress)
	want(t, try(func(in *account.SignUpRequest) { in.Password = "short" }), user.ErrPasswordInvalid)
	want(t, try(func(in *account.SignUpRequest) { in.Password = "ANN@u.edu" }), user.ErrPasswordInvalid)
	want(t, try(func(in *account.SignUpRequest) { in.Profile.LastName = " " }), user.ErrProfileInvalid)
	want(t, k.Accounts.ResendVerification(ctx, account.ResendRequest{Email: "ann@"}), user.ErrEmailInvalid)
	want(t, k.Accounts.VerifyEmail(ctx, "ann@", "12345678", authkit.Firefox), challenge.ErrCodeInvalid)
	want(t, k.Accounts.VerifyEmail(ctx, "ann@u.edu", "1234567x", authkit.Firefox), challenge.ErrCodeInvalid)
	want(t, k.Passwords.Reset(ctx, "ann@", "12345678", authkit.Password, authkit.Firefox), challenge.ErrCodeInvalid)
	want(t, k.Passwords.Reset(ctx, "ann@u.edu", "1", authkit.Password, authkit.Firefox), challenge.ErrCodeInvalid)
	want(t, k.Passwords.Reset(ctx, "ann@u.edu", "12345678", "password", authkit.Firefox), user.ErrPasswordInvalid)
	must.Do(t, k.Passwords.RequestReset(ctx, "ann@", user.EN, authkit.Firefox))
	if n := len(k.Store.Messages()); n != 0 {
		t.Fatalf("%d mails were sent, want 0", n)
	}
}

func takenAddress(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	verifications := len(k.Mails(message.Verification, "ann@example.org"))
	signUp(t, k, "ann@example.org", "something else entirely")
	if m := k.LastMail(t, message.AccountExists, "ann@example.org"); m.Code != "" || m.Link != "" {
		t.Fatalf("mail is %+v", m)
	}
	k.Clock.Advance(time.Hour)
	must.Do(t, k.Accounts.ResendVerification(ctx, account.ResendRequest{Email: "ann@example.org", From: authkit.Firefox}))
	if n := len(k.Mails(message.Verification, "ann@example.org")); n != verifications {
		t.Fatalf("%d verification mails, had %d", n, verifications)
	}
	k.SignIn(t, "ann@example.org")
}

func samePassword(t *testing.T, k *authkit.Fixture) {
	for range 3 {
		signUp(t, k, "ann@example.org", authkit.Password)
	}
	codes := k.Mails(message.Verification, "ann@example.org")
	must.Do(t, k.Accounts.VerifyEmail(ctx, "ann@example.org", codes[1].Code, authkit.Firefox))
	want(t, k.Accounts.VerifyEmail(ctx, "ann@example.org", codes[0].Code, authkit.Firefox), challenge.ErrCodeInvalid)
	k.SignIn(t, "ann@example.org")
	if n := len(k.Mails(message.PasswordReset, "ann@example.org")); n != 0 {
		t.Fatalf("%d reset mails, want 0", n)
	}
}

func plantedPassword(t *testing.T, k *authkit.Fixture) {
	signUp(t, k, "ann@example.org", "the stranger's password")
	signUp(t, k, "ann@example.org", authkit.Password)
	signUp(t, k, "ann@example.org", "the stranger's password")
	codes := k.Mails(message.Verification, "ann@example.org")
	must.Do(t, k.Accounts.VerifyEmail(ctx, "ann@example.org", codes[2].Code, authkit.Firefox))
	for _, p := range []string{"the stranger's password", authkit.Password} {
		want(t, must.Err(signIn(k, "ann@example.org", p, authkit.Chrome)), auth.ErrInvalidCredentials)
	}
	code := k.LastMail(t, message.PasswordReset, "ann@example.org").Code
	must.Do(t, k.Passwords.Reset(ctx, "ann@example.org", code, authkit.Password, authkit.Firefox))
	k.SignIn(t, "ann@example.org")
}

func evicted(t *testing.T, k *authkit.Fixture) {
	signUp(t, k, "ann@example.org", authkit.Password)
	for range user.MaxRegistrations + 5 {
		signUp(t, k, "ann@example.org", "the stranger's password")
	}
	k.Clock.Advance(time.Minute)
	must.Do(t, k.Accounts.ResendVerification(ctx, account.ResendRequest{Email: "ann@example.org", From: authkit.Firefox}))
	must.Do(t, k.Accounts.VerifyEmail(ctx, "ann@example.org", k.LastMail(t, message.Verification, "ann@example.org").Code, authkit.Firefox))
	want(t, must.Err(signIn(k, "ann@example.org", "the stranger's password", authkit.Firefox)), auth.ErrInvalidCredentials)
	k.LastMail(t, message.PasswordReset, "ann@example.org")
}

// wrong returns a code other than the right one.
func wrong(code string) string { return string('0'+(code[0]-'0'+1)%10) + code[1:] }

func fiveAttempts(t *testing.T, k *authkit.Fixture) {
	signUp(t, k, "ann@example.org", authkit.Password)
	signUp(t, k, "bob@example.org", authkit.Password)
	ann, bob := k.LastMail(t, message.Verification, "ann@example.org").Code, k.LastMail(t, message.Verification, "bob@example.org").Code
	for range 4 {
		want(t, k.Accounts.VerifyEmail(ctx, "bob@example.org", wrong(bob), authkit.Firefox), challenge.ErrCodeInvalid)
	}
	must.Do(t, k.Accounts.VerifyEmail(ctx, "bob@example.org", bob, authkit.Firefox))
	for range 5 {
		want(t, k.Accounts.VerifyEmail(ctx, "ann@example.org", wrong(ann), authkit.Firefox), challenge.ErrCodeInvalid)
	}
	want(t, k.Accounts.VerifyEmail(ctx, "ann@example.org", ann, authkit.Firefox), challenge.ErrCodeInvalid)
	must.Do(t, k.Accounts.VerifyEmail(ctx, "ann@example.org", ann, authkit.Chrome))
}

func codeBounds(t *testing.T, k *authkit.Fixture) {
	signUp(t, k, "ann@example.org", authkit.Password)
	code := k.LastMail(t, message.Verification, "ann@example.org").Code
	k.CreateUser(t, "bob@example.org")
	must.Do(t, k.Passwords.RequestReset(ctx, "bob@example.org", user.EN, authkit.Firefox))
	reset := k.LastMail(t, message.PasswordReset, "bob@example.org").Code
	want(t, k.Accounts.VerifyEmail(ctx, "bob@example.org", code, authkit.Firefox), challenge.ErrCodeInvalid)
	want(t, k.Passwords.Reset(ctx, "ann@example.org", code, authkit.Password, authkit.Firefox), challenge.ErrCodeInvalid)
	want(t, k.Accounts.VerifyEmail(ctx, "bob@example.org", reset, authkit.Firefox), challenge.ErrCodeInvalid)
	k.Clock.Advance(10 * time.Minute)
	want(t, k.Accounts.VerifyEmail(ctx, "ann@example.org", code, authkit.Firefox), challenge.ErrCodeInvalid)
	want(t, k.Passwords.Reset(ctx, "bob@example.org", reset, authkit.Password, authkit.Firefox), challenge.ErrCodeInvalid)
}

func resendInvalidates(t *testing.T, k *authkit.Fixture) {
	signUp(t, k, "ann@example.org", authkit.Password)
	first := k.LastMail(t, message.Verification, "ann@example.org").Code
	must.Do(t, k.Accounts.ResendVerification(ctx, account.ResendRequest{Email: "ann@example.org", ByLink: true, Lang: user.FR, From: authkit.Firefox}))
	m := k.LastMail(t, message.Verification, "ann@example.org")
	token := m.Link[strings.LastIndex(m.Link, "/")+1:]
	want(t, k.Accounts.VerifyEmail(ctx, "ann@example.org", first, authkit.Firefox), challenge.ErrCodeInvalid)
	must.Get(k.Accounts.Pending(ctx, token))(t)
	k.Clock.Advance(time.Minute)
	must.Do(t, k.Accounts.ResendVerification(ctx, account.ResendRequest{Email: "ann@example.org", From: authkit.Firefox}))
	want(t, k.Accounts.ConfirmLink(ctx, token, "", authkit.Firefox), challenge.ErrLinkInvalid)
	must.Do(t, k.Accounts.VerifyEmail(ctx, "ann@example.org", k.LastMail(t, message.Verification, "ann@example.org").Code, authkit.Firefox))
	k.SignIn(t, "ann@example.org")
}

func mailBounds(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "bob@example.org")
	signUp(t, k, "ann@example.org", authkit.Password)
	mails := func(kind message.Kind, to string) int { return len(k.Mails(kind, to)) }
	ask := func() {
		for range 3 {
			must.Do(t, k.Accounts.ResendVerification(ctx, account.ResendRequest{Email: "ann@example.org", From: authkit.Firefox}))
			must.Do(t, k.Accounts.ResendVerification(ctx, account.ResendRequest{Email: "nobody@example.org", From: authkit.Firefox}))
			must.Do(t, k.Passwords.RequestReset(ctx, "bob@example.org", user.EN, authkit.Firefox))
			must.Do(t, k.Passwords.RequestReset(ctx, "nobody@example.org", user.EN, authkit.Firefox))
		}
	}
	ask()
	if v, r := mails(message.Verification, "ann@example.org"), mails(message.PasswordReset, "bob@example.org"); v != 2 || r != 1 {
		t.Fatalf("%d verification mails and %d reset mails within a minute", v, r)
	}
	for range 10 {
		k.Clock.Advance(time.Minute)
		ask()
	}
	if v, r := mails(message.Verification, "ann@example.org"), mails(message.PasswordReset, "bob@example.org"); v != 6 || r != 5 {
		t.Fatalf("%d verification mails and %d reset mails within an hour", v, r)
	}
	if n := mails(message.Verification, "nobody@example.org") + mails(message.PasswordReset, "nobody@example.org"); n != 0 {
		t.Fatalf("%d mails to a stranger, want 0", n)
	}
}

func signUpBound(t *testing.T, k *authkit.Fixture) {
	rule := k.Config.Rules.SignUps
	for i := range rule.Burst {
		signUp(t, k, strings.Repeat("a", i%60+1)+string(rune('a'+i/60))+"@example.org", authkit.Password)
	}
	err := k.Accounts.SignUp(ctx, account.SignUpRequest{Email: "ann@example.org", Password: authkit.Password, From: authkit.Firefox})
	want(t, err, limit.ErrExceeded)
	must.Do(t, k.Accounts.SignUp(ctx, account.SignUpRequest{Email: "ann@example.org", Password: authkit.Password, From: authkit.Chrome}))
}

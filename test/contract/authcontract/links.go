package authcontract

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func linkCases(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"a sign-up whose mail was sent is not evicted":                      notEvicted,
		"of sign-ups without a mail the newest twenty remain":               unmailedAreBounded,
		"a resent link is valid as long as its mail says":                   resentLink,
		"a link or code without a sign-up confirms nothing":                 deadLink,
		"a password chosen on the link's page replaces that of the sign-up": ownPassword,
		"a link is still valid after a refused password":                    refusedPassword,
		"a used link sets no password":                                      usedLink,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
}

// signUpByLink signs ann@u.edu up and returns the token of the link, or "" if no mail
// was sent.
func signUpByLink(t *testing.T, k *authkit.Fixture, password string, from user.ClientInfo) string {
	t.Helper()
	before := len(k.Mails(message.Verification, "ann@u.edu"))
	must.Do(t, k.Accounts.SignUp(ctx, account.SignUpRequest{Email: "ann@u.edu", Password: password, Profile: student(), ByLink: true, From: from}))
	mails := k.Mails(message.Verification, "ann@u.edu")
	if len(mails) == before {
		return ""
	}
	return tokenOf(mails[before])
}

func tokenOf(m message.Message) string { return m.Link[strings.LastIndex(m.Link, "/")+1:] }

func hasAccount(t *testing.T, k *authkit.Fixture, email user.Email) bool {
	t.Helper()
	u, err := k.Store.Identity.FindUserByEmail(ctx, email)
	return err == nil && u.Verified
}

func notEvicted(t *testing.T, k *authkit.Fixture) {
	token := signUpByLink(t, k, authkit.Password, authkit.Firefox)
	for i := range 3 * user.MaxRegistrations {
		signUpByLink(t, k, fmt.Sprintf("the stranger's password %d", i), stranger(i))
	}
	must.Do(t, k.Accounts.ConfirmLink(ctx, token, "", authkit.Firefox))
	if !hasAccount(t, k, "ann@u.edu") {
		t.Fatal("there is no account")
	}
	for _, password := range []string{authkit.Password, "the stranger's password 0"} { // it is unknown which one is the owner's
		want(t, must.Err(signIn(k, "ann@u.edu", password, authkit.Chrome)), auth.ErrInvalidCredentials)
	}
	k.LastMail(t, message.PasswordReset, "ann@u.edu")
}

func unmailedAreBounded(t *testing.T, k *authkit.Fixture) {
	mails := k.Config.Rules.SignUpMails[0].Burst
	for i := range mails + 3*user.MaxRegistrations {
		signUpByLink(t, k, authkit.Password, stranger(i))
	}
	must.Do(t, k.Store.Identity.Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
		all, err := k.Store.Identity.AccountStore(st).LockRegistrations(ctx, "ann@u.edu", k.Clock.Now())
		if n := len(all); n != mails+user.MaxRegistrations {
			t.Errorf("%d sign-ups are stored, want %d", n, mails+user.MaxRegistrations)
		}
		return err
	}))
}

func resentLink(t *testing.T, k *authkit.Fixture) {
	signUpByLink(t, k, authkit.Password, authkit.Firefox)
	k.Clock.Advance(23 * time.Hour)
	must.Do(t, k.Accounts.ResendVerification(ctx, account.ResendRequest{Email: "ann@u.edu", ByLink: true, From: authkit.Firefox}))
	m := k.LastMail(t, message.Verification, "ann@u.edu")
	k.Clock.Advance(m.ExpiresAt.Sub(k.Clock.Now()) - time.Second)
	must.Do(t, k.Housekeeping.DeleteExpired(ctx))
	must.Get(k.Accounts.Pending(ctx, tokenOf(m)))(t)
	must.Do(t, k.Accounts.ConfirmLink(ctx, tokenOf(m), "", authkit.Firefox))
	k.SignIn(t, "ann@u.edu")
}

// deadLink deletes the sign-up of one link, and creates an account with the address of
// another.
func deadLink(t *testing.T, k *authkit.Fixture) {
	token := signUpByLink(t, k, authkit.Password, authkit.Firefox)
	signUp(t, k, "bob@example.org", authkit.Password)
	code := k.LastMail(t, message.Verification, "bob@example.org").Code
	must.Do(t, k.Store.Identity.WithAddressLock(ctx, []user.Email{"ann@u.edu", "bob@example.org"}, func(ctx context.Context, st auth.Stores) error {
		if err := k.Store.Identity.AccountStore(st).DeleteRegistrations(ctx, "bob@example.org"); err != nil {
			return err
		}
		return k.Store.Identity.AccountStore(st).DeleteRegistrations(ctx, "ann@u.edu")
	}))
	linkIsDead(t, k, token)
	want(t, k.Accounts.VerifyEmail(ctx, "bob@example.org", code, authkit.Firefox), challenge.ErrCodeInvalid)

	token = signUpByLink(t, k, authkit.Password, authkit.Firefox)
	must.Get(k.Users.Import(ctx, strings.NewReader("ann@u.edu,x:y\n"), account.ImportOptions{}))(t)
	linkIsDead(t, k, token)
}

func linkIsDead(t *testing.T, k *authkit.Fixture, token string) {
	t.Helper()
	for range 2 {
		want(t, must.Err(k.Accounts.Pending(ctx, token)), challenge.ErrLinkInvalid)
		want(t, k.Accounts.ConfirmLink(ctx, token, "", authkit.Firefox), challenge.ErrLinkInvalid)
		want(t, k.Accounts.ConfirmLink(ctx, token, otherPassword, authkit.Firefox), challenge.ErrLinkInvalid)
	}
}

func ownPassword(t *testing.T, k *authkit.Fixture) {
	const planted = "the stranger's password"
	token := signUpByLink(t, k, planted, stranger(1))
	signUpByLink(t, k, "another stranger's password", stranger(2))
	must.Do(t, k.Accounts.ConfirmLink(ctx, token, authkit.Password, authkit.Firefox))
	for range 2 {
		want(t, k.Accounts.ConfirmLink(ctx, token, planted, stranger(1)), account.ErrAlreadyConfirmed)
		must.Do(t, k.Accounts.ConfirmLink(ctx, token, "", stranger(1)))
	}
	want(t, must.Err(signIn(k, "ann@u.edu", planted, stranger(1))), auth.ErrInvalidCredentials)
	k.SignIn(t, "ann@u.edu")
	if n := len(k.Mails(message.PasswordReset, "ann@u.edu")); n != 0 {
		t.Fatalf("%d reset mails, want 0", n)
	}
}

func refusedPassword(t *testing.T, k *authkit.Fixture) {
	token := signUpByLink(t, k, "the stranger's password", stranger(1))
	for _, bad := range []string{"short", "ann@u.edu", "password", "correct\x00horse"} {
		want(t, k.Accounts.ConfirmLink(ctx, token, bad, authkit.Firefox), user.ErrPasswordInvalid)
	}
	if hasAccount(t, k, "ann@u.edu") {
		t.Fatal("there is an account")
	}
	must.Do(t, k.Accounts.ConfirmLink(ctx, token, authkit.Password, authkit.Firefox))
	k.SignIn(t, "ann@u.edu")
}

func usedLink(t *testing.T, k *authkit.Fixture) {
	token := signUpByLink(t, k, authkit.Password, authkit.Firefox)
	errs := make([]error, 8)
	must.Together(len(errs), func(i int) {
		errs[i] = k.Accounts.ConfirmLink(ctx, token, fmt.Sprintf("%s %d", otherPassword, i), authkit.Firefox)
	})
	set := 0
	for i, err := range errs {
		if err != nil {
			want(t, err, account.ErrAlreadyConfirmed)
			continue
		}
		set++
		must.Get(signIn(k, "ann@u.edu", fmt.Sprintf("%s %d", otherPassword, i), authkit.Firefox))(t)
	}
	if set != 1 {
		t.Fatalf("one link set %d passwords, want 1", set)
	}
}

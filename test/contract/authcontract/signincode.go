package authcontract

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/signin"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func signInCodeCases(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"a mailed code signs in once, without a recent proof":                         codeSignsIn,
		"a sign-in code expires, and its address must be the one it was for":          signInCodeBounds,
		"a code cannot be used for another purpose":                                   codesOfOtherPurposes,
		"one code used many times at once signs in once":                              oneCodeAtOnce,
		"strangers cannot use up the attempts at a known client's sign-in code":       usedUpSignInCode,
		"strangers cannot use up a known client's sign-in mails":                      usedUpSignInMails,
		"sign-in mails have a limit of their own, which the response does not reveal": signInMailBounds,
		"ten wrong sign-in codes make a client wait as wrong passwords do":            signInCodeFailures,
		"a request for a code does not reveal whether an address has an account":      signInCodeRevealsNothing,
		"simultaneous wrong codes are all counted":                                    wrongSignInCodesAtOnce,
		"an account without a password signs in with a code":                          codeWithoutPassword,
		"malformed codes and addresses are refused like a wrong code":                 badSignInCodes,
		"a code of a deleted account does not sign in to a new one with its address":  codeOfErased,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
}

func askCode(t *testing.T, k *authkit.Fixture, email string, from user.ClientInfo) {
	t.Helper()
	must.Do(t, k.SignIns.RequestCode(ctx, email, user.EN, from))
}

func signInCodes(k *authkit.Fixture) []message.Message {
	return k.Mails(message.SignInCode, "ann@example.org")
}

func enterCode(k *authkit.Fixture, email, code string, from user.ClientInfo) (auth.TokenPair, error) {
	return k.SignIns.SignInWithCode(ctx, signin.CodeSignInRequest{Email: email, Code: code, From: from})
}

func wantCode(t *testing.T, k *authkit.Fixture, email, code string, from user.ClientInfo, target error) {
	t.Helper()
	want(t, must.Err(enterCode(k, email, code, from)), target)
}

func codeSignsIn(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	must.Do(t, k.SignIns.RequestCode(ctx, " ANN@example.org ", user.FR, authkit.Firefox))
	m := k.LastMail(t, message.SignInCode, "ann@example.org")
	if len(m.Code) != 8 || m.Lang != user.FR || m.ExpiresAt.Sub(m.CreatedAt) != 10*time.Minute {
		t.Fatalf("mail is %+v", m)
	}
	g := must.Get(k.SignIns.SignInWithCode(ctx, signin.CodeSignInRequest{
		Email: "Ann@example.org", Code: m.Code[:4] + " " + m.Code[4:], Remember: true, From: authkit.Firefox,
	}))(t)
	if g.Session.Factors != 1 || !g.Session.ProvedAt.IsZero() || g.Session.IdleTimeout != 30*24*time.Hour {
		t.Fatalf("session is %+v", g.Session)
	}
	if by := k.CallerOf(t, g); by.ID != g.User.ID || by.Session != g.Session.ID {
		t.Fatalf("caller is %+v", by)
	}
	wantCode(t, k, "ann@example.org", m.Code, authkit.Firefox, challenge.ErrCodeInvalid)
}

func signInCodeBounds(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	k.CreateUser(t, "bob@example.org")
	askCode(t, k, "ann@example.org", authkit.Firefox)
	code := k.LastMail(t, message.SignInCode, "ann@example.org").Code
	wantCode(t, k, "bob@example.org", code, authkit.Firefox, challenge.ErrCodeInvalid)
	askCode(t, k, "bob@example.org", authkit.Firefox)
	wantCode(t, k, "bob@example.org", code, authkit.Firefox, challenge.ErrCodeInvalid)
	k.Clock.Advance(10 * time.Minute)
	wantCode(t, k, "ann@example.org", code, authkit.Firefox, challenge.ErrCodeInvalid)
	askCode(t, k, "ann@example.org", authkit.Firefox)
	newer := k.LastMail(t, message.SignInCode, "ann@example.org").Code
	k.Clock.Advance(time.Minute)
	askCode(t, k, "ann@example.org", authkit.Firefox)
	wantCode(t, k, "ann@example.org", newer, authkit.Firefox, challenge.ErrCodeInvalid)
}

func codesOfOtherPurposes(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	k.Clock.Advance(time.Minute)
	askReset(t, k, authkit.Firefox)
	askCode(t, k, "ann@example.org", authkit.Firefox)
	signUp(t, k, "ann@example.org", otherPassword)
	reset, signIn := k.LastMail(t, message.PasswordReset, "ann@example.org").Code, k.LastMail(t, message.SignInCode, "ann@example.org").Code
	wantCode(t, k, "ann@example.org", reset, authkit.Firefox, challenge.ErrCodeInvalid)
	want(t, k.Passwords.Reset(ctx, "ann@example.org", signIn, otherPassword, authkit.Firefox), challenge.ErrCodeInvalid)
	want(t, k.Accounts.VerifyEmail(ctx, "ann@example.org", signIn, authkit.Firefox), challenge.ErrCodeInvalid)
	signUp(t, k, "new@example.org", authkit.Password)
	wantCode(t, k, "new@example.org", k.LastMail(t, message.Verification, "new@example.org").Code, authkit.Firefox, challenge.ErrCodeInvalid)
	must.Get(enterCode(k, "ann@example.org", signIn, authkit.Firefox))(t)
}

func oneCodeAtOnce(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	askCode(t, k, "ann@example.org", authkit.Firefox)
	code := k.LastMail(t, message.SignInCode, "ann@example.org").Code
	errs := make([]error, 5)
	must.Together(len(errs), func(i int) { _, errs[i] = enterCode(k, "ann@example.org", code, authkit.Firefox) })
	signedIn := 0
	for _, err := range errs {
		if err == nil {
			signedIn++
			continue
		}
		want(t, err, challenge.ErrCodeInvalid)
	}
	if signedIn != 1 {
		t.Fatalf("%d sign-ins with one code, want 1", signedIn)
	}
}

func usedUpSignInCode(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	k.SignIn(t, "ann@example.org")
	askCode(t, k, "ann@example.org", authkit.Firefox)
	code := k.LastMail(t, message.SignInCode, "ann@example.org").Code
	for i := range 30 {
		wantCode(t, k, "ann@example.org", wrong(code), stranger(i), challenge.ErrCodeInvalid)
	}
	wantCode(t, k, "ann@example.org", code, authkit.Chrome, challenge.ErrCodeInvalid)
	for range 4 {
		wantCode(t, k, "ann@example.org", wrong(code), authkit.Firefox, challenge.ErrCodeInvalid)
	}
	must.Get(enterCode(k, "ann@example.org", code, authkit.Firefox))(t)
}

func usedUpSignInMails(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	k.SignIn(t, "ann@example.org")
	for i := range 20 {
		askCode(t, k, "ann@example.org", stranger(i))
		k.Clock.Advance(time.Minute)
	}
	if n := len(signInCodes(k)); n != 5 {
		t.Fatalf("%d mails for unknown clients, want 5", n)
	}
	askCode(t, k, "ann@example.org", authkit.Firefox)
	askCode(t, k, "ann@example.org", stranger(50))
	mails := signInCodes(k)
	if len(mails) != 6 {
		t.Fatalf("%d mails after the known client requested one, want 6", len(mails))
	}
	must.Get(enterCode(k, "ann@example.org", mails[5].Code, authkit.Firefox))(t)
}

func signInMailBounds(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	k.Clock.Advance(time.Minute)
	askReset(t, k, authkit.Chrome)
	for range 3 {
		askCode(t, k, "ann@example.org", authkit.Chrome)
		askCode(t, k, "nobody@example.org", authkit.Chrome)
	}
	if n := len(signInCodes(k)); n != 1 {
		t.Fatalf("%d mails in a minute, want 1", n)
	}
	_, err := enterCode(k, "ann@example.org", signInCodes(k)[0].Code, authkit.Chrome) // which the limited requests did not replace
	must.Do(t, err)
}

func signInCodeFailures(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	for _, email := range []string{"ann@example.org", "nobody@example.org"} {
		for range 5 {
			wantCode(t, k, email, "00000000", authkit.Chrome, challenge.ErrCodeInvalid)
			want(t, must.Err(signIn(k, email, "wrong wrong wrong", authkit.Chrome)), auth.ErrInvalidCredentials)
		}
		wantCode(t, k, email, "00000000", authkit.Chrome, limit.ErrExceeded)
		want(t, must.Err(signIn(k, email, authkit.Password, authkit.Chrome)), limit.ErrExceeded)
	}
	k.SignIn(t, "ann@example.org") // the owner elsewhere need not wait
}

func signInCodeRevealsNothing(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	signUp(t, k, "pending@example.org", authkit.Password)
	must.Get(k.Invitations.Invite(ctx, k.CreateCaller(t, "root@example.org", user.Owner), "invited@example.org", user.EN))(t)
	before := len(k.Store.Messages())
	for _, email := range []string{"nobody@example.org", "pending@example.org", "invited@example.org", "no address", ""} {
		askCode(t, k, email, authkit.Chrome)
		wantCode(t, k, email, "12345678", authkit.Chrome, challenge.ErrCodeInvalid)
	}
	if n := len(k.Store.Messages()) - before; n != 0 {
		t.Fatalf("%d mails were sent, want 0", n)
	}
	if entries := auditActions(t, k, 0); entries["code.guessed"] != 0 {
		t.Fatalf("audit entries %v", entries)
	}
}

func wrongSignInCodesAtOnce(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	askCode(t, k, "ann@example.org", authkit.Firefox)
	code := k.LastMail(t, message.SignInCode, "ann@example.org").Code
	errs := make([]error, 40)
	must.Together(len(errs), func(i int) {
		_, errs[i] = enterCode(k, "ann@example.org", fmt.Sprintf("%s%04d", wrong(code)[:4], i), authkit.Firefox)
	})
	counted := 0
	for _, err := range errs {
		if errors.Is(err, challenge.ErrCodeInvalid) {
			counted++
			continue
		}
		want(t, err, limit.ErrExceeded)
	}
	if counted != 10 {
		t.Fatalf("%d wrong codes were compared, want 10", counted)
	}
	k.Clock.Advance(9 * time.Minute) // the client may try again, but not this code
	wantCode(t, k, "ann@example.org", code, stranger(1), nil)
}

func codeWithoutPassword(t *testing.T, k *authkit.Fixture) {
	_, token := invite(t, k, k.CreateCaller(t, "root@example.org", user.Owner), "ann@example.org")
	must.Get(k.Invitations.Accept(ctx, token, nil, authkit.Firefox))(t)
	askCode(t, k, "ann@example.org", authkit.Firefox)
	wantCode(t, k, "ann@example.org", k.LastMail(t, message.SignInCode, "ann@example.org").Code, authkit.Firefox, nil)
}

func badSignInCodes(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	askCode(t, k, "ann@example.org", authkit.Firefox)
	for _, code := range []string{"", "1234567", "123456789", "１２３４５６７８", "12345678\x00", "%d", "' OR 1=1"} {
		wantCode(t, k, "ann@example.org", code, authkit.Chrome, challenge.ErrCodeInvalid)
	}
	wantCode(t, k, "ann@", "12345678", authkit.Chrome, challenge.ErrCodeInvalid)
}

func codeOfErased(t *testing.T, k *authkit.Fixture) {
	ann := k.CreateUser(t, "ann@example.org")
	askCode(t, k, "ann@example.org", authkit.Firefox)
	code := k.LastMail(t, message.SignInCode, "ann@example.org").Code
	must.Get(k.Users.Delete(ctx, k.CreateCaller(t, "root@example.org", user.Owner), []user.ID{ann.ID}))(t)
	wantCode(t, k, "ann@example.org", code, authkit.Firefox, challenge.ErrCodeInvalid)
	k.CreateUser(t, "ann@example.org")
	wantCode(t, k, "ann@example.org", code, authkit.Firefox, challenge.ErrCodeInvalid)
}

// auditActions counts the audit entries of a user by action; 0 means all users.
func auditActions(t *testing.T, k *authkit.Fixture, of user.ID) map[string]int {
	t.Helper()
	entries := must.Get(k.Store.Identity.ListAuditEntries(ctx, account.AuditFilter{User: of}, 0, 1000))(t)
	count := map[string]int{}
	for _, e := range entries {
		count[e.Action]++
	}
	return count
}

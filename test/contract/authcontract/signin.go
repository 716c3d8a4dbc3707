package authcontract

import (
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/signin"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func signInRevealsNothing(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	signUp(t, k, "new@example.org", authkit.Password)
	work := map[int]bool{}
	for _, in := range []signin.Request{
		{Email: "ann@example.org", Password: "wrong wrong wrong"},
		{Email: "new@example.org", Password: authkit.Password},
		{Email: "nobody@example.org", Password: authkit.Password},
	} {
		before := k.Hasher.Calls
		want(t, must.Err(k.SignIns.SignIn(ctx, in)), auth.ErrInvalidCredentials)
		work[k.Hasher.Calls-before] = true
	}
	if len(work) != 1 || !work[1] {
		t.Fatalf("the amount of work differs: %v", work)
	}
	for _, in := range []signin.Request{
		{Email: "ann", Password: authkit.Password},
		{Email: "ann@example.org", Password: ""},
		{Email: "ann@example.org", Password: strings.Repeat("x", 1<<20)},
		{Email: "ann@example.org\r\nBcc: x@example.org", Password: authkit.Password},
	} {
		want(t, must.Err(k.SignIns.SignIn(ctx, in)), auth.ErrInvalidCredentials)
	}
}

// limited counts the audit entries about a client that has to wait.
func limited(entries []audit.Entry) (n int) {
	for _, e := range entries {
		if e.Action == "sign_in.limited" && e.Actor == 0 && e.IP == authkit.Chrome.IP {
			n++
		}
	}
	return n
}

func signInFailures(t *testing.T, k *authkit.Fixture) {
	ann := k.CreateUser(t, "ann@example.org")
	for range 10 {
		want(t, must.Err(signIn(k, "ann@example.org", "wrong wrong wrong", authkit.Chrome)), auth.ErrInvalidCredentials)
	}
	var before time.Duration
	for range 3 {
		_, err := signIn(k, "ann@example.org", authkit.Password, authkit.Chrome)
		want(t, err, limit.ErrExceeded)
		wait := retryAfter(err)
		if wait <= before {
			t.Fatalf("the wait is %s after %s", wait, before)
		}
		k.SignIn(t, "ann@example.org") // the owner, from another client
		k.Clock.Advance(wait)
		want(t, must.Err(signIn(k, "ann@example.org", "wrong wrong wrong", authkit.Chrome)), auth.ErrInvalidCredentials)
		before = wait
	}
	owner := k.CreateCaller(t, "root@example.org", user.Owner)
	log := must.Get(k.Users.AuditLog(ctx, owner, account.AuditQuery{AuditFilter: account.AuditFilter{User: ann.ID}, First: 100}))(t)
	if n := limited(log.Entries); n != 1 {
		t.Fatalf("%d audit entries about the guessing within minutes, want 1", n)
	}
	_, err := signIn(k, "ann@example.org", authkit.Password, authkit.Chrome)
	k.Clock.Advance(retryAfter(err))
	for range 5 {
		must.Get(signIn(k, "ann@example.org", authkit.Password, authkit.Chrome))(t)
	}
}

func rehash(t *testing.T, k *authkit.Fixture) {
	before := k.CreateUser(t, "ann@example.org").PasswordHash
	k.Hasher.OutdatedPrefix = before
	k.SignIn(t, "ann@example.org")
	u := must.Get(k.Store.Identity.FindUserByEmail(ctx, "ann@example.org"))(t)
	if u.PasswordHash == before {
		t.Fatal("the hash is unchanged")
	}
	k.SignIn(t, "ann@example.org")
}

func fullQueue(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	k.Hasher.Refusal = limit.ErrExceeded // any error
	want(t, must.Err(signIn(k, "ann@example.org", authkit.Password, authkit.Chrome)), k.Hasher.Refusal)
	want(t, k.Accounts.SignUp(ctx, account.SignUpRequest{Email: "bob@example.org", Password: authkit.Password}), k.Hasher.Refusal)
	k.Hasher.Refusal = nil
	k.SignIn(t, "ann@example.org")
}

func newDevice(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	for range 2 {
		k.SignIn(t, "ann@example.org")
		must.Get(signIn(k, "ann@example.org", authkit.Password, authkit.Chrome))(t)
	}
	mails := k.Mails(message.NewSession, "ann@example.org")
	if len(mails) != 1 {
		t.Fatalf("%d mails for the second of two browsers, want 1", len(mails))
	}
	if p := mails[0].Params; p[message.ParamBrowser] != "Chrome" || p[message.ParamSystem] != "Windows" || p[message.ParamIP] != authkit.Chrome.IP {
		t.Fatalf("mail says %v", p)
	}
}

func firstDevice(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	k.CreateUser(t, "bob@example.org")
	k.SignIn(t, "bob@example.org")
	if n := len(k.Mails(message.NewSession, "bob@example.org")); n != 0 {
		t.Fatalf("%d mails after the first sign-in to a new account, want 0", n)
	}
	k.Clock.Advance(25 * time.Hour)
	k.SignIn(t, "ann@example.org")
	if n := len(k.Mails(message.NewSession, "ann@example.org")); n != 1 {
		t.Fatalf("%d mails after the first sign-in to an account of yesterday, want 1", n)
	}
}

func deleteExpired(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "bob@example.org")
	g := k.SignIn(t, "bob@example.org")
	signUp(t, k, "ann@example.org", authkit.Password)
	must.Do(t, k.Passwords.RequestReset(ctx, "bob@example.org", user.EN, authkit.Firefox))
	admin := k.CreateCaller(t, "root@example.org", user.Admin)
	_, token := invite(t, k, admin, "carl@example.org")
	must.Do(t, k.Housekeeping.DeleteExpired(ctx))
	k.CallerOf(t, g)
	must.Do(t, k.Accounts.VerifyEmail(ctx, "ann@example.org", k.LastMail(t, message.Verification, "ann@example.org").Code, authkit.Firefox))
	must.Do(t, k.Passwords.RequestReset(ctx, "bob@example.org", user.EN, authkit.Firefox))
	if n := len(k.Mails(message.PasswordReset, "bob@example.org")); n != 1 {
		t.Fatalf("the limit of mails was deleted: %d mails, want 1", n)
	}
	must.Do(t, k.Passwords.Reset(ctx, "bob@example.org", k.LastMail(t, message.PasswordReset, "bob@example.org").Code, otherPassword, authkit.Firefox))
	must.Get(k.Invitations.Accept(ctx, token, nil, authkit.Firefox))(t)
}

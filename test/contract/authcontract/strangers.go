package authcontract

import (
	"fmt"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func strangerCases(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"a client has five attempts, and unknown clients have 25 in all": unknownAttempts,
		"unknown clients cannot use up a known client's attempts":        usedUpCode,
		"unknown clients cannot use up a known client's reset mails":     usedUpMails,
		"unknown clients cannot replace a known client's code":           knownCodeStays,
		"a reset deletes every other reset code":                         otherCodesVoid,
		"a limited request for a reset does the same work":               resetWork,
		"the last twenty clients of an account are known":                knownClients,
		"a client is known for a year at most, and only to one account":  knownFor,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
}

// stranger returns the i-th client from which nobody has signed in.
func stranger(i int) user.ClientInfo { return user.ClientInfo{IP: fmt.Sprintf("203.0.113.%d", i)} }

// askReset requests a reset of ann's password.
func askReset(t *testing.T, k *authkit.Fixture, from user.ClientInfo) {
	t.Helper()
	must.Do(t, k.Passwords.RequestReset(ctx, "ann@example.org", user.EN, from))
}

func resetMails(k *authkit.Fixture) []message.Message {
	return k.Mails(message.PasswordReset, "ann@example.org")
}

func reset(k *authkit.Fixture, code string, from user.ClientInfo) error {
	return k.Passwords.Reset(ctx, "ann@example.org", code, otherPassword, from)
}

func unknownAttempts(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	for _, lost := range []int{5, 4} { // unknown clients that use up their attempts
		askReset(t, k, authkit.Chrome)
		code := k.LastMail(t, message.PasswordReset, "ann@example.org").Code
		for i := range lost {
			for range 7 {
				want(t, reset(k, wrong(code), stranger(i)), challenge.ErrCodeInvalid)
			}
			want(t, reset(k, code, stranger(i)), challenge.ErrCodeInvalid)
		}
		if err := reset(k, code, authkit.Chrome); (err == nil) != (lost == 4) {
			t.Fatalf("after %d strangers: %v", lost, err)
		}
		k.Clock.Advance(time.Minute)
	}
}

func usedUpCode(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	k.SignIn(t, "ann@example.org")
	askReset(t, k, authkit.Firefox)
	code := k.LastMail(t, message.PasswordReset, "ann@example.org").Code
	for i := range 30 {
		want(t, reset(k, wrong(code), stranger(i)), challenge.ErrCodeInvalid)
	}
	want(t, reset(k, code, authkit.Chrome), challenge.ErrCodeInvalid)
	for range 4 {
		want(t, reset(k, wrong(code), authkit.Firefox), challenge.ErrCodeInvalid)
	}
	must.Do(t, reset(k, code, authkit.Firefox))
}

func usedUpMails(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	k.SignIn(t, "ann@example.org")
	for i := range 20 {
		askReset(t, k, stranger(i))
		k.Clock.Advance(time.Minute)
	}
	if n := len(resetMails(k)); n != 5 {
		t.Fatalf("%d mails for unknown clients, want 5", n)
	}
	for range 6 {
		askReset(t, k, authkit.Firefox)
		askReset(t, k, authkit.Firefox)
		k.Clock.Advance(time.Minute)
	}
	if n := len(resetMails(k)); n != 5+5 {
		t.Fatalf("%d mails after the known client requested five, want %d", n, 5+5)
	}
}

func knownCodeStays(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	k.SignIn(t, "ann@example.org")
	askReset(t, k, authkit.Firefox)
	askReset(t, k, authkit.Chrome)
	mails := resetMails(k)
	if len(mails) != 2 {
		t.Fatalf("%d mails, want 2", len(mails))
	}
	must.Do(t, reset(k, mails[0].Code, authkit.Firefox))
}

func otherCodesVoid(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	k.SignIn(t, "ann@example.org")
	askReset(t, k, authkit.Firefox)
	askReset(t, k, authkit.Chrome)
	mails := resetMails(k)
	must.Do(t, reset(k, mails[1].Code, authkit.Chrome))
	want(t, reset(k, mails[0].Code, authkit.Firefox), challenge.ErrCodeInvalid)
}

// Without the decoy, a stranger at the address of the user could first use up the mails of
// unknown clients and then learn from the duration that this address has a limit of its own.
func resetWork(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	k.SignIn(t, "ann@example.org")
	for _, from := range []user.ClientInfo{authkit.Chrome, authkit.Firefox} {
		for range 2 {
			askReset(t, k, from)
		}
		must.Do(t, k.Passwords.RequestReset(ctx, "nobody@example.org", user.EN, from))
	}
	mails := resetMails(k)
	if len(mails) != 2 {
		t.Fatalf("%d mails, want 2", len(mails))
	}
	must.Do(t, reset(k, mails[0].Code, authkit.Chrome)) // the limited requests replaced no code
}

func knownClients(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	knows := func(i int) bool {
		return must.Get(k.Store.Identity.IsKnownClient(ctx, "ann@example.org", stranger(i).IP, k.Clock.Now()))(t)
	}
	for i := range auth.MaxKnownClients + 2 {
		if i == auth.MaxKnownClients { // the first client signs in again
			must.Get(signIn(k, "ann@example.org", authkit.Password, stranger(0)))(t)
			k.Clock.Advance(time.Second)
		}
		if knows(i) {
			t.Fatalf("client %d is known before its first sign-in", i)
		}
		must.Get(signIn(k, "ann@example.org", authkit.Password, stranger(i)))(t)
		k.Clock.Advance(time.Second)
	}
	for i := range auth.MaxKnownClients + 2 {
		if known := i != 1 && i != 2; knows(i) != known {
			t.Errorf("client %d is known: %v", i, !known)
		}
	}
	if known, err := k.Store.Identity.IsKnownClient(ctx, "bob@example.org", stranger(0).IP, k.Clock.Now()); known || err != nil {
		t.Errorf("another user's client is known: %v, %v", known, err)
	}
}

func knownFor(t *testing.T, k *authkit.Fixture) {
	ann := k.CreateUser(t, "ann@example.org")
	signInFromChrome := func() { must.Get(signIn(k, "ann@example.org", authkit.Password, authkit.Chrome))(t) }
	signInFromChrome()
	knows := func() bool {
		must.Do(t, k.Housekeeping.DeleteExpired(ctx))
		return must.Get(k.Store.Identity.IsKnownClient(ctx, "ann@example.org", authkit.Chrome.IP, k.Clock.Now()))(t)
	}
	k.Clock.Advance(364 * 24 * time.Hour)
	if !knows() {
		t.Fatal("forgotten before a year has passed")
	}
	k.Clock.Advance(24 * time.Hour)
	if knows() {
		t.Fatal("known after more than a year")
	}
	signInFromChrome()
	must.Get(k.Users.Delete(ctx, k.CreateCaller(t, "root@example.org", user.Owner), []user.ID{ann.ID}))(t)
	k.CreateUser(t, "ann@example.org")
	if knows() {
		t.Fatal("known to the next account with the address")
	}
}

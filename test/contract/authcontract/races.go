package authcontract

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func signInsAtOnce(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	errs := make([]error, 9)
	must.Together(len(errs), func(i int) {
		_, errs[i] = signIn(k, "ann@example.org", authkit.Password, user.ClientInfo{IP: fmt.Sprintf("192.0.2.%d", i)})
	})
	for _, err := range errs {
		must.Do(t, err)
	}
	u := must.Get(k.Store.Identity.FindUserByEmail(ctx, "ann@example.org"))(t)
	all := must.Get(k.Store.Sessions.ListSessions(ctx, u.ID))(t)
	if len(all) != 3 {
		t.Fatalf("%d sessions, want 3", len(all))
	}
}

// A load test may sign in as often at once: right passwords are never limited.
func rightPasswordsAtOnce(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	errs := make([]error, 40)
	must.Together(len(errs), func(i int) { _, errs[i] = signIn(k, "ann@example.org", authkit.Password, authkit.Chrome) })
	for _, err := range errs {
		must.Do(t, err)
	}
}

func wrongPasswordsAtOnce(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	errs := make([]error, 60)
	must.Together(len(errs), func(i int) {
		_, errs[i] = signIn(k, "ann@example.org", fmt.Sprintf("wrong wrong %d", i), authkit.Chrome)
	})
	compared := 0
	for _, err := range errs {
		if errors.Is(err, auth.ErrInvalidCredentials) {
			compared++
			continue
		}
		want(t, err, limit.ErrExceeded)
	}
	if compared != 10 {
		t.Fatalf("%d wrong passwords were compared, want 10", compared)
	}
}

func wrongCodesAtOnce(t *testing.T, k *authkit.Fixture) {
	signUp(t, k, "ann@example.org", authkit.Password)
	code := k.LastMail(t, message.Verification, "ann@example.org").Code
	errs := make([]error, 200)
	must.Together(len(errs), func(i int) {
		errs[i] = k.Accounts.VerifyEmail(ctx, "ann@example.org", fmt.Sprintf("%s%04d", wrong(code)[:4], i), authkit.Firefox)
	})
	for _, err := range errs {
		if err == nil {
			t.Fatal("a wrong code was accepted")
		}
	}
	// The code would still be valid if fewer than five had been counted.
	want(t, k.Accounts.VerifyEmail(ctx, "ann@example.org", code, authkit.Firefox), challenge.ErrCodeInvalid)
	must.Together(len(errs), func(i int) { errs[i] = k.Accounts.VerifyEmail(ctx, "ann@example.org", wrong(code), stranger(i)) })
	// 25 unknown clients have one attempt each, and the 26th has none.
	want(t, k.Accounts.VerifyEmail(ctx, "ann@example.org", code, authkit.Chrome), challenge.ErrCodeInvalid)
}

func rightCodesAtOnce(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	must.Do(t, k.Passwords.RequestReset(ctx, "ann@example.org", user.EN, authkit.Firefox))
	code := k.LastMail(t, message.PasswordReset, "ann@example.org").Code
	errs := make([]error, 5)
	must.Together(len(errs), func(i int) {
		errs[i] = k.Passwords.Reset(ctx, "ann@example.org", code, fmt.Sprintf("%s %d", otherPassword, i), authkit.Firefox)
	})
	good := 0
	for i, err := range errs {
		if err != nil {
			want(t, err, challenge.ErrCodeInvalid)
			continue
		}
		good++
		must.Get(signIn(k, "ann@example.org", fmt.Sprintf("%s %d", otherPassword, i), authkit.Firefox))(t)
	}
	if good != 1 {
		t.Fatalf("%d resets succeeded with one code, want 1", good)
	}
}

func acceptancesAtOnce(t *testing.T, k *authkit.Fixture) {
	_, token := invite(t, k, k.CreateCaller(t, "root@example.org", user.Admin), "ann@example.org")
	errs := make([]error, 5)
	must.Together(len(errs), func(i int) { _, errs[i] = k.Invitations.Accept(ctx, token, nil, authkit.Firefox) })
	good := 0
	for _, err := range errs {
		if err == nil {
			good++
		} else {
			want(t, err, challenge.ErrCodeInvalid)
		}
	}
	if good != 1 {
		t.Fatalf("%d acceptances succeeded, want 1", good)
	}
}

func signUpsAtOnce(t *testing.T, k *authkit.Fixture) {
	errs := make([]error, 20)
	must.Together(len(errs), func(i int) {
		errs[i] = k.Accounts.SignUp(ctx, account.SignUpRequest{Email: "ann@example.org", Password: authkit.Password, From: authkit.Firefox})
	})
	for _, err := range errs {
		must.Do(t, err)
	}
	mails := k.Mails(message.Verification, "ann@example.org")
	if len(mails) != 10 {
		t.Fatalf("%d mails were sent, want the limit of ten an hour", len(mails))
	}
	must.Together(len(mails), func(i int) { errs[i] = k.Accounts.VerifyEmail(ctx, "ann@example.org", mails[i].Code, authkit.Firefox) })
	good := 0
	for _, err := range errs[:len(mails)] {
		if err == nil {
			good++
		}
	}
	if good != 1 {
		t.Fatalf("%d sign-ups were confirmed, want 1: %v", good, errs)
	}
	k.SignIn(t, "ann@example.org")
}

// addressLock checks that no two transactions hold the lock of one address, in whatever
// order they name their addresses.
func addressLock(t *testing.T, s authkit.Stores) {
	const ann, bob, eve = user.Email("ann@example.org"), user.Email("bob@example.org"), user.Email("eve@example.org")
	sets := [][]user.Email{{ann, bob}, {bob, ann}, {bob}, {eve, bob}, {ann, bob, ann}}
	var holders atomic.Int32 // all sets contain bob
	must.Together(4*len(sets), func(i int) {
		err := s.Identity.WithAddressLock(ctx, sets[i%len(sets)], func(ctx context.Context, st auth.Stores) error {
			defer holders.Add(-1)
			if holders.Add(1) > 1 {
				t.Error("two transactions hold the lock of one address")
			}
			return must.Err(s.Identity.AccountStore(st).LockRegistrations(ctx, bob, monday))
		})
		if err != nil {
			t.Error(err)
		}
	})
}

func refreshRacesRevoke(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	by := k.CallerOf(t, k.SignIn(t, "ann@example.org"))
	for range 20 {
		g := k.SignIn(t, "ann@example.org")
		var next auth.TokenPair
		var err error
		must.Together(2, func(i int) {
			if i == 0 {
				next, err = k.Sessions.Refresh(ctx, g.RefreshToken, authkit.Firefox)
				return
			}
			if err := k.Sessions.Revoke(ctx, by, g.Session.ID); err != nil {
				t.Errorf("revoke: %v", err)
			}
		})
		if err == nil {
			assertRevoked(t, k, next)
			continue
		}
		want(t, err, session.ErrInvalid)
	}
}

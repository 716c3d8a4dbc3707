package authcontract

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/signin"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/totp"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func secondFactorAttacks(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"a code that somebody has seen cannot be used again":                  replayedStep,
		"of fifty sign-ins at once with one code one succeeds":                racedStep,
		"of fifty sign-ins at once with one recovery code one succeeds":       racedRecoveryCode,
		"a code two steps away is refused":                                    distantSteps,
		"the code of another account is refused":                              foreignCode,
		"a challenge is void after five wrong codes":                          exhaustedChallenge,
		"wrong codes at many challenges are limited together":                 manyChallenges,
		"a right password does not reset the count of wrong codes":            passwordKeepsWrongCodes,
		"strangers who know the password cannot use up the owner's attempts":  usedUpAttempts,
		"guessing codes from many addresses ends after 25 attempts":           manyAddresses,
		"a challenge is of no use in another browser":                         stolenChallenge,
		"a challenge expires after five minutes":                              expiredChallenge,
		"a challenge ends with a change of the password":                      challengeAfterChange,
		"a challenge ends when an admin ends the sessions":                    challengeAfterEnd,
		"a ceremony for another purpose is not a challenge":                   foreignCeremony,
		"text that is not a challenge is refused":                             madeUpChallenge,
		"a device cookie of another user is worthless":                        foreignDevice,
		"a device cookie is worthless after the second factor was turned off": deviceAfterDisable,
		"a device cookie is worthless after a change of the password":         deviceAfterChange,
		"a device cookie is worthless after a reset of the password":          deviceAfterReset,
		"a device cookie is worthless after an admin ended the sessions":      deviceAfterEnd,
		"a planted device cookie is not the one that gets remembered":         plantedDevice,
		"a stolen session cannot guess its way to a proof":                    guessedProof,
		"of several confirmations at once one creates recovery codes":         racedConfirmation,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
}

func replayedStep(t *testing.T, k *authkit.Fixture) {
	by, app := withSecondFactor(t, k, "ann@example.org")
	code := app.Next()
	signInWithBoth(t, k, "ann@example.org", code)
	want(t, must.Err(complete(k, challengeOf(t, k, "ann@example.org", authkit.Chrome), code, authkit.Chrome)), challenge.ErrCodeInvalid)
	want(t, k.SecondFactors.Disable(ctx, by, code), challenge.ErrCodeInvalid)
	// An older step that was not used is refused, too: it may have been seen before.
	k.Clock.Advance(30 * time.Second)
	older := app.Secret.Code(totp.StepAt(k.Clock.Now()))
	signInWithBoth(t, k, "ann@example.org", app.Next())
	want(t, must.Err(complete(k, challengeOf(t, k, "ann@example.org", authkit.Chrome), older, authkit.Chrome)), challenge.ErrCodeInvalid)
}

// race enters one code at many challenges at once and checks that one sign-in succeeds.
func race(t *testing.T, k *authkit.Fixture, code string) {
	t.Helper()
	errs := make([]error, 50)
	ids := make([]string, len(errs))
	from := func(i int) user.ClientInfo {
		return user.ClientInfo{IP: fmt.Sprintf("203.0.113.%d", i/2), UserAgent: "racer"}
	}
	for i := range ids {
		ids[i] = challengeOf(t, k, "ann@example.org", from(i))
	}
	must.Together(len(errs), func(i int) { _, errs[i] = complete(k, ids[i], code, from(i)) })
	succeeded := 0
	for _, err := range errs {
		switch {
		case err == nil:
			succeeded++
		case !errors.Is(err, challenge.ErrCodeInvalid) && !errors.Is(err, limit.ErrExceeded):
			t.Error(err)
		}
	}
	if succeeded != 1 {
		t.Errorf("%d sign-ins succeeded, want 1", succeeded)
	}
}

func racedStep(t *testing.T, k *authkit.Fixture) {
	_, app := withSecondFactor(t, k, "ann@example.org")
	race(t, k, app.Next())
}

func racedRecoveryCode(t *testing.T, k *authkit.Fixture) {
	_, app := withSecondFactor(t, k, "ann@example.org")
	race(t, k, app.Recovery[3])
}

func distantSteps(t *testing.T, k *authkit.Fixture) {
	_, app := withSecondFactor(t, k, "ann@example.org")
	k.Clock.Advance(time.Hour)
	now := totp.StepAt(k.Clock.Now())
	for _, away := range []int64{-2, 2, -1, 1} {
		_, err := complete(k, challengeOf(t, k, "ann@example.org", authkit.Firefox), app.Secret.Code(now+away), authkit.Firefox)
		if near := away*away == 1; near != (err == nil) || !near && !errors.Is(err, challenge.ErrCodeInvalid) {
			t.Errorf("%d steps away: %v", away, err)
		}
	}
}

func foreignCode(t *testing.T, k *authkit.Fixture) {
	_, ann := withSecondFactor(t, k, "ann@example.org")
	_, bob := withSecondFactor(t, k, "bob@example.org")
	for _, code := range []string{bob.Next(), bob.Recovery[0]} {
		want(t, must.Err(complete(k, challengeOf(t, k, "ann@example.org", authkit.Firefox), code, authkit.Firefox)), challenge.ErrCodeInvalid)
	}
	signInWithBoth(t, k, "bob@example.org", bob.Recovery[0]) // it was not used up
	signInWithBoth(t, k, "ann@example.org", ann.Next())
}

func exhaustedChallenge(t *testing.T, k *authkit.Fixture) {
	by, app := withSecondFactor(t, k, "ann@example.org")
	id := challengeOf(t, k, "ann@example.org", authkit.Chrome)
	for range challenge.MaxAttempts {
		want(t, must.Err(complete(k, id, wrong(app.Next()), authkit.Chrome)), challenge.ErrCodeInvalid)
	}
	want(t, must.Err(complete(k, id, app.Next(), authkit.Chrome)), challenge.ErrCeremonyInvalid)
	if n := audited(t, k, "second_factor.guessed", by.ID); n != 1 {
		t.Errorf("%d audit entries, want 1", n)
	}
}

// guess enters a wrong code at a new challenge.
func guess(t *testing.T, k *authkit.Fixture, app *authkit.App, from user.ClientInfo) error {
	t.Helper()
	return must.Err(complete(k, challengeOf(t, k, "ann@example.org", from), wrong(app.Secret.Code(totp.StepAt(k.Clock.Now()))), from))
}

func manyChallenges(t *testing.T, k *authkit.Fixture) {
	_, app := withSecondFactor(t, k, "ann@example.org")
	for range k.Config.Rules.SignInFailures.Burst {
		want(t, guess(t, k, app, authkit.Chrome), challenge.ErrCodeInvalid)
	}
	want(t, guess(t, k, app, authkit.Chrome), limit.ErrExceeded)
	_, err := complete(k, challengeOf(t, k, "ann@example.org", authkit.Chrome), app.Next(), authkit.Chrome)
	want(t, err, limit.ErrExceeded) // even with the right code
	signInWithBoth(t, k, "ann@example.org", app.Next())
}

func passwordKeepsWrongCodes(t *testing.T, k *authkit.Fixture) {
	by, app := withSecondFactor(t, k, "ann@example.org")
	for range k.Config.Rules.SignInFailures.Burst {
		want(t, guess(t, k, app, authkit.Chrome), challenge.ErrCodeInvalid)
		by.From = authkit.Chrome
		want(t, k.Passwords.Change(ctx, by, "a wrong password", otherPassword), auth.ErrWrongPassword)
		challengeOf(t, k, "ann@example.org", authkit.Chrome)
	}
	want(t, guess(t, k, app, authkit.Chrome), limit.ErrExceeded)
}

func usedUpAttempts(t *testing.T, k *authkit.Fixture) {
	_, app := withSecondFactor(t, k, "ann@example.org")
	for i := range 60 {
		if err := guess(t, k, app, stranger(i)); !errors.Is(err, challenge.ErrCodeInvalid) && !errors.Is(err, limit.ErrExceeded) {
			t.Fatal(err)
		}
	}
	signInWithBoth(t, k, "ann@example.org", app.Next()) // from a known address
	elsewhere := stranger(200)
	must.Get(complete(k, challengeOf(t, k, "ann@example.org", elsewhere), app.Recovery[0], elsewhere))(t)
}

func manyAddresses(t *testing.T, k *authkit.Fixture) {
	_, app := withSecondFactor(t, k, "ann@example.org")
	compared := 0
	for i := range 60 {
		if err := guess(t, k, app, stranger(i)); errors.Is(err, challenge.ErrCodeInvalid) {
			compared++
		}
	}
	if compared != 25 {
		t.Errorf("%d codes of strangers were compared, want 25", compared)
	}
}

func stolenChallenge(t *testing.T, k *authkit.Fixture) {
	_, app := withSecondFactor(t, k, "ann@example.org")
	id := challengeOf(t, k, "ann@example.org", authkit.Firefox)
	want(t, must.Err(complete(k, id, app.Next(), authkit.Chrome)), challenge.ErrCeremonyInvalid)
	_, err := complete(k, id, app.Next(), authkit.Firefox) // a stranger cannot use it up
	must.Do(t, err)
}

func expiredChallenge(t *testing.T, k *authkit.Fixture) {
	_, app := withSecondFactor(t, k, "ann@example.org")
	id := challengeOf(t, k, "ann@example.org", authkit.Firefox)
	k.Clock.Advance(5*time.Minute - 30*time.Second)
	want(t, must.Err(complete(k, id, app.Next(), authkit.Firefox)), challenge.ErrCeremonyInvalid)
}

func changePasswordOf(t *testing.T, k *authkit.Fixture, by user.Caller) {
	t.Helper()
	must.Do(t, k.Passwords.Change(ctx, by, authkit.Password, otherPassword))
	must.Do(t, k.Passwords.Change(ctx, by, otherPassword, authkit.Password))
}

func challengeAfterChange(t *testing.T, k *authkit.Fixture) {
	by, app := withSecondFactor(t, k, "ann@example.org")
	id := challengeOf(t, k, "ann@example.org", authkit.Firefox)
	changePasswordOf(t, k, by)
	want(t, must.Err(complete(k, id, app.Next(), authkit.Firefox)), challenge.ErrCeremonyInvalid)
}

func challengeAfterEnd(t *testing.T, k *authkit.Fixture) {
	by, app := withSecondFactor(t, k, "ann@example.org")
	id := challengeOf(t, k, "ann@example.org", authkit.Firefox)
	endSessionsOf(t, k, by)
	want(t, must.Err(complete(k, id, app.Next(), authkit.Firefox)), challenge.ErrCeremonyInvalid)
}

func endSessionsOf(t *testing.T, k *authkit.Fixture, of user.Caller) {
	t.Helper()
	must.Get(k.Users.EndSessions(ctx, k.CreateCaller(t, "root@example.org", user.Owner), of.ID))(t)
}

func foreignCeremony(t *testing.T, k *authkit.Fixture) {
	by, app := withSecondFactor(t, k, "ann@example.org")
	const other = challenge.Purpose("another purpose")
	id := challengeOf(t, k, "ann@example.org", authkit.Firefox)
	for _, digest := range [][32]byte{k.Config.CodeKey.CeremonyDigest(other, id), k.Config.CodeKey.CeremonyDigest(challenge.SecondFactor, id)} {
		atomically(t, k.Store, func(ctx context.Context, st auth.Stores) error {
			return st.PutCeremony(ctx, challenge.Ceremony{
				Purpose: other, Digest: digest, User: by.ID, Browser: authkit.Firefox.UserAgent, State: []byte("{}"),
				CreatedAt: k.Clock.Now(), ExpiresAt: k.Clock.Now().Add(time.Hour),
			})
		})
	}
	want(t, must.Err(complete(k, id, app.Next(), authkit.Firefox)), challenge.ErrCeremonyInvalid)
}

func madeUpChallenge(t *testing.T, k *authkit.Fixture) {
	_, app := withSecondFactor(t, k, "ann@example.org")
	id := challengeOf(t, k, "ann@example.org", authkit.Firefox)
	changed := "A" + id[1:]
	if changed == id {
		changed = "B" + id[1:]
	}
	for _, bad := range []string{"", "x", id[1:], id + "A", changed, "../" + id} {
		want(t, must.Err(complete(k, bad, app.Next(), authkit.Firefox)), challenge.ErrCeremonyInvalid)
	}
}

func foreignDevice(t *testing.T, k *authkit.Fixture) {
	_, ann := withSecondFactor(t, k, "ann@example.org")
	withSecondFactor(t, k, "bob@example.org")
	challengeOf(t, k, "bob@example.org", rememberDevice(t, k, "ann@example.org", ann, authkit.Firefox))
}

func deviceAfterDisable(t *testing.T, k *authkit.Fixture) {
	by, app := withSecondFactor(t, k, "ann@example.org")
	known := rememberDevice(t, k, "ann@example.org", app, authkit.Firefox)
	must.Do(t, k.SecondFactors.Disable(ctx, by, app.Next()))
	k.EnableSecondFactor(t, by)
	challengeOf(t, k, "ann@example.org", known)
}

func deviceAfterChange(t *testing.T, k *authkit.Fixture) {
	by, app := withSecondFactor(t, k, "ann@example.org")
	known := rememberDevice(t, k, "ann@example.org", app, authkit.Firefox)
	changePasswordOf(t, k, by)
	challengeOf(t, k, "ann@example.org", known)
}

func deviceAfterReset(t *testing.T, k *authkit.Fixture) {
	_, app := withSecondFactor(t, k, "ann@example.org")
	known := rememberDevice(t, k, "ann@example.org", app, authkit.Firefox)
	resetPasswordOf(t, k, "ann@example.org")
	challengeOf(t, k, "ann@example.org", known)
}

func deviceAfterEnd(t *testing.T, k *authkit.Fixture) {
	by, app := withSecondFactor(t, k, "ann@example.org")
	known := rememberDevice(t, k, "ann@example.org", app, authkit.Firefox)
	endSessionsOf(t, k, by)
	challengeOf(t, k, "ann@example.org", known)
}

// A stranger who can set cookies, for instance from a subdomain, knows what they planted.
func plantedDevice(t *testing.T, k *authkit.Fixture) {
	_, app := withSecondFactor(t, k, "ann@example.org")
	_, eve := withSecondFactor(t, k, "eve@example.org")
	planted := rememberDevice(t, k, "eve@example.org", eve, authkit.Chrome)
	victim := authkit.Firefox
	victim.Device = planted.Device
	rememberDevice(t, k, "ann@example.org", app, victim)
	challengeOf(t, k, "ann@example.org", planted)
}

func guessedProof(t *testing.T, k *authkit.Fixture) {
	by, app := withSecondFactor(t, k, "ann@example.org")
	k.Clock.Advance(time.Hour)
	password := authkit.Password
	for range k.Config.Rules.SignInFailures.Burst {
		code := wrong(app.Secret.Code(totp.StepAt(k.Clock.Now())))
		want(t, k.SignIns.Reauthenticate(ctx, by, signin.Proof{Password: &password, Code: code}), challenge.ErrCodeInvalid)
	}
	want(t, k.SignIns.Reauthenticate(ctx, by, signin.Proof{Password: &password, Code: app.Next()}), limit.ErrExceeded)
}

func racedConfirmation(t *testing.T, k *authkit.Fixture) {
	by := k.CreateCaller(t, "ann@example.org", user.Regular)
	app := k.StartSecondFactor(t, by)
	code := app.Next()
	errs := make([]error, 8)
	must.Together(len(errs), func(i int) { _, errs[i] = k.SecondFactors.Confirm(ctx, by, code) })
	confirmed := 0
	for _, err := range errs {
		switch {
		case err == nil:
			confirmed++
		case !errors.Is(err, auth.ErrSecondFactorOn):
			t.Error(err)
		}
	}
	if confirmed != 1 {
		t.Errorf("%d confirmations succeeded, want 1", confirmed)
	}
}

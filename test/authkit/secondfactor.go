package authkit

import (
	"context"
	"encoding/base32"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth/signin"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/totp"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

// App is the authenticator app of a user.
type App struct {
	Secret   totp.Secret
	Recovery []string // the recovery codes, empty until the second factor is on
	k        *Fixture
}

// Next waits for the next step and returns its code.
func (a *App) Next() string {
	a.k.Clock.Advance(30 * time.Second)
	return a.Secret.Code(totp.StepAt(a.k.Clock.Now()))
}

// Prove proves the caller's identity with Password and a code of the second factor, "" if it
// is off.
func (k *Fixture) Prove(t testing.TB, by user.Caller, code string) {
	t.Helper()
	password := Password
	if err := k.SignIns.Reauthenticate(context.Background(), by, signin.Proof{Password: &password, Code: code}); err != nil {
		t.Fatalf("reauthenticate: %v", err)
	}
}

// StartSecondFactor shows an app a secret, within a session whose identity is proved.
func (k *Fixture) StartSecondFactor(t testing.TB, by user.Caller) *App {
	t.Helper()
	must.Do(t, k.Store.Sessions.ProveSession(context.Background(), by.ID, by.Session, session.Password, k.Clock.Now()))
	setup, err := k.SecondFactors.Start(context.Background(), by)
	if err != nil {
		t.Fatalf("start the second factor: %v", err)
	}
	raw := must.Get(base32.StdEncoding.DecodeString(setup.Secret))(t)
	return &App{Secret: totp.Secret(raw), k: k}
}

// EnableSecondFactor turns the caller's second factor on.
func (k *Fixture) EnableSecondFactor(t testing.TB, by user.Caller) *App {
	t.Helper()
	app := k.StartSecondFactor(t, by)
	var err error
	if app.Recovery, err = k.SecondFactors.Confirm(context.Background(), by, app.Next()); err != nil {
		t.Fatalf("confirm the second factor: %v", err)
	}
	return app
}

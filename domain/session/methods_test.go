package session_test

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/session"
)

func TestWhatSomebodyHasShownDecidesTheLevel(t *testing.T) {
	for m, want := range map[session.Methods]session.Level{
		session.Password: session.OneFactor, session.MailedCode: session.OneFactor, session.External: session.OneFactor,
		session.Password.WithSecondFactor(): session.TwoFactors, session.MailedCode.WithSecondFactor(): session.TwoFactors,
		session.HardwareKey: session.Passkey, session.SoftwareKey: session.Passkey,
		session.ExternalMethods([]string{"hwk", "mfa"}): session.TwoFactors, session.ExternalMethods([]string{"hwk", "mine mfa"}): session.OneFactor,
	} {
		if got := m.Level(); got != want {
			t.Errorf("%q is %s, want %s", m, got, want)
		}
	}
	if got := session.MailedCode.WithSecondFactor(); got != "otp mfa" {
		t.Errorf("a mailed code and an app are %q", got)
	}
	for _, name := range session.LevelNames() {
		if got := session.ParseLevel(name); got.String() != name {
			t.Errorf("%q is %d", name, got)
		}
	}
	if got := session.ParseLevel("urn:other"); got != 0 {
		t.Errorf("an unknown level is %d", got)
	}
}

func TestASessionOfBeforeMethodsWereStoredSaysWhatIsKnown(t *testing.T) {
	began := time.Date(2026, 11, 26, 9, 0, 0, 0, time.UTC)
	old := session.Session{CreatedAt: began, Factors: 2}
	if old.Level() != session.TwoFactors || old.ACR(old.Factors) != "urn:octavo:2" || !old.AuthenticatedAt().Equal(began) || len(old.Methods.List()) != 0 {
		t.Errorf("%+v", old)
	}
	old.Prove(session.Password, began.Add(time.Hour))
	if old.Methods != "" || !old.RecentlyProved(began.Add(time.Hour)) {
		t.Errorf("a weaker proof makes it %+v", old)
	}
	old.Client = "app"
	if !old.AuthenticatedAt().IsZero() {
		t.Errorf("the session of a client says %s", old.AuthenticatedAt())
	}
}

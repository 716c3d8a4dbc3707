package graph_test

import (
	"encoding/base32"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/totp"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
)

const (
	prove    = `mutation($p: String, $c: String) { reauthenticate(password: $p, code: $c) }`
	finish   = `mutation($i: String!, $c: String!, $r: Boolean) { completeSignIn(challenge: $i, code: $c, remember: $r) { accessToken user { totpEnabled } } }`
	lastingS = 30 * 24 * 60 * 60
)

// nextCode waits for the next step of an authenticator app and returns its code.
func (c *core) nextCode(setup any) string {
	c.t.Helper()
	raw, err := base32.StdEncoding.DecodeString(setup.(map[string]any)["secret"].(string))
	if err != nil {
		c.t.Fatal(err)
	}
	c.Clock.Advance(30 * time.Second)
	return totp.Secret(raw).Code(totp.StepAt(c.Clock.Now()))
}

func TestASecondFactorIsSetUpAskedForAndRememberedByACookie(t *testing.T) {
	c := newCore(t, nil)
	c.CreateUser(t, "ada@campus.edu")
	bearer := "Bearer " + c.SignIn(t, "ada@campus.edu").AccessToken
	c.Clock.Advance(session.ProofLifetime)
	early := c.ask(`mutation { startTotp { secret } }`, nil, "Authorization", bearer)
	if early.code() != "UNAUTHENTICATED" || early.Errors[0].Extensions["reason"] != "REAUTHENTICATE" {
		t.Fatalf("without a proof: %s", early)
	}
	if a := c.ask(prove, credentials(), "Authorization", bearer); a.Data["reauthenticate"] != true {
		t.Fatalf("reauthenticate: %s", a)
	}
	setup := c.ask(`mutation { startTotp { secret uri qrSvg } }`, nil, "Authorization", bearer)
	codes := c.ask(`mutation($c: String!) { confirmTotp(code: $c) }`, map[string]any{"c": c.nextCode(setup.Data["startTotp"])}, "Authorization", bearer)
	if len(codes.Data["confirmTotp"].([]any)) != 10 || !strings.Contains(c.ask(`{ me { totpEnabled recoveryCodesLeft } }`, nil, "Authorization", bearer).Text, `{"totpEnabled":true,"recoveryCodesLeft":10}`) {
		t.Fatalf("confirm: %s", codes)
	}

	first := c.ask(signIn, credentials())
	if first.code() != "SECOND_FACTOR_REQUIRED" || len(first.cookies()) != 0 {
		t.Fatalf("the first step: %s", first)
	}
	v := map[string]any{"i": first.Errors[0].Extensions["challenge"], "c": "000000", "r": true}
	if a := c.ask(finish, v); a.code() != "CODE_INVALID" {
		t.Errorf("a wrong code: %s", a)
	}
	v["c"] = c.nextCode(setup.Data["startTotp"])
	second := c.ask(finish, v)
	device := second.cookies()["octavo_device"]
	if second.cookies()["octavo_access"] == nil || device == nil || !device.HttpOnly || device.MaxAge != lastingS || strings.Contains(second.Text, device.Value) {
		t.Fatalf("the second step: %v %s", second.Header, second)
	}
	if a := c.ask(finish, v); a.code() != "CHALLENGE_INVALID" {
		t.Errorf("the second step again: %s", a)
	}
	if a := c.ask(signIn, credentials(), "Cookie", "octavo_device="+device.Value); a.code() != "" {
		t.Errorf("on the remembered device: %s", a)
	}
	if a := c.ask(signIn, credentials()); a.code() != "SECOND_FACTOR_REQUIRED" {
		t.Errorf("without the cookie: %s", a)
	}
	if a := c.ask(`mutation($c: String!) { disableTotp(code: $c) }`, map[string]any{"c": codes.Data["confirmTotp"].([]any)[0]}, "Authorization", bearer); a.Data["disableTotp"] != true {
		t.Errorf("disable: %s", a)
	}
}

func TestAnAdminLearnsWhatTheRoleRequires(t *testing.T) {
	c := newCore(t, func(_ *authrooms.Ports, cfg *auth.Config) { cfg.RequireSecondFactor = true })
	c.CreateCaller(t, "root@campus.edu", user.Owner)
	g := c.SignIn(t, "root@campus.edu")
	a := c.ask(`{ users { edges { cursor } } }`, nil, "Authorization", "Bearer "+g.AccessToken)
	if a.code() != "FORBIDDEN" || a.Errors[0].Extensions["reason"] != "SECOND_FACTOR" || !strings.Contains(a.Text, "second factor") {
		t.Errorf("users: %s", a)
	}
	if a := c.ask(prove, map[string]any{"p": authkit.Password}, "Authorization", "Bearer "+g.AccessToken); a.code() != "" {
		t.Errorf("reauthenticate: %s", a)
	}
}

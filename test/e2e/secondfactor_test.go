package e2e_test

import (
	"bytes"
	"encoding/base32"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/gobuild"
)

const (
	reprove   = `mutation($p: String, $c: String) { reauthenticate(password: $p, code: $c) }`
	startTotp = `mutation { startTotp { secret uri qrSvg } }`
	confirm   = `mutation($c: String!) { confirmTotp(code: $c) }`
	disable   = `mutation($c: String!) { disableTotp(code: $c) }`
	renew     = `mutation { renewRecoveryCodes }`
	complete  = `mutation($i: String!, $c: String!, $r: Boolean) { completeSignIn(challenge: $i, code: $c, remember: $r) ` + payload + ` }`
	totpOn    = `{ me { totpEnabled } }`
)

// phoneApp is a third-party authenticator app.
type phoneApp struct {
	t            *testing.T
	program, uri string
}

func newApp(t *testing.T) *phoneApp {
	t.Helper()
	program := filepath.Join(t.TempDir(), "totp")
	if err := gobuild.Program(t.Context(), "", program, "-modfile=../tools/sdks.mod", "../sdks/totp.go"); err != nil {
		t.Fatal(err)
	}
	return &phoneApp{t: t, program: program}
}

// code returns the code of the present step or, 30 seconds ahead, of the next one.
func (a *phoneApp) code(ahead string) string {
	a.t.Helper()
	out, err := exec.CommandContext(a.t.Context(), a.program, a.uri, ahead).CombinedOutput()
	code, rest, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if err != nil || !strings.HasPrefix(rest, "Campus Books ") {
		a.t.Fatalf("the app says %q, %v", out, err)
	}
	return code
}

// secondStep signs in with the password and returns the challenge.
func (p *person) secondStep() string {
	p.t.Helper()
	r := p.refused(signIn, vars{"e": p.email, "p": password}, "SECOND_FACTOR_REQUIRED")
	challenge, _ := r.Errors[0].Extensions["challenge"].(string)
	return challenge
}

func TestAThirdPartyAuthenticatorAppSignsIn(t *testing.T) {
	t.Parallel()
	s := startAuth(t, "SERVICE_NAME=Campus Books", "REQUIRE_2FA=admins")
	p, phone := s.member(t, byBearer, "careful"), newApp(t)
	p.signInByMail()
	if r := p.refused(startTotp, nil, "UNAUTHENTICATED"); r.Errors[0].Extensions["reason"] != "REAUTHENTICATE" {
		t.Errorf("without a proof: %s", r.Body)
	}
	p.must(reprove, vars{"p": password})
	setup := p.must(startTotp, nil)
	phone.uri = setup.text("startTotp", "uri")
	if !strings.Contains(setup.text("startTotp", "qrSvg"), "<svg ") {
		t.Errorf("the QR code: %s", setup.Body)
	}
	codes, _ := p.must(confirm, vars{"c": phone.code("0")}).at("confirmTotp").([]any)
	if len(codes) != 10 || p.must(totpOn, nil).at("me", "totpEnabled") != true {
		t.Fatalf("recovery codes: %v", codes)
	}
	s.Mail(p.email, "totp_enabled")

	next := phone.code("30")
	p.must(complete, vars{"i": p.secondStep(), "c": next})
	p.refused(complete, vars{"i": p.secondStep(), "c": next}, "CODE_INVALID")
	p.must(complete, vars{"i": p.secondStep(), "c": codes[0]})
	p.refused(complete, vars{"i": p.secondStep(), "c": codes[0]}, "CODE_INVALID")
	p.refused(complete, vars{"i": "x", "c": codes[1]}, "CHALLENGE_INVALID")
	browser := s.newClient(t, byCookie)
	browser.email = p.email
	browser.must(complete, vars{"i": browser.secondStep(), "c": codes[1], "r": true})
	browser.signIn(password) // its cookie recognises the device
	p.secondStep()

	assertNotStored(t, s.DataDir, setup.text("startTotp", "secret"), codes)
	browser.refused(renew, nil, "UNAUTHENTICATED") // nobody has entered a code there
	p.refused(reprove, vars{"p": password}, "CODE_INVALID")
	p.must(reprove, vars{"p": password, "c": codes[2]})
	fresh, _ := p.must(renew, nil).at("renewRecoveryCodes").([]any)
	if len(fresh) != 10 {
		t.Fatalf("renewed: %v", fresh)
	}
	p.refused(disable, vars{"c": codes[3]}, "CODE_INVALID")
	p.must(disable, vars{"c": fresh[0]})
	s.Mail(p.email, "totp_disabled")
	p.signIn(password)
}

// assertNotStored fails the test if a file of the data folder contains the secret or a recovery
// code.
func assertNotStored(t *testing.T, folder, secret string, codes []any) {
	t.Helper()
	raw, err := base32.StdEncoding.DecodeString(secret)
	if err != nil {
		t.Fatal(err)
	}
	hidden := [][]byte{raw, []byte(secret)}
	for _, c := range codes {
		hidden = append(hidden, []byte(c.(string)), []byte(strings.ReplaceAll(c.(string), "-", "")))
	}
	read := 0
	err = filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		read += len(content)
		for _, h := range hidden {
			if bytes.Contains(content, h) {
				t.Errorf("%s contains %q", path, h)
			}
		}
		return err
	})
	if err != nil || read == 0 {
		t.Errorf("%d bytes were read, %v", read, err)
	}
}

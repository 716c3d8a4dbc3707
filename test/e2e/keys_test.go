package e2e_test

import (
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
)

// The steps are those of docs/operations/keys.md.
func TestChangingThePrivateKeyKeepsTokensIDTokensAndAuthenticatorApps(t *testing.T) {
	t.Parallel()
	older, newer := freshPair(t), freshPair(t)
	s := startAuth(t, append(older, "SERVICE_NAME=Campus Books")...)
	app := s.party(t, "--id-token-alg", "ES512", "--post-logout-redirect-uri", "https://app.example/bye")
	ann, phone := s.member(t, byCookie, "ann"), newApp(t)
	tokens := app.exchange(ann.authorize(app))
	ann.must(reprove, vars{"p": password})
	phone.uri = ann.must(startTotp, nil).text("startTotp", "uri")
	codes, _ := ann.must(confirm, vars{"c": phone.code("0")}).at("confirmTotp").([]any)
	waiting := s.newClient(t, byCookie)
	waiting.email = ann.email
	pending := waiting.secondStep() // begun under the old key

	value := func(setting string) string { _, text, _ := strings.Cut(setting, "="); return text }
	s.Roll(append(newer, "PREVIOUS_PRIVATE_KEYS="+value(older[0]), "PREVIOUS_PUBLIC_KEYS="+value(older[1]))...)

	ann.assertSignedIn("with a token of the old key")
	if status, body := app.get("/oauth2/userinfo", tokens.access); status != http.StatusOK || body["sub"] != ann.id {
		t.Errorf("userinfo with an access token of the old key: %d %v", status, body)
	}
	status, body, _ := app.call("/oauth2/token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {tokens.refresh}})
	if status != http.StatusOK {
		t.Fatalf("a refresh token of the old key: %d %v", status, body)
	}
	if header, claims := app.verified(tokens.id); claims["sub"] != ann.id {
		t.Errorf("the ID token of the old key says %v %v", header, claims)
	}
	older0, _ := app.verified(tokens.id)
	if newer0, _ := app.verified(body["id_token"].(string)); newer0["kid"] == older0["kid"] {
		t.Error("the new ID token is signed with the old key")
	}
	left := ann.open("GET", "/oauth2/end_session?"+url.Values{"id_token_hint": {tokens.id}, "post_logout_redirect_uri": {"https://app.example/bye"}}.Encode(), nil)
	if left.left == nil || left.left.String() != "https://app.example/bye" {
		t.Errorf("a sign-out with the ID token of the old key: %d at %s", left.status, left.at)
	}
	waiting.refused(complete, vars{"i": pending, "c": codes[0]}, "CHALLENGE_INVALID") // it starts again
	waiting.must(complete, vars{"i": waiting.secondStep(), "c": phone.code("30")})
	waiting.must(complete, vars{"i": waiting.secondStep(), "c": codes[0]})
	waiting.refused(complete, vars{"i": waiting.secondStep(), "c": codes[0]}, "CODE_INVALID")
}

func TestAReplacedPrivateKeyIsNamedByTheAnswerTheLogAndTheDoctor(t *testing.T) {
	t.Parallel()
	older, newer := freshPair(t), freshPair(t)
	s := startAuth(t, append(older, "SERVICE_NAME=Campus Books")...)
	ann, phone := s.member(t, byCookie, "ann"), newApp(t)
	phone.uri = ann.must(startTotp, nil).text("startTotp", "uri")
	ann.must(confirm, vars{"c": phone.code("0")})
	if out, code := s.Octavo("doctor"); !strings.Contains(out, "key history") || strings.Contains(out, "cannot be checked") {
		t.Errorf("before: %d %s", code, out)
	}
	if out, code := s.Octavo("backup", filepath.Join(t.TempDir(), "copy")); code == 0 && !strings.HasSuffix(strings.TrimSpace(out), "Without PRIVATE_KEY no second factor can be checked after a restore.") {
		t.Errorf("the backup ends with %d %s", code, out)
	}
	s.Roll(newer...)
	who := s.newClient(t, byCookie)
	who.email = ann.email
	refused := who.refused(complete, vars{"i": who.secondStep(), "c": phone.code("30")}, "UNAVAILABLE")
	if refused.Errors[0].Extensions["reason"] != "KEY_REPLACED" {
		t.Errorf("%s", refused.Body)
	}
	for range 30 { // more than the limits of wrong codes
		who.refused(complete, vars{"i": who.secondStep(), "c": phone.code("30")}, "UNAVAILABLE")
	}
	if log := s.Log(); !strings.Contains(log, "a key was replaced") {
		t.Errorf("the log does not say so: %s", log)
	}
	if out, code := s.Octavo("doctor"); code == 0 || !strings.Contains(out, "1 of 1 second factors cannot be checked") || !strings.Contains(out, "missing: ") || !strings.Contains(out, "PREVIOUS_PRIVATE_KEYS") {
		t.Errorf("the doctor says %d %s", code, out)
	}
	_, key, _ := strings.Cut(older[0], "=")
	s.Roll("PREVIOUS_PRIVATE_KEYS=" + key)
	who.must(complete, vars{"i": who.secondStep(), "c": phone.code("30")})
	if out, _ := s.Octavo("doctor"); strings.Contains(out, "cannot be checked") {
		t.Errorf("with the old key at hand the doctor says %s", out)
	}
}

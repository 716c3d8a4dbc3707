package e2e_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/octavo-books/octavo/test/servers"
)

// openIDClient fetches a library, once on a machine, and returns a program of test/sdks that uses it.
func openIDClient(t *testing.T, name, extension string) string {
	t.Helper()
	servers.Need(t, "Node", "apt-get install nodejs", "node")
	packages := fromNPM(t, name)
	program, err := os.ReadFile("../sdks/" + name + extension)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir() // a module finds its packages beside itself
	if err := os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, name+extension)
	if err := os.WriteFile(path, program, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAnApplicationInNodeSignsPeopleInWithItsOwnLibrary(t *testing.T) {
	t.Parallel()
	program := openIDClient(t, "openidclient", ".mjs")
	s := startAuth(t)
	ann := s.member(t, byCookie, "ann")
	for _, algorithm := range []string{"RS256", "ES512"} {
		app := s.party(t, "--id-token-alg", algorithm)
		var learned struct {
			Sub, Email    string
			Before, After bool
		}
		ann.signsInWith(program, app, &learned, algorithm)
		if learned.Sub != ann.id || learned.Email != ann.email || !learned.Before || learned.After {
			t.Errorf("%s: %+v", algorithm, learned)
		}
	}
}

// signsInWith signs the person in to an application in Node, which prints what it has learned.
func (p *person) signsInWith(program string, app party, learned any, arguments ...string) {
	p.t.Helper()
	cmd := exec.CommandContext(p.t.Context(), "node", append([]string{program, p.s.URL, app.id, app.secret}, arguments...)...)
	var failure strings.Builder
	cmd.Stderr = &failure
	in, out := piped(p.t, cmd)
	lines := bufio.NewScanner(out)
	lines.Scan()
	shown := p.open("GET", lines.Text(), nil)
	if shown.left == nil {
		shown = p.allow(shown)
	}
	_, _ = in.Write([]byte(shown.left.String() + "\n"))
	lines.Scan()
	if err := json.Unmarshal(lines.Bytes(), learned); err != nil {
		p.t.Errorf("%q: %v: %s", lines.Text(), err, failure.String())
	}
	if err := cmd.Wait(); err != nil {
		p.t.Errorf("%v: %s", err, failure.String())
	}
}

func TestPassportSignsPeopleInWithoutPKCE(t *testing.T) {
	t.Parallel()
	program := openIDClient(t, "passport", ".cjs")
	s := startAuth(t)
	ann, app := s.member(t, byCookie, "ann"), s.party(t, "--no-pkce")
	var learned struct{ Sub, Email string }
	ann.signsInWith(program, app, &learned)
	if learned.Sub != ann.id || learned.Email != ann.email {
		t.Errorf("%+v", learned)
	}
}

func TestAnApplicationInGoSignsPeopleInWithItsOwnLibrary(t *testing.T) {
	t.Parallel()
	s := startAuth(t)
	ann := s.member(t, byCookie, "ann")
	app := s.party(t)
	provider, err := oidc.NewProvider(t.Context(), s.URL)
	if err != nil {
		t.Fatal(err)
	}
	config := oauth2.Config{
		ClientID: app.id, ClientSecret: app.secret, Endpoint: provider.Endpoint(), RedirectURL: partyURI, Scopes: []string{oidc.ScopeOpenID, "email", oidc.ScopeOfflineAccess},
	}
	pkce := oauth2.GenerateVerifier()
	shown := ann.open("GET", config.AuthCodeURL("state", oidc.Nonce("nonce"), oauth2.S256ChallengeOption(pkce)), nil)
	if shown.left == nil {
		shown = ann.allow(shown)
	}
	tokens, err := config.Exchange(t.Context(), ann.answer(shown).Get("code"), oauth2.VerifierOption(pkce))
	if err != nil {
		t.Fatal(err)
	}
	raw, _ := tokens.Extra("id_token").(string)
	id, err := provider.Verifier(&oidc.Config{ClientID: app.id}).Verify(t.Context(), raw)
	if err != nil || id.Subject != ann.id || id.Nonce != "nonce" {
		t.Fatalf("%+v, %v", id, err)
	}
	if err := id.VerifyAccessToken(tokens.AccessToken); err != nil {
		t.Errorf("the ID token does not belong to the access token: %v", err)
	}
	about, err := provider.UserInfo(t.Context(), oauth2.StaticTokenSource(tokens))
	if err != nil || about.Email != ann.email || !about.EmailVerified {
		t.Errorf("%+v, %v", about, err)
	}
	renewed, err := config.TokenSource(t.Context(), &oauth2.Token{RefreshToken: tokens.RefreshToken}).Token()
	if err != nil || renewed.RefreshToken == tokens.RefreshToken {
		t.Errorf("%+v, %v", renewed, err)
	}
}

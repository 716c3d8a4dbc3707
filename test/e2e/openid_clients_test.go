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

// openIDClient fetches openid-client, once on a machine, and returns a program that uses it.
func openIDClient(t *testing.T) string {
	t.Helper()
	servers.Need(t, "Node", "apt-get install nodejs", "node")
	packages := fromNPM(t, "openidclient")
	program, err := os.ReadFile("../sdks/openidclient.mjs")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir() // a module finds its packages beside itself
	if err := os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "openidclient.mjs")
	if err := os.WriteFile(path, program, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestAnApplicationInNodeSignsPeopleInWithItsOwnLibrary(t *testing.T) {
	t.Parallel()
	program := openIDClient(t)
	s := startAuth(t)
	ann := s.member(t, byCookie, "ann")
	for _, algorithm := range []string{"RS256", "ES512"} {
		app := s.party(t, "--id-token-alg", algorithm)
		cmd := exec.CommandContext(t.Context(), "node", program, s.URL, app.id, app.secret, algorithm)
		var failure strings.Builder
		cmd.Stderr = &failure
		in, out := piped(t, cmd)
		lines := bufio.NewScanner(out)
		lines.Scan()
		shown := ann.open("GET", lines.Text(), nil)
		if shown.left == nil {
			shown = ann.allow(shown)
		}
		_, _ = in.Write([]byte(shown.left.String() + "\n"))
		lines.Scan()
		var learned struct {
			Sub, Email    string
			Before, After bool
		}
		if err := json.Unmarshal(lines.Bytes(), &learned); err != nil || learned.Sub != ann.id || learned.Email != ann.email || !learned.Before || learned.After {
			t.Errorf("%s: %+v, %v: %s", algorithm, learned, err, failure.String())
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v: %s", algorithm, err, failure.String())
		}
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

package main

import (
	"crypto/rand"
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"strings"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

var page = template.Must(template.New("").Parse(`<!doctype html><html lang="en"><title>An app</title>
<h1>Hello {{.email}}</h1><form method="post" action="/sign-out"><button>Sign out</button></form>`))

// home is for people who are signed in. Octavo is asked each time, so that whose session was ended there
// is out at once. After 20 minutes the access token expires and the browser goes by Octavo, which its user hardly notices.
func (a *app) home(w http.ResponseWriter, r *http.Request) {
	s, end, ok := a.find(r)
	if !ok {
		http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
		return
	}
	resp, err := oauth2.NewClient(r.Context(), s.access).Get(a.provider.UserInfoEndpoint())
	if err != nil {
		http.Error(w, "Octavo does not answer.", http.StatusBadGateway)
		return
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusUnauthorized {
		end()
		http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
		return
	}
	user := map[string]any{}
	if err := json.NewDecoder(resp.Body).Decode(&user); err != nil || resp.StatusCode != http.StatusOK {
		http.Error(w, "Octavo does not answer.", http.StatusBadGateway)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	_ = page.Execute(w, user)
}

// signIn sends the browser to Octavo. The cookie binds the answer to this browser.
func (a *app) signIn(w http.ResponseWriter, r *http.Request) {
	state, nonce, verifier := rand.Text(), rand.Text(), oauth2.GenerateVerifier()
	http.SetCookie(w, a.cookie("signin", state+"."+nonce+"."+verifier))
	http.Redirect(w, r, a.AuthCodeURL(state, oidc.Nonce(nonce), oauth2.S256ChallengeOption(verifier)), http.StatusFound)
}

// callback is where Octavo sends the browser back to.
func (a *app) callback(w http.ResponseWriter, r *http.Request) {
	begun := strings.Split(a.take(w, r, "signin"), ".")
	if len(begun) != 3 || r.FormValue("state") != begun[0] || r.FormValue("code") == "" {
		http.Error(w, "The sign-in was not finished. Please start again.", http.StatusBadRequest)
		return
	}
	tokens, err := a.Exchange(r.Context(), r.FormValue("code"), oauth2.VerifierOption(begun[2]))
	if err != nil {
		http.Error(w, "The sign-in was refused. Please start again.", http.StatusBadRequest)
		return
	}
	raw, _ := tokens.Extra("id_token").(string)
	id, err := a.ids.Verify(r.Context(), raw)
	if err != nil || id.Nonce != begun[1] {
		http.Error(w, "The sign-in was refused. Please start again.", http.StatusBadRequest)
		return
	}
	a.remember(w, session{access: oauth2.StaticTokenSource(tokens), idToken: raw})
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// signOut ends the session here, and sends the browser to Octavo to end it there, too.
func (a *app) signOut(w http.ResponseWriter, r *http.Request) {
	s, end, ok := a.find(r)
	if !ok {
		http.Redirect(w, r, "/sign-in", http.StatusSeeOther)
		return
	}
	end()
	a.take(w, r, "session")
	var octavo struct {
		EndSession string `json:"end_session_endpoint"`
	}
	if err := a.provider.Claims(&octavo); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	http.Redirect(w, r, octavo.EndSession+"?"+url.Values{"id_token_hint": {s.idToken}}.Encode(), http.StatusSeeOther)
}

// api verifies an access token by the keys of Octavo, without asking it. Until the token expires it does not
// notice that a session was ended: for what must not wait ask as home does.
func (a *app) api(w http.ResponseWriter, r *http.Request) {
	raw, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	token, err := a.access.Verify(r.Context(), raw)
	if !ok || err != nil {
		w.Header().Set("WWW-Authenticate", "Bearer")
		http.Error(w, "This needs an access token.", http.StatusUnauthorized)
		return
	}
	var claims struct {
		Role string `json:"role"`
	}
	if err := token.Claims(&claims); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]string{"user": token.Subject, "role": claims.Role})
}

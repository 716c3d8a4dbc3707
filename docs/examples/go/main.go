// Command app signs people in with their Octavo accounts. Its home page is for them alone, and
// its API answers whoever sends an access token of Octavo.
package main

import (
	"context"
	"crypto/rand"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

type app struct {
	oauth2.Config
	url      string
	provider *oidc.Provider
	ids      *oidc.IDTokenVerifier // of ID tokens, which are made for this app
	access   *oidc.IDTokenVerifier // of access tokens, which are JWTs, too

	mu       sync.Mutex
	sessions map[string]session // by the value of the cookie
}

// session is what the app knows of somebody who is signed in. It lives in memory: a restart ends it.
type session struct {
	access  oauth2.TokenSource
	idToken string
}

func main() {
	a, err := newApp(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", a.home)
	mux.HandleFunc("GET /sign-in", a.signIn)
	mux.HandleFunc("GET /callback", a.callback)
	mux.HandleFunc("POST /sign-out", a.signOut)
	mux.HandleFunc("GET /api/me", a.api)
	server := &http.Server{Addr: os.Getenv("LISTEN"), Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	log.Fatal(server.ListenAndServe())
}

// newApp reads where Octavo is, and asks it for the rest.
func newApp(ctx context.Context) (*app, error) {
	provider, err := oidc.NewProvider(ctx, os.Getenv("OCTAVO_URL"))
	if err != nil {
		return nil, err
	}
	a := &app{url: os.Getenv("APP_URL"), provider: provider, sessions: map[string]session{}}
	a.Config = oauth2.Config{
		ClientID: os.Getenv("CLIENT_ID"), ClientSecret: os.Getenv("CLIENT_SECRET"), Endpoint: provider.Endpoint(),
		RedirectURL: a.url + "/callback", Scopes: []string{oidc.ScopeOpenID, "email"},
	}
	a.ids = provider.Verifier(&oidc.Config{ClientID: a.ClientID})
	// JWT_AUDIENCE of Octavo. Tokens of other people's applications are for somebody else, and refused.
	a.access = provider.Verifier(&oidc.Config{ClientID: "octavo", SupportedSigningAlgs: []string{oidc.ES512}})
	return a, nil
}

// cookie returns one that lives as long as the browser is open, and that no script reads.
func (a *app) cookie(name, value string) *http.Cookie {
	return &http.Cookie{
		Name: name, Value: value, Path: "/", HttpOnly: true, Secure: strings.HasPrefix(a.url, "https:"), SameSite: http.SameSiteLaxMode,
	}
}

// take returns the value of a cookie and removes it from the browser.
func (a *app) take(w http.ResponseWriter, r *http.Request, name string) string {
	got, err := r.Cookie(name)
	if err != nil {
		return ""
	}
	gone := a.cookie(name, "")
	gone.MaxAge = -1
	http.SetCookie(w, gone)
	return got.Value
}

// remember starts a session in this browser.
func (a *app) remember(w http.ResponseWriter, s session) {
	id := rand.Text()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sessions[id] = s
	http.SetCookie(w, a.cookie("session", id))
}

// find returns the session of this browser and what ends it.
func (a *app) find(r *http.Request) (s session, end func(), ok bool) {
	cookie, err := r.Cookie("session")
	if err != nil {
		return s, nil, false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	s, ok = a.sessions[cookie.Value]
	return s, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.sessions, cookie.Value)
	}, ok
}

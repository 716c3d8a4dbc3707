package authcontract

import (
	"context"
	"errors"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/auth/provider"
	"github.com/octavo-books/octavo/application/auth/signin"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func openIDCases(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"a client gets tokens once its user has consented":                     clientSignIn,
		"a stranger's request is carried by the browser and stores nothing":    strangersRequest,
		"consent is asked once for each client and scope":                      consentOnce,
		"a first-party client needs no consent and may do what the user may":   firstParty,
		"a refused request is answered with access_denied":                     consentRefused,
		"consent cannot be given for another user, browser or request":         consentBypass,
		"prompt=none shows no page and gives no code away":                     silentRequests,
		"prompt=login and max_age need a new sign-in":                          signInAgain,
		"a code is valid once, for its client, redirect URI and verifier":      codeBound,
		"a code used twice ends the session that it started":                   codeReused,
		"of many callers that redeem a code at once all get the same tokens":   codeRace,
		"a code that is redeemed again within ten seconds has one answer":      codeRepeated,
		"a thief who redeems a code at once with its client ends it for both":  codeThief,
		"an app on the device gets a code only after a page":                   appOnDevice,
		"a first-party token neither changes the password nor proves":          firstPartyProof,
		"a code expires after a minute":                                        codeExpires,
		"a code is void once its user has signed out or a password is reset":   codeAfterEnd,
		"a session that ends while a code is exchanged leaves no token behind": exchangeWhileRevoked,
		"a refresh token is renewed for its client only":                       clientRefresh,
		"without offline_access there is no refresh token":                     noRefreshToken,
		"a stolen refresh token of a client ends its session":                  clientRefreshStolen,
		"withdrawing consent ends the client's sessions and no others":         withdraw,
		"a removed client is unknown and its sessions have ended":              removeClient,
		"a client's sessions do not evict those of its user":                   clientEviction,
		"a client's token reads what its scopes allow and nothing else":        scopesBound,
		"a client's token names neither the role nor the metadata":             tokenWithoutRole,
		"a token of a client is never a recent proof":                          clientProof,
		"a client inspects and revokes its own tokens only":                    inspectOwn,
		"a logout ends the sessions of user and client":                        clientLogout,
		"a logout leads to registered addresses only":                          logoutRedirect,
		"a logout with somebody's ID token alone asks":                         logoutAsks,
		"only owners manage clients":                                           clientRights,
		"a renewed secret replaces the old one and ends no session":            renewSecret,
		"a replaced secret works for its overlap":                              secretOverlap,
		"an application is changed but for its id, secret and time":            updateClient,
		"an application that is no longer first party loses its sessions":      demoteClient,
		"an application gets no first-party session while it loses the right":  demoteDuringExchange,
		"an application that is no longer public gets a secret":                privateClient,
		"a request that expects another person leads to a sign-in":             expectedUser,
		"a narrower scope at a refresh narrows that access token alone":        narrowedScope,
		"a person who consents in two tabs at once gets both":                  consentTwice,
		"a secret that is renewed before an exchange does not spoil the code":  renewBetween,
		"what an application is changed to counts for what is under way":       updateUnderWay,
		"a client need not send a challenge if it is set so":                   withoutPKCE,
		"the tokens and sessions of a client last as long as it is set to":     clientLifetimes,
		"a shorter lifetime of a client counts from the next token on":         shorterLifetime,
		"a client gets a token for the resource that it asks for":              targetToken,
		"of several resources a client gets a token for one at a time":         targetOfSeveral,
		"a resource that is unknown or was not granted is refused":             targetRefused,
		"what is allowed at one resource is asked again for another":           targetConsent,
		"a token for a resource ends with its session and the resource":        targetEnds,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
}

const (
	verifier  = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
	pkce      = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	returnURI = "https://app.example/cb"
)

var admin = user.Caller{ID: -1, Role: user.Owner}

func addClient(t *testing.T, k *authkit.Fixture, change func(*openid.Client)) openid.Client {
	t.Helper()
	c := openid.Client{Name: "An app", RedirectURIs: []string{returnURI}, PostLogoutRedirectURIs: []string{"https://app.example/bye"}, IDTokenAlg: openid.RS256}
	if change != nil {
		change(&c)
	}
	added, secret := must.Get2(k.Clients.Add(ctx, admin, c))(t)
	if added.Public != (secret == "") {
		t.Fatalf("the secret of %+v is %q", added, secret)
	}
	return added
}

func parameters(c openid.Client, change ...string) url.Values {
	p := url.Values{
		"client_id": {c.ID}, "redirect_uri": {returnURI}, "response_type": {"code"}, "scope": {"openid email offline_access"},
		"state": {"st4te"}, "nonce": {"n0nce"}, "code_challenge": {pkce}, "code_challenge_method": {"S256"},
	}
	for i := 0; i < len(change); i += 2 {
		p.Set(change[i], change[i+1])
	}
	return p
}

// answered returns the parameters of an answer, which must have the state and the issuer.
func answered(t *testing.T, s provider.Step, err error) url.Values {
	t.Helper()
	must.Do(t, err)
	u := must.Get(url.Parse(s.Answer))(t)
	q := u.Query()
	if !strings.HasPrefix(s.Answer, returnURI+"?") || q.Get("state") != "st4te" || q.Get("iss") != "https://octavo.example" {
		t.Fatalf("the answer is %+v", s)
	}
	return q
}

// authorized consents to a request and returns the code.
func authorized(t *testing.T, k *authkit.Fixture, by user.Caller, p url.Values) string {
	t.Helper()
	step, err := k.Authorizations.Begin(ctx, by, p)
	if err == nil && step.Pending != "" && !step.SignIn {
		step, err = k.Authorizations.Decide(ctx, by, step.Pending, true)
	}
	code := answered(t, step, err).Get("code")
	if code == "" {
		t.Fatalf("no code in %s", step.Answer)
	}
	return code
}

var appServer = user.ClientInfo{IP: "203.0.113.5", UserAgent: "app/1"}

func exchange(k *authkit.Fixture, c openid.Client, code string) (provider.ClientTokens, error) {
	return k.Authorizations.Exchange(ctx, provider.CodeExchange{Client: c, Code: code, RedirectURI: returnURI, Verifier: verifier, From: appServer})
}

func tokensFor(t *testing.T, k *authkit.Fixture, by user.Caller, c openid.Client, change ...string) provider.ClientTokens {
	t.Helper()
	return must.Get(exchange(k, c, authorized(t, k, by, parameters(c, change...))))(t)
}

func isActive(k *authkit.Fixture, tokens provider.ClientTokens) bool {
	_, err := k.Authenticator.Authenticate(ctx, tokens.AccessToken, appServer)
	return err == nil
}

func clientSignIn(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Owner)
	k.Clock.Advance(time.Second)
	step, err := k.Authorizations.Begin(ctx, user.Caller{From: authkit.Firefox}, parameters(c))
	if err != nil || !step.SignIn || step.Pending == "" || step.Answer != "" {
		t.Fatalf("a stranger: %+v, %v", step, err)
	}
	asked, err := k.Authorizations.Resume(ctx, by, step.Pending)
	if err != nil || asked.SignIn || asked.Answer != "" || asked.Scopes != "openid email offline_access" || asked.Client.Name != c.Name {
		t.Fatalf("signed in: %+v, %v", asked, err)
	}
	done, err := k.Authorizations.Decide(ctx, by, asked.Pending, true)
	tokens := must.Get(exchange(k, c, answered(t, done, err).Get("code")))(t)
	id, err := k.Authenticator.About(ctx, tokens.AccessToken, appServer)
	if err != nil || id.User != by.ID || id.Email != "ann@u.edu" || id.Verified == nil || !*id.Verified || tokens.Scopes != "openid email offline_access" || tokens.RefreshToken == "" {
		t.Fatalf("%+v of %+v, %v", id, tokens, err)
	}
	all, err := k.Sessions.List(ctx, by, by.ID)
	if err != nil || len(all) != 2 || !slices.ContainsFunc(all, func(s session.Session) bool {
		return s.Client == c.ID && s.Scopes == tokens.Scopes && s.UserAgent == authkit.Firefox.UserAgent && s.ProvedAt.IsZero()
	}) {
		t.Fatalf("sessions %+v, %v", all, err)
	}
	want(t, must.Err(k.Authorizations.Decide(ctx, by, asked.Pending, true)), challenge.ErrCeremonyInvalid)
}

// readOnly is a storage that nothing can be stored in.
type readOnly struct{ authrooms.Storage }

func (readOnly) Atomically(context.Context, func(context.Context, auth.Stores) error) error {
	return errReadOnly
}

func (readOnly) WithAddressLock(context.Context, []user.Email, func(context.Context, auth.Stores) error) error {
	return errReadOnly
}

var errReadOnly = errors.New("something was stored")

func strangersRequest(t *testing.T, open *authkit.Fixture) {
	c, by := addClient(t, open, nil), open.CreateCaller(t, "ann@u.edu", user.Regular)
	k := authkit.New(t, open.Store, func(p *authrooms.Ports, _ *auth.Config) { p.Storage, p.Now = readOnly{p.Storage}, open.Clock.Now })
	nobody := user.Caller{From: authkit.Firefox}
	step, err := k.Authorizations.Begin(ctx, nobody, parameters(c, "state", strings.Repeat("s", 2000)))
	if err != nil || !step.SignIn || len(step.Pending) > provider.MaxCarried {
		t.Fatalf("a stranger: %+v, %v", step, err)
	}
	if again, err := k.Authorizations.Resume(ctx, nobody, step.Pending); err != nil || !again.SignIn {
		t.Fatalf("still a stranger: %+v, %v", again, err)
	}
	if client, _, err := k.Authorizations.ClientOf(ctx, nobody, step.Pending); err != nil || client.Name != c.Name {
		t.Fatalf("%+v, %v", client, err)
	}
	if long, err := k.Authorizations.Begin(ctx, nobody, parameters(c, "state", strings.Repeat("s", 4000))); err != nil || !strings.Contains(long.Answer, "error=invalid_request") {
		t.Fatalf("a long request: %+v, %v", long, err)
	}
	for _, forged := range []string{"", "x", step.Pending + "A", strings.Repeat("A", 5000)} {
		want(t, must.Err(k.Authorizations.Resume(ctx, by, forged)), challenge.ErrCeremonyInvalid)
	}
	open.Clock.Advance(30 * time.Minute)
	want(t, must.Err(open.Authorizations.Resume(ctx, by, step.Pending)), challenge.ErrCeremonyInvalid)
}

func consentOnce(t *testing.T, k *authkit.Fixture) {
	c, other, by := addClient(t, k, nil), addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	authorized(t, k, by, parameters(c, "scope", "openid email"))
	for name, test := range map[string]struct {
		p    url.Values
		asks bool
	}{
		"the same": {parameters(c, "scope", "openid email"), false}, "less": {parameters(c, "scope", "openid"), false},
		"more": {parameters(c, "scope", "openid profile"), true}, "prompt=consent": {parameters(c, "scope", "openid", "prompt", "consent"), true},
		"another client": {parameters(other, "scope", "openid"), true},
	} {
		if step, err := k.Authorizations.Begin(ctx, by, test.p); err != nil || (step.Answer == "") != test.asks {
			t.Errorf("%s: %+v, %v", name, step, err)
		}
	}
	all, err := k.Clients.ListConsents(ctx, by)
	if err != nil || len(all) != 1 || all[0].Client.ID != c.ID || all[0].Grant.Scopes != "openid email" {
		t.Fatalf("consents %+v, %v", all, err)
	}
}

func firstParty(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, func(c *openid.Client) { c.FirstParty = true }), k.CreateCaller(t, "ann@u.edu", user.Admin)
	tokens := tokensFor(t, k, by, c, "prompt", "none")
	act, err := k.Authenticator.Authenticate(ctx, tokens.AccessToken, appServer)
	if err != nil || act.Limited() || act.Role != user.Admin || act.MustBe(user.Admin) != nil {
		t.Fatalf("%+v, %v", act, err)
	}
}

func consentRefused(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	step := must.Get(k.Authorizations.Begin(ctx, by, parameters(c)))(t)
	refused, err := k.Authorizations.Decide(ctx, by, step.Pending, false)
	if q := answered(t, refused, err); q.Get("error") != "access_denied" || q.Has("code") {
		t.Fatalf("%v", q)
	}
	want(t, must.Err(k.Authorizations.Decide(ctx, by, step.Pending, true)), challenge.ErrCeremonyInvalid)
}

func consentBypass(t *testing.T, k *authkit.Fixture) {
	c, ann, bob := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular), k.CreateCaller(t, "bob@u.edu", user.Regular)
	asked := must.Get(k.Authorizations.Begin(ctx, ann, parameters(c)))(t)
	unasked := must.Get(k.Authorizations.Begin(ctx, user.Caller{From: authkit.Firefox}, parameters(c)))(t)
	elsewhere := ann
	elsewhere.From = authkit.Chrome
	limited := ann
	limited.Client, limited.Scopes = c.ID, "openid"
	for name, forged := range map[string]struct {
		by user.Caller
		id string
	}{
		"another user": {bob, asked.Pending}, "another browser": {elsewhere, asked.Pending}, "a request that was never shown": {ann, unasked.Pending},
		"no request": {ann, ""}, "an invented request": {ann, strings.Repeat("A", 43)}, "nobody": {user.Caller{From: authkit.Firefox}, asked.Pending}, "an application": {limited, asked.Pending},
	} {
		if step, err := k.Authorizations.Decide(ctx, forged.by, forged.id, true); err == nil || step.Answer != "" {
			t.Errorf("%s: %+v, %v", name, step, err)
		}
	}
	if all, err := k.Store.Identity.ListGrantees(ctx, c.ID, 0, 9); err != nil || len(all) != 0 {
		t.Errorf("%v have consented, %v", all, err)
	}
	want(t, must.Err(k.Authorizations.Resume(ctx, bob, asked.Pending)), challenge.ErrCeremonyInvalid)
}

func silentRequests(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	silent := func(by user.Caller, change ...string) url.Values {
		step, err := k.Authorizations.Begin(ctx, by, parameters(c, append(change, "prompt", "none")...))
		return answered(t, step, err)
	}
	k.Clock.Advance(time.Minute)
	if q := silent(user.Caller{From: authkit.Firefox}); q.Get("error") != "login_required" {
		t.Errorf("nobody: %v", q)
	}
	if q := silent(by); q.Get("error") != "consent_required" {
		t.Errorf("without consent: %v", q)
	}
	own := tokensFor(t, k, by, c)
	if q := silent(by); q.Get("code") == "" {
		t.Errorf("with consent: %v", q)
	}
	if q := silent(by, "max_age", "1"); q.Get("error") != "login_required" {
		t.Errorf("after a long time: %v", q)
	}
	if q := silent(by, "id_token_hint", own.IDToken); q.Get("code") == "" {
		t.Errorf("with a hint: %v", q)
	}
	bob := k.CreateCaller(t, "bob@u.edu", user.Regular)
	tokensFor(t, k, bob, c)
	for _, hint := range []string{own.IDToken, "forged"} {
		if q := silent(bob, "id_token_hint", hint); q.Get("error") != "login_required" {
			t.Errorf("with a hint for somebody else: %v", q)
		}
	}
	limited := must.Get(k.Authenticator.Authenticate(ctx, own.AccessToken, appServer))(t)
	if q := silent(limited); q.Get("error") != "login_required" {
		t.Errorf("an application: %v", q)
	}
}

func signInAgain(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	authorized(t, k, by, parameters(c))
	k.Clock.Advance(time.Minute)
	for _, change := range [][]string{{"prompt", "login"}, {"prompt", "select_account"}, {"max_age", "0"}, {"max_age", "59"}} {
		step, err := k.Authorizations.Begin(ctx, by, parameters(c, change...))
		if err != nil || !step.SignIn {
			t.Fatalf("%v: %+v, %v", change, step, err)
		}
		if skipped, err := k.Authorizations.Decide(ctx, by, step.Pending, true); err != nil || !skipped.SignIn || skipped.Answer != "" {
			t.Fatalf("%v: the sign-in can be skipped: %+v, %v", change, skipped, err)
		}
		if again, err := k.Authorizations.Resume(ctx, by, step.Pending); err != nil || !again.SignIn {
			t.Fatalf("%v: %+v, %v", change, again, err)
		}
		fresh, err := k.Authorizations.Resume(ctx, k.CallerOf(t, k.SignIn(t, "ann@u.edu")), step.Pending)
		if q := answered(t, fresh, err); q.Get("code") == "" {
			t.Fatalf("%v: %v", change, q)
		}
	}
	if step, err := k.Authorizations.Begin(ctx, by, parameters(c, "max_age", "60")); err != nil || step.Answer == "" {
		t.Fatalf("within max_age: %+v, %v", step, err)
	}
}

func codeBound(t *testing.T, k *authkit.Fixture) {
	c, other, by := addClient(t, k, nil), addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	for name, spoil := range map[string]func(*provider.CodeExchange){
		"another client":       func(e *provider.CodeExchange) { e.Client = other },
		"another redirect URI": func(e *provider.CodeExchange) { e.RedirectURI += "/" },
		"no redirect URI":      func(e *provider.CodeExchange) { e.RedirectURI = "" },
		"another verifier":     func(e *provider.CodeExchange) { e.Verifier = strings.Repeat("a", 43) },
		"no verifier":          func(e *provider.CodeExchange) { e.Verifier = "" },
		"the challenge itself": func(e *provider.CodeExchange) { e.Verifier = pkce },
		"an invented code":     func(e *provider.CodeExchange) { e.Code = strings.Repeat("A", 43) },
	} {
		in := provider.CodeExchange{Client: c, Code: authorized(t, k, by, parameters(c)), RedirectURI: returnURI, Verifier: verifier, From: appServer}
		code := in.Code
		spoil(&in)
		must.Refuse(t, must.Err(k.Authorizations.Exchange(ctx, in)), openid.ErrInvalidGrant, name)
		if _, err := exchange(k, c, code); name != "an invented code" && !errors.Is(err, openid.ErrInvalidGrant) {
			t.Errorf("%s: the code is still valid: %v", name, err)
		}
	}
}

func codeReused(t *testing.T, k *authkit.Fixture) {
	c, thief, by := addClient(t, k, nil), addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	for _, again := range []openid.Client{c, thief} {
		code := authorized(t, k, by, parameters(c))
		tokens := must.Get(exchange(k, c, code))(t)
		k.Clock.Advance(30 * time.Minute)
		if _, err := exchange(k, again, code); !errors.Is(err, openid.ErrInvalidGrant) {
			t.Fatalf("a code works twice: %v, want %v", err, openid.ErrInvalidGrant)
		}
		if _, err := k.Authorizations.Refresh(ctx, provider.RefreshRequest{Client: c, Token: tokens.RefreshToken, Scope: "", From: appServer}); !errors.Is(err, openid.ErrInvalidGrant) {
			t.Fatalf("its session is still active: %v, want %v", err, openid.ErrInvalidGrant)
		}
	}
	if _, err := k.Users.Me(ctx, by); err != nil {
		t.Fatalf("the user is signed out: %v", err)
	}
}

func codeRace(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	code := authorized(t, k, by, parameters(c))
	got := make([]provider.ClientTokens, 8)
	must.Together(len(got), func(i int) {
		var err error
		if got[i], err = exchange(k, c, code); err != nil {
			t.Error(err)
		}
	})
	for _, one := range got {
		if one != got[0] || !isActive(k, one) {
			t.Errorf("%+v, want %+v", one, got[0])
		}
	}
	sessions, err := k.Sessions.List(ctx, by, by.ID)
	if err != nil || len(sessions) != 2 {
		t.Fatalf("sessions %+v, %v; want the browser's and the application's", sessions, err)
	}
}

func codeRepeated(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	code := authorized(t, k, by, parameters(c))
	first := must.Get(exchange(k, c, code))(t)
	k.Clock.Advance(10 * time.Second)
	if again, err := exchange(k, c, code); err != nil || again != first || !isActive(k, first) {
		t.Fatalf("%+v, %v; want %+v", again, err, first)
	}
	k.Clock.Advance(time.Second)
	want(t, must.Err(exchange(k, c, code)), openid.ErrInvalidGrant)
	if isActive(k, first) {
		t.Fatal("the session outlives a late second use of its code")
	}
	want(t, must.Err(exchange(k, c, code)), openid.ErrInvalidGrant)
}

// Whoever wins, nothing of a code remains that was redeemed rightly and wrongly.
func codeThief(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	for range 4 {
		code := authorized(t, k, by, parameters(c))
		var tokens provider.ClientTokens
		var right error
		var all sync.WaitGroup
		all.Go(func() { tokens, right = exchange(k, c, code) })
		all.Go(func() {
			_, err := k.Authorizations.Exchange(ctx, provider.CodeExchange{Client: c, Code: code, RedirectURI: returnURI, Verifier: strings.Repeat("a", 43), From: appServer})
			if !errors.Is(err, openid.ErrInvalidGrant) {
				t.Errorf("the thief: %v, want %v", err, openid.ErrInvalidGrant)
			}
		})
		all.Wait()
		if right != nil && !errors.Is(right, openid.ErrInvalidGrant) || right == nil && isActive(k, tokens) {
			t.Fatalf("the client: %+v, %v", tokens, right)
		}
	}
	if sessions, err := k.Sessions.List(ctx, by, by.ID); err != nil || len(sessions) != 1 {
		t.Fatalf("sessions %+v, %v; want the browser's", sessions, err)
	}
}

func appOnDevice(t *testing.T, k *authkit.Fixture) {
	by := k.CreateCaller(t, "ann@u.edu", user.Regular)
	for _, uri := range []string{"http://127.0.0.1:49152/cb", "com.example.app:/cb"} {
		c := addClient(t, k, func(c *openid.Client) { c.Public, c.RedirectURIs = true, []string{uri, returnURI} })
		for range 2 {
			step, err := k.Authorizations.Begin(ctx, by, parameters(c, "redirect_uri", uri))
			if err != nil || step.Answer != "" || step.Pending == "" || step.SignIn {
				t.Fatalf("%s: %+v, %v; want the page", uri, step, err)
			}
			if done, err := k.Authorizations.Decide(ctx, by, step.Pending, true); err != nil || !strings.Contains(done.Answer, "code=") {
				t.Fatalf("%s: %+v, %v", uri, done, err)
			}
		}
		if step, err := k.Authorizations.Begin(ctx, by, parameters(c, "redirect_uri", uri, "prompt", "none")); err != nil || !strings.Contains(step.Answer, "error=consent_required") {
			t.Fatalf("%s without a page: %+v, %v", uri, step, err)
		}
		if step, err := k.Authorizations.Begin(ctx, by, parameters(c)); err != nil || step.Answer == "" {
			t.Fatalf("the page of its website: %+v, %v", step, err)
		}
		want(t, must.Err(k.Clients.Add(ctx, admin, openid.Client{Name: "An app", RedirectURIs: []string{returnURI, uri}, Public: true, FirstParty: true, IDTokenAlg: openid.RS256})), openid.ErrClientInvalid)
	}
	addClient(t, k, func(c *openid.Client) { c.Public, c.FirstParty = true, true })
	addClient(t, k, func(c *openid.Client) { c.RedirectURIs, c.FirstParty = []string{"http://127.0.0.1/cb"}, true })
}

func firstPartyProof(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, func(c *openid.Client) { c.FirstParty = true }), k.CreateCaller(t, "ann@u.edu", user.Owner)
	app := must.Get(k.Authenticator.Authenticate(ctx, tokensFor(t, k, by, c).AccessToken, appServer))(t)
	want(t, k.Passwords.Change(ctx, app, authkit.Password, "another long phrase"), user.ErrForbidden)
	right := authkit.Password
	want(t, k.SignIns.Reauthenticate(ctx, app, signin.Proof{Password: &right}), user.ErrForbidden)
	want(t, k.Users.SetPassword(ctx, app, by.ID, "another long phrase"), user.ErrForbidden)
	want(t, k.Identities.LinkFor(ctx, app, by.ID, "trusted", "1"), user.ErrForbidden)
	k.SignIn(t, "ann@u.edu") // with the password of before
	must.Do(t, k.SignIns.Reauthenticate(ctx, by, signin.Proof{Password: &right}))
}

func codeExpires(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	code := authorized(t, k, by, parameters(c))
	k.Clock.Advance(time.Minute)
	want(t, must.Err(exchange(k, c, code)), openid.ErrInvalidGrant)
}

func codeAfterEnd(t *testing.T, k *authkit.Fixture) {
	c := addClient(t, k, nil)
	by := k.CreateCaller(t, "ann@u.edu", user.Regular)
	code := authorized(t, k, by, parameters(c))
	must.Do(t, k.Sessions.SignOut(ctx, by))
	want(t, must.Err(exchange(k, c, code)), openid.ErrInvalidGrant)
	code = authorized(t, k, k.CallerOf(t, k.SignIn(t, "ann@u.edu")), parameters(c))
	must.Do(t, k.Users.SetPassword(ctx, admin, by.ID, "another long phrase"))
	want(t, must.Err(exchange(k, c, code)), openid.ErrInvalidGrant)
}

func clientRefresh(t *testing.T, k *authkit.Fixture) {
	c, other, by := addClient(t, k, nil), addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	tokens := tokensFor(t, k, by, c)
	want(t, must.Err(k.Sessions.Refresh(ctx, tokens.RefreshToken, appServer)), session.ErrInvalid)
	for _, scope := range []string{"", "openid"} {
		want(t, must.Err(k.Authorizations.Refresh(ctx, provider.RefreshRequest{Client: other, Token: tokens.RefreshToken, Scope: scope, From: appServer})), openid.ErrInvalidGrant)
	}
	want(t, must.Err(k.Authorizations.Refresh(ctx, provider.RefreshRequest{Client: c, Token: k.SignIn(t, "ann@u.edu").RefreshToken, From: appServer})), openid.ErrInvalidGrant)
	want(t, must.Err(k.Authorizations.Refresh(ctx, provider.RefreshRequest{Client: c, Token: tokens.RefreshToken, Scope: "openid profile", From: appServer})), openid.ErrScopeExceeded)
	next, err := k.Authorizations.Refresh(ctx, provider.RefreshRequest{Client: c, Token: tokens.RefreshToken, Scope: "openid", From: appServer})
	if err != nil || next.RefreshToken == tokens.RefreshToken || next.RefreshToken == "" || next.Scopes != "openid" || next.IDToken == "" || !isActive(k, next) {
		t.Fatalf("%+v, %v", next, err)
	}
}

func noRefreshToken(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	tokens := tokensFor(t, k, by, c, "scope", "openid")
	if tokens.RefreshToken != "" || !isActive(k, tokens) {
		t.Fatalf("%+v", tokens)
	}
	k.Clock.Advance(k.Config.AccessTTL)
	if all, err := k.Sessions.List(ctx, by, by.ID); err != nil || len(all) != 1 {
		t.Fatalf("the session outlives its token: %+v, %v", all, err)
	}
}

func clientRefreshStolen(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	stolen := tokensFor(t, k, by, c)
	next := must.Get(k.Authorizations.Refresh(ctx, provider.RefreshRequest{Client: c, Token: stolen.RefreshToken, Scope: "", From: appServer}))(t)
	if !isActive(k, next) { // the new tokens have arrived
		t.Fatal("the new token is refused")
	}
	k.Clock.Advance(time.Minute)
	want(t, must.Err(k.Authorizations.Refresh(ctx, provider.RefreshRequest{Client: c, Token: stolen.RefreshToken, Scope: "", From: appServer})), openid.ErrInvalidGrant)
	if isActive(k, next) {
		t.Fatal("the session is still active")
	}
}

func withdraw(t *testing.T, k *authkit.Fixture) {
	c, other, by := addClient(t, k, nil), addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	bob := k.CreateCaller(t, "bob@u.edu", user.Regular)
	gone, kept, bobs := tokensFor(t, k, by, c), tokensFor(t, k, by, other), tokensFor(t, k, bob, c)
	pending := authorized(t, k, by, parameters(c))
	must.Do(t, k.Clients.WithdrawConsent(ctx, by, c.ID))
	want(t, k.Clients.WithdrawConsent(ctx, by, c.ID), openid.ErrGrantNotFound)
	if isActive(k, gone) || !isActive(k, kept) || !isActive(k, bobs) {
		t.Fatal("the wrong sessions have ended")
	}
	want(t, must.Err(exchange(k, c, pending)), openid.ErrInvalidGrant)
	if all, err := k.Sessions.List(ctx, by, by.ID); err != nil || len(all) != 2 {
		t.Fatalf("sessions %+v, %v", all, err)
	}
	if step, err := k.Authorizations.Begin(ctx, by, parameters(c)); err != nil || step.Pending == "" {
		t.Fatalf("not asked again: %+v, %v", step, err)
	}
}

func removeClient(t *testing.T, k *authkit.Fixture) {
	c, other := addClient(t, k, func(c *openid.Client) { c.FirstParty = true }), addClient(t, k, nil)
	ann, bob := k.CreateCaller(t, "ann@u.edu", user.Regular), k.CreateCaller(t, "bob@u.edu", user.Regular)
	anns, bobs, kept := tokensFor(t, k, ann, c), tokensFor(t, k, bob, c), tokensFor(t, k, ann, other)
	if n, err := k.Clients.Remove(ctx, admin, c.ID); err != nil || n != 2 {
		t.Fatalf("%d sessions ended, %v; want 2", n, err)
	}
	if isActive(k, anns) || isActive(k, bobs) || !isActive(k, kept) {
		t.Fatal("the wrong sessions have ended")
	}
	want(t, must.Err(k.Clients.Remove(ctx, admin, c.ID)), openid.ErrClientNotFound)
	want(t, must.Err(k.Authorizations.Begin(ctx, ann, parameters(c))), openid.ErrClientNotFound)
	want(t, must.Err(k.Authorizations.AuthenticateClient(ctx, c.ID, "")), openid.ErrInvalidClient)
}

func clientEviction(t *testing.T, k *authkit.Fixture) {
	c, other, by := addClient(t, k, nil), addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	kept, first := tokensFor(t, k, by, other), tokensFor(t, k, by, c)
	for range k.Config.MaxSessions {
		k.Clock.Advance(time.Millisecond)
		tokensFor(t, k, by, c)
	}
	if _, err := k.Users.Me(ctx, by); err != nil || !isActive(k, kept) || isActive(k, first) {
		t.Fatalf("the wrong session was evicted: %v", err)
	}
}

func scopesBound(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Owner)
	tokens := tokensFor(t, k, by, c, "scope", "openid")
	about, err := k.Authenticator.About(ctx, tokens.AccessToken, appServer)
	if err != nil || about.User != by.ID || about.Email != "" || about.Verified != nil || about.Name != "" {
		t.Fatalf("%+v, %v", about, err)
	}
	app := must.Get(k.Authenticator.Authenticate(ctx, tokens.AccessToken, appServer))(t)
	me, err := k.Users.MeWithin(ctx, app)
	if err != nil || me.ID != by.ID || me.Email != "" || me.Role != user.Regular {
		t.Fatalf("%+v, %v", me, err)
	}
	want(t, must.Err(k.Users.Me(ctx, app)), user.ErrForbidden)
	want(t, must.Err(k.Clients.ListConsents(ctx, app)), user.ErrForbidden)
	want(t, k.Clients.WithdrawConsent(ctx, app, c.ID), user.ErrForbidden)
	want(t, must.Err(k.Clients.List(ctx, app)), user.ErrForbidden)
	want(t, must.Err(k.Authenticator.About(ctx, k.SignIn(t, "ann@u.edu").AccessToken, appServer)), openid.ErrInsufficientScope)
	want(t, must.Err(k.Authenticator.About(ctx, "no token", appServer)), openid.ErrInvalidToken)
}

func clientProof(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, func(c *openid.Client) { c.FirstParty = true }), k.CreateCaller(t, "ann@u.edu", user.Regular)
	act := must.Get(k.Authenticator.Authenticate(ctx, tokensFor(t, k, by, c).AccessToken, appServer))(t)
	must.Do(t, k.Store.Sessions.ProveSession(ctx, by.ID, act.Session, session.Password, k.Clock.Now()))
	own, err := k.Store.Sessions.FindSession(ctx, by.ID, act.Session)
	if err != nil || own.RecentlyProved(k.Clock.Now()) {
		t.Fatalf("%+v counts as proved, %v", own, err)
	}
}

func inspectOwn(t *testing.T, k *authkit.Fixture) {
	c, other, by := addClient(t, k, nil), addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	public := addClient(t, k, func(c *openid.Client) { c.Public = true })
	tokens, own := tokensFor(t, k, by, c), k.SignIn(t, "ann@u.edu")
	for _, token := range []string{tokens.AccessToken, tokens.RefreshToken} {
		if info, err := k.Authorizations.Inspect(ctx, c, token); err != nil || !info.Active || info.User != by.ID || info.Scopes != tokens.Scopes {
			t.Errorf("%+v, %v", info, err)
		}
		if info, err := k.Authorizations.Inspect(ctx, other, token); err != nil || !reflect.DeepEqual(info, provider.ClientTokenInfo{}) {
			t.Errorf("a stranger learns %+v, %v", info, err)
		}
		want(t, must.Err(k.Authorizations.Inspect(ctx, public, token)), openid.ErrInvalidClient)
		want(t, k.Authorizations.Revoke(ctx, other, token, appServer), openid.ErrInvalidGrant)
	}
	for _, token := range []string{own.AccessToken, own.RefreshToken, "", "x"} {
		if info, err := k.Authorizations.Inspect(ctx, c, token); err != nil || info.Active {
			t.Errorf("%+v, %v", info, err)
		}
	}
	want(t, k.Authorizations.Revoke(ctx, c, own.AccessToken, appServer), openid.ErrInvalidGrant)
	must.Do(t, k.Authorizations.Revoke(ctx, c, "x", appServer))
	if !isActive(k, tokens) {
		t.Fatal("a stranger has revoked a token")
	}
	must.Do(t, k.Authorizations.Revoke(ctx, c, tokens.RefreshToken, appServer))
	if info, err := k.Authorizations.Inspect(ctx, c, tokens.AccessToken); err != nil || info.Active || isActive(k, tokens) {
		t.Fatalf("%+v, %v", info, err)
	}
}

func clientLogout(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	tokens, other := tokensFor(t, k, by, c), tokensFor(t, k, by, c)
	l, err := k.Authorizations.ReadLogout(ctx, by, url.Values{"id_token_hint": {tokens.IDToken}})
	if err != nil || !l.Expected {
		t.Fatalf("%+v, %v", l, err)
	}
	must.Get(k.Authorizations.EndSession(ctx, by, l, false))(t)
	must.Get(k.Users.Me(ctx, by))(t)
	if _, err := k.Store.Sessions.FindSession(ctx, by.ID, by.Session); !errors.Is(err, session.ErrNotFound) || isActive(k, tokens) || !isActive(k, other) {
		t.Fatalf("the wrong sessions have ended: %v", err)
	}
}

// Whoever finds an ID token, for example in a log, must not end a session without a word.
func logoutAsks(t *testing.T, k *authkit.Fixture) {
	c, by := addClient(t, k, nil), k.CreateCaller(t, "ann@u.edu", user.Regular)
	tokens, nobody := tokensFor(t, k, by, c), user.Caller{From: authkit.Chrome}
	hint := url.Values{"id_token_hint": {tokens.IDToken}}
	for who, test := range map[string]struct {
		by   user.Caller
		p    url.Values
		asks bool
	}{
		"the person": {by, hint, false}, "nobody": {nobody, hint, true}, "another person": {k.CreateCaller(t, "bob@u.edu", user.Regular), hint, true},
		"the person without a hint": {by, url.Values{}, true}, "nobody without a hint": {nobody, url.Values{"client_id": {c.ID}}, false},
	} {
		if l, err := k.Authorizations.ReadLogout(ctx, test.by, test.p); err != nil || l.Asks != test.asks {
			t.Errorf("%s: %+v, %v", who, l, err)
		}
	}
	l := must.Get(k.Authorizations.ReadLogout(ctx, nobody, hint))(t)
	must.Get(k.Authorizations.EndSession(ctx, nobody, l, false))(t)
	if isActive(k, tokens) {
		t.Error("the session outlives the logout")
	}
	if l, err := k.Authorizations.ReadLogout(ctx, nobody, hint); err != nil || l.Asks {
		t.Errorf("asks for a session that has ended: %+v, %v", l, err)
	}
}

func logoutRedirect(t *testing.T, k *authkit.Fixture) {
	c, other, by := addClient(t, k, nil), addClient(t, k, func(c *openid.Client) { c.PostLogoutRedirectURIs = []string{"https://other.example/"} }), k.CreateCaller(t, "ann@u.edu", user.Regular)
	hint := tokensFor(t, k, by, c).IDToken
	bob := k.CreateCaller(t, "bob@u.edu", user.Regular)
	for name, test := range map[string]struct {
		p        url.Values
		by       user.Caller
		to       string
		expected bool
	}{
		"with a hint":       {url.Values{"id_token_hint": {hint}, "post_logout_redirect_uri": {"https://app.example/bye"}, "state": {"a b"}}, by, "https://app.example/bye?state=a+b", true},
		"with a client":     {url.Values{"client_id": {c.ID}, "post_logout_redirect_uri": {"https://app.example/bye"}}, by, "https://app.example/bye", false},
		"of another user":   {url.Values{"id_token_hint": {hint}, "post_logout_redirect_uri": {"https://app.example/bye"}}, bob, "https://app.example/bye", false},
		"not registered":    {url.Values{"id_token_hint": {hint}, "post_logout_redirect_uri": {"https://app.example/bye/"}}, by, "", true},
		"a redirect URI":    {url.Values{"id_token_hint": {hint}, "post_logout_redirect_uri": {returnURI}}, by, "", true},
		"of another client": {url.Values{"id_token_hint": {hint}, "post_logout_redirect_uri": {"https://other.example/"}}, by, "", true},
		"client and hint":   {url.Values{"id_token_hint": {hint}, "client_id": {other.ID}, "post_logout_redirect_uri": {"https://other.example/"}}, by, "", false},
		"a forged hint":     {url.Values{"id_token_hint": {"x"}, "post_logout_redirect_uri": {"https://app.example/bye"}}, by, "", false},
		"no client":         {url.Values{"post_logout_redirect_uri": {"https://app.example/bye"}}, by, "", false},
		"twice":             {url.Values{"id_token_hint": {hint}, "post_logout_redirect_uri": {"https://app.example/bye", "https://evil.example"}}, by, "", true},
	} {
		if l, err := k.Authorizations.ReadLogout(ctx, test.by, test.p); err != nil || l.ReturnsTo != test.to || l.Expected != test.expected {
			t.Errorf("%s: %+v, %v", name, l, err)
		}
	}
}

func clientRights(t *testing.T, k *authkit.Fixture) {
	c := addClient(t, k, nil)
	for _, by := range []user.Caller{{}, k.CreateCaller(t, "ann@u.edu", user.Regular), k.CreateCaller(t, "root@u.edu", user.Admin)} {
		refusal := user.ErrForbidden
		if !by.SignedIn() {
			refusal = user.ErrUnauthenticated
		}
		want(t, must.Err(k.Clients.Add(ctx, by, openid.Client{Name: "An app", RedirectURIs: []string{returnURI}, IDTokenAlg: openid.RS256})), refusal)
		want(t, must.Err(k.Clients.List(ctx, by)), refusal)
		want(t, must.Err(k.Clients.Find(ctx, by, c.ID)), refusal)
		want(t, must.Err(k.Clients.RenewSecret(ctx, by, c.ID, 0)), refusal)
		_, _, err := k.Clients.Update(ctx, by, c.ID, func(c *openid.Client) { c.Name = "Mine" })
		want(t, err, refusal)
		want(t, must.Err(k.Clients.Remove(ctx, by, c.ID)), refusal)
	}
	want(t, must.Err(k.Clients.Add(ctx, admin, openid.Client{Name: "An\napp", RedirectURIs: []string{returnURI}, IDTokenAlg: openid.RS256})), openid.ErrClientInvalid)
}

func renewSecret(t *testing.T, k *authkit.Fixture) {
	c, old := must.Get2(k.Clients.Add(ctx, admin, openid.Client{Name: "An app", RedirectURIs: []string{returnURI}, IDTokenAlg: openid.RS256}))(t)
	tokens := tokensFor(t, k, k.CreateCaller(t, "ann@u.edu", user.Regular), c)
	renewed := must.Get(k.Clients.RenewSecret(ctx, admin, c.ID, 0))(t)
	want(t, must.Err(k.Authorizations.AuthenticateClient(ctx, c.ID, old)), openid.ErrInvalidClient)
	found := must.Get(k.Authorizations.AuthenticateClient(ctx, c.ID, renewed))(t)
	if !isActive(k, tokens) {
		t.Error("the sessions have ended")
	}
	if _, err := k.Authorizations.Refresh(ctx, provider.RefreshRequest{Client: found, Token: tokens.RefreshToken, Scope: "", From: appServer}); err != nil {
		t.Error(err)
	}
	want(t, must.Err(k.Clients.RenewSecret(ctx, admin, "none", 0)), openid.ErrClientNotFound)
	want(t, must.Err(k.Clients.RenewSecret(ctx, admin, addClient(t, k, func(c *openid.Client) { c.Public = true }).ID, 0)), openid.ErrClientPublic)
}

// A service that verifies tokens itself would take the application for an admin.
func tokenWithoutRole(t *testing.T, k *authkit.Fixture) {
	by := k.CreateCaller(t, "ann@u.edu", user.Owner)
	must.Get(k.Users.SetMetadata(ctx, by, by.ID, `{"plan":"gold"}`))(t)
	third, first := addClient(t, k, nil), addClient(t, k, func(c *openid.Client) { c.FirstParty = true })
	for _, test := range []struct {
		client   openid.Client
		role     user.Role
		metadata string
	}{{third, user.Regular, ""}, {first, user.Owner, `{"plan":"gold"}`}} {
		tokens := tokensFor(t, k, by, test.client)
		renewed := must.Get(k.Authorizations.Refresh(ctx, provider.RefreshRequest{Client: test.client, Token: tokens.RefreshToken, Scope: "", From: appServer}))(t)
		for _, token := range []string{tokens.AccessToken, renewed.AccessToken} {
			c, err := k.Tokens.VerifyToken(token, k.Clock.Now())
			if err != nil || c.Role != test.role || c.Metadata != test.metadata {
				t.Errorf("the token says %+v, %v", c, err)
			}
			if info, err := k.Authenticator.Introspect(ctx, token); err != nil || info.Role != test.role {
				t.Errorf("tokenInfo is %+v, %v", info, err)
			}
		}
	}
}

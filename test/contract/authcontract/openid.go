package authcontract

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth/provider"
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

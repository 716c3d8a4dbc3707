package e2e_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"

	"github.com/octavo-books/octavo/test/e2e"
)

// The sign-in page also works without the marketplace.
func TestAnApplicationSignsPeopleInWithTheirAccountsHere(t *testing.T) {
	t.Parallel()
	s := startAuth(t)
	app := s.party(t, "--post-logout-redirect-uri", "https://app.example/bye")
	ann := s.member(t, byBearer, "ann")
	browser := s.newClient(t, byCookie)
	browser.email = ann.email
	tokens := app.exchange(browser.authorize(app))
	if tokens.scope != "openid email profile offline_access" || tokens.refresh == "" {
		t.Fatalf("%+v", tokens)
	}
	header, claims := app.verified(tokens.id)
	if header["alg"] != "RS256" || claims["sub"] != ann.id || claims["nonce"] != "n&nce +%" || claims["auth_time"] == nil || claims["email"] != ann.email {
		t.Fatalf("%v %v", header, claims)
	}
	status, about := app.get("/oauth2/userinfo", tokens.access)
	if status != 200 || about["sub"] != ann.id || about["email"] != ann.email || about["email_verified"] != true {
		t.Fatalf("%d %v", status, about)
	}
	if status, _ := app.get("/oauth2/token", ""); status != 405 {
		t.Errorf("GET of the token endpoint: %d, want 405", status)
	}
	if shown := browser.open("GET", "/account/applications", nil); !strings.Contains(shown.body, "An application") {
		t.Fatalf("the application is not listed: %s", shown.body)
	}
	app.isNamedBySessions(ann)
	if again := browser.open("GET", app.request(), nil); again.left == nil {
		t.Fatalf("consent is asked for twice: %s", again.body)
	}

	status, body, _ := app.call("/oauth2/token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {tokens.refresh}})
	if status != 200 || body["refresh_token"] == tokens.refresh || body["id_token"] == nil {
		t.Fatalf("%d %v", status, body)
	}
	renewed := body["access_token"].(string)
	status, body, _ = app.call("/oauth2/introspect", url.Values{"token": {renewed}})
	if status != 200 || body["active"] != true || body["sub"] != ann.id || body["client_id"] != app.id {
		t.Fatalf("%d %v", status, body)
	}
	if status, _, _ := app.call("/oauth2/revoke", url.Values{"token": {renewed}}); status != 200 {
		t.Fatalf("revoke: %d, want 200", status)
	}
	if status, _ := app.get("/oauth2/userinfo", renewed); status != 401 {
		t.Fatalf("a revoked token is still valid: %d, want 401", status)
	}

	tokens = app.exchange(browser.authorize(app))
	bye := browser.open("GET", "/oauth2/end_session?"+url.Values{"id_token_hint": {tokens.id}, "post_logout_redirect_uri": {"https://app.example/bye"}, "state": {"x"}}.Encode(), nil)
	if bye.left == nil || bye.left.String() != "https://app.example/bye?state=x" {
		t.Fatalf("signed out, %d at %s", bye.status, bye.at)
	}
	shown := browser.open("GET", "/account/applications", nil)
	if status, _ := app.get("/oauth2/userinfo", tokens.access); shown.at.Path != "/login" || status != 401 {
		t.Fatalf("still signed in: at %s, %d, want 401", shown.at, status)
	}
	logsNone(t, s, tokens.access, tokens.id, tokens.refresh, app.secret, "code=")
}

// logsNone fails the test if the log contains one of the secrets.
func logsNone(t *testing.T, s service, secrets ...string) {
	t.Helper()
	for _, secret := range secrets {
		if strings.Contains(s.Log(), secret) {
			t.Errorf("the log contains %.20s…", secret)
		}
	}
}

// isNamedBySessions requires that the user's sessions name the application, and that the others name none.
func (p party) isNamedBySessions(by *person) {
	shown := string(by.must(`{ me { sessions { application { id name } } } }`, nil).Body)
	if !strings.Contains(shown, `{"application":{"id":"`+p.id+`","name":"An application"}}`) || !strings.Contains(shown, `{"application":null}`) {
		p.t.Fatalf("the sessions are %s", shown)
	}
}

func TestAnApplicationMayAskForIDTokensWithES512AndBePublic(t *testing.T) {
	t.Parallel()
	s := startAuth(t)
	ann := s.member(t, byCookie, "ann")
	app := s.party(t, "--public", "--id-token-alg", "ES512")
	if app.secret != "" {
		t.Fatal("a public client has a secret")
	}
	tokens := app.exchange(ann.authorize(app, "scope", "openid"))
	if header, claims := app.verified(tokens.id); header["alg"] != "ES512" || claims["email"] != nil || tokens.refresh != "" {
		t.Fatalf("%v %v %+v", header, claims, tokens)
	}
}

func TestTheProviderDescribesItself(t *testing.T) {
	t.Parallel()
	s := startAuth(t)
	app := party{t: t, s: s}
	status, doc := app.get("/.well-known/openid-configuration", "")
	_, same := app.get("/.well-known/oauth-authorization-server", "")
	if status != 200 || doc["issuer"] != s.URL || doc["token_endpoint"] != s.URL+"/oauth2/token" || same["issuer"] != s.URL ||
		doc["authorization_response_iss_parameter_supported"] != true || doc["code_challenge_methods_supported"].([]any)[0] != "S256" {
		t.Fatalf("%d %v", status, doc)
	}
	_, set := app.get("/.well-known/jwks.json", "")
	keys := set["keys"].([]any)
	if len(keys) != 2 || keys[0].(map[string]any)["crv"] != "P-521" || keys[1].(map[string]any)["kty"] != "RSA" {
		t.Fatalf("%v", keys)
	}
	for _, path := range []string{"/.well-known/openid-configuration", "/.well-known/oauth-authorization-server", "/.well-known/jwks.json"} {
		if resp, _ := exchange(t, "GET", s.URL+path, ""); resp.Header.Get("Access-Control-Allow-Origin") != "*" {
			t.Errorf("%s is not for all pages: %v", path, resp.Header)
		}
	}
}

func TestPagesOfPublicApplicationsMayFetchTokens(t *testing.T) {
	t.Parallel()
	s := startAuth(t)
	s.party(t, "--public", "--redirect-uri", "http://127.0.0.1/cb")
	for origin, allowed := range map[string]bool{"https://app.example": true, "http://127.0.0.1:5173": true, "https://evil.example": false, "null": false} {
		for method, status := range map[string]int{"OPTIONS": 204, "POST": 401} {
			if method == "OPTIONS" && !allowed {
				status = 403
			}
			resp, _ := exchange(t, method, s.URL+"/oauth2/token", "grant_type=authorization_code", "Origin", origin,
				"Content-Type", "application/x-www-form-urlencoded", "Access-Control-Request-Method", "POST")
			if got := resp.Header.Get("Access-Control-Allow-Origin"); (got == origin) != allowed || resp.StatusCode != status || resp.Header.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%s from %s: %d, %q", method, origin, resp.StatusCode, got)
			}
		}
	}
}

func TestOperatorsManageApplications(t *testing.T) {
	t.Parallel()
	s := startAuth(t)
	ann := s.member(t, byCookie, "ann")
	app := s.party(t)
	tokens := app.exchange(ann.authorize(app))
	if out, code := s.Octavo("clients", "list"); code != 0 || !strings.Contains(out, app.id) || !strings.Contains(out, partyURI) || strings.Contains(out, app.secret) {
		t.Fatalf("%d %s", code, out)
	}
	if out, code := s.Octavo("clients", "remove", app.id); code != 0 || !strings.Contains(out, "Sessions ended: 1.") {
		t.Fatalf("%d %s", code, out)
	}
	if status, _ := app.get("/oauth2/userinfo", tokens.access); status != 401 {
		t.Fatalf("a token of a removed application is still valid: %d, want 401", status)
	}
	if status, body, _ := app.call("/oauth2/token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {tokens.refresh}}); status != 401 || body["error"] != "invalid_client" {
		t.Fatalf("%d %v", status, body)
	}
	ann.assertSignedIn("an application was removed")
	for _, bad := range [][]string{
		{"remove", "1"}, {"add", "x", "--redirect-uri", "http://app.example/"}, {"add", "x", "--redirect-uri", "https://a.example/#f"}, {"add", "x"},
		{"add", "", "--redirect-uri", "https://a.example/"}, {"add", "x", "--redirect-uri", "https://a.example/", "--id-token-alg", "none"},
	} {
		if out, code := s.Octavo(append([]string{"clients"}, bad...)...); code == 0 || strings.Count(out, "\n") != 1 {
			t.Errorf("clients %v: %d %s", bad, code, out)
		}
	}
}

func TestOperatorsChangeApplications(t *testing.T) {
	t.Parallel()
	s := startAuth(t)
	app := s.party(t)
	out, code := s.Octavo("clients", "update", app.id, "--name", "Another", "--no-pkce", "--logo", "https://app.example/logo.png", "--post-logout-redirect-uri", "https://app.example/bye")
	if code != 0 || !strings.Contains(out, "Another") || !strings.Contains(out, "not required") || !strings.Contains(out, partyURI) || strings.Contains(out, "client_secret") {
		t.Fatalf("%d %s", code, out)
	}
	shown, code := s.Octavo("clients", "show", app.id)
	if code != 0 || shown != out {
		t.Fatalf("%d %s, want %s", code, shown, out)
	}
	out, code = s.Octavo("clients", "update", app.id, "--pkce", "--logo", "", "--post-logout-redirect-uri", "", "--redirect-uri", "https://b.example/", "--redirect-uri", "https://c.example/")
	if code != 0 || strings.Contains(out, "app.example") || !strings.Contains(out, "https://b.example/ https://c.example/") || strings.Contains(out, "not required") {
		t.Fatalf("%d %s", code, out)
	}
	out, code = s.Octavo("clients", "renew", app.id, "--overlap", "7d")
	if code != 0 || !strings.HasPrefix(out, "client_secret: ") {
		t.Fatalf("%d %s", code, out)
	}
	renewed := app
	renewed.secret = strings.TrimSpace(strings.TrimPrefix(out, "client_secret: "))
	for name, one := range map[string]party{"old": app, "new": renewed} {
		if status, body, _ := one.call("/oauth2/revoke", url.Values{"token": {"x"}}); status != 200 {
			t.Errorf("the %s secret: %d %v, want 200", name, status, body)
		}
	}
	for _, bad := range [][]string{{"renew", app.id, "--overlap", "8d"}, {"renew", app.id, "--overlap", "soon"}, {"update", "1"}, {"update", app.id, "--redirect-uri", ""}, {"show", "1"}} {
		if out, code := s.Octavo(append([]string{"clients"}, bad...)...); code == 0 || strings.Count(out, "\n") != 1 {
			t.Errorf("clients %v: %d %s", bad, code, out)
		}
	}
}

func TestPagesOfASignInFollowTheHintsOfTheApplication(t *testing.T) {
	t.Parallel()
	s := startAuth(t)
	app, ann, stranger := s.party(t, "--logo", "https://cdn.example/logo.png", "--policy", "https://app.example/policy"), s.member(t, byCookie, "ann"), s.newClient(t, byCookie)
	shown := stranger.open("GET", app.request("login_hint", "lea@u.edu", "ui_locales", "de fr-CA"), nil)
	if shown.at.Path != "/login" || !strings.Contains(shown.body, `value="lea@u.edu"`) || !strings.Contains(shown.body, `lang="fr"`) {
		t.Errorf("%d at %s: %s", shown.status, shown.at, shown.body)
	}
	consent := ann.open("GET", app.request(), nil)
	if !strings.Contains(consent.body, `src="https://cdn.example/logo.png"`) || !strings.Contains(consent.body, `href="https://app.example/policy"`) ||
		!strings.Contains(consent.header.Get("Content-Security-Policy"), "img-src 'self' https://cdn.example;") {
		t.Errorf("%d %v: %s", consent.status, consent.header, consent.body)
	}
}

// newOIDCKey returns a key of ID tokens as a setting has it.
func newOIDCKey(t *testing.T) string {
	t.Helper()
	out, code := e2e.Octavo(t, nil, "keys", "generate", "--oidc")
	_, value, found := strings.Cut(strings.TrimSpace(out), "=")
	if code != 0 || !found {
		t.Fatalf("%d %s", code, out)
	}
	return strings.Trim(value, `"`)
}

func TestKeysOfIDTokensArePublishedBeforeAndAfterTheySign(t *testing.T) {
	t.Parallel()
	s := startAuth(t)
	s.Roll("NEXT_OIDC_KEY="+newOIDCKey(t), "PREVIOUS_OIDC_KEYS="+newOIDCKey(t))
	app := s.party(t)
	ann := s.member(t, byCookie, "ann")
	header, _ := app.verified(app.exchange(ann.authorize(app)).id)
	_, set := app.get("/.well-known/jwks.json", "")
	var ids []string
	for _, one := range set["keys"].([]any) {
		if k := one.(map[string]any); k["kty"] == "RSA" {
			ids = append(ids, k["kid"].(string))
		}
	}
	if len(ids) != 3 || ids[0] != header["kid"] {
		t.Errorf("published %v, signed with %v", ids, header["kid"])
	}
}

func TestSigningInAgainReplacesTheSessionOfTheBrowser(t *testing.T) {
	t.Parallel()
	s := startAuth(t)
	ann := s.member(t, byCookie, "ann")
	ann.logIn(ann.open("GET", "/login?again=yes", nil))
	if all := ann.must(`{ me { sessions { id current } } }`, nil).at("me", "sessions").([]any); len(all) != 1 {
		t.Fatalf("%v", all)
	}
}

func TestAnApplicationCallsAnAPIInTheNameOfItsUser(t *testing.T) {
	t.Parallel()
	s := startAuth(t)
	const prices = "https://prices.example.edu"
	id := printedBy(t, s.Server, "resource_id", "resources", "add", "Prices", "--identifier", prices, "--scope", "read,write")
	secret := printedBy(t, s.Server, "resource_secret", "resources", "renew", id)
	app, ann := s.party(t), s.member(t, byBearer, "ann")
	browser := s.newClient(t, byCookie)
	browser.email = ann.email
	if q := browser.answer(browser.open("GET", app.request("resource", "https://nowhere.example"), nil)); q.Get("error") != "invalid_target" || q.Get("state") == "" {
		t.Errorf("an unknown resource: %v", q)
	}
	ask := []string{"scope", "openid read offline_access", "resource", prices}
	asked := browser.logIn(browser.open("GET", app.request(ask...), nil))
	if !strings.Contains(asked.body, "Prices: read<") {
		t.Errorf("the consent page is %s", asked.body)
	}
	code := browser.answer(browser.allow(asked)).Get("code")
	tokens := app.exchange(code)
	inspect := func(token string) map[string]any {
		_, info := askToken(t, s.URL+"/oauth2/introspect", id, secret, url.Values{"token": {token}})
		return info
	}
	if info := inspect(tokens.access); info["active"] != true || info["aud"] != prices || info["sub"] != ann.id || info["client_id"] != app.id || info["scope"] != "read" || info["iss"] != s.URL || info["acr"] == nil {
		t.Errorf("the API learns %v", info)
	}
	claims := jwt.MapClaims{} // the API has verified them
	if _, _, err := jwt.NewParser().ParseUnverified(tokens.access, claims); err != nil || claims["aud"] != prices || claims["sub"] != ann.id || claims["scope"] != "read" || claims["role"] != nil {
		t.Errorf("the token says %v, %v", claims, err)
	}
	if status, _ := app.get("/oauth2/userinfo", tokens.access); status != 401 {
		t.Errorf("at Octavo itself: %d", status)
	}
	refresh := func(pairs ...string) (int, map[string]any) {
		form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {tokens.refresh}}
		for i := 0; i < len(pairs); i += 2 {
			form.Add(pairs[i], pairs[i+1])
		}
		status, body, _ := app.call("/oauth2/token", form)
		return status, body
	}
	for _, wrong := range [][]string{{"resource", "https://nowhere.example"}, {"resource", prices, "resource", s.URL}} {
		if status, body := refresh(wrong...); status != 400 || body["error"] != "invalid_target" {
			t.Errorf("%v: %d %v", wrong, status, body)
		}
	}
	status, body := refresh("resource", prices)
	if status != 200 || inspect(body["access_token"].(string))["active"] != true {
		t.Errorf("refreshed: %d %v", status, body)
	}
	if shown := browser.open("GET", "/account/applications", nil); !strings.Contains(shown.body, "Prices: read<") {
		t.Errorf("the list of applications is %s", shown.body)
	}
	app.call("/oauth2/revoke", url.Values{"token": {tokens.access}})
	if info := inspect(body["access_token"].(string)); len(info) != 1 || info["active"] != false {
		t.Errorf("after the revocation the API learns %v", info)
	}
}

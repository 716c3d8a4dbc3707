package e2e_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
)

// openIDFixture has two applications, and Ann, who has consented to the first one.
type openIDFixture struct {
	s          service
	app, other party
	public     party
	ann, bob   *person
}

// openIDAttacks are attempts to get at an account through the OpenID provider.
var openIDAttacks = map[string]func(*testing.T, openIDFixture){
	"the response goes to an address that only looks registered": func(t *testing.T, f openIDFixture) {
		for _, uri := range []string{
			partyURI + "/", partyURI + "?x=1", partyURI + "#x", partyURI + "/../evil", "https://APP.example/callback", "HTTPS://app.example/callback",
			"http://app.example/callback", "https://app.example:443/callback", "https://app.example./callback", "https://app.example/%63allback",
			"https://user@app.example/callback", "https://app.example@evil.example/callback", "https://app.example.evil.example/callback",
			"https://evil.example/callback", "//app.example/callback", `https://app.example\callback`, " " + partyURI, partyURI + "%00", partyURI + "\n",
			"https%3A%2F%2Fapp.example%2Fcallback", "javascript:alert(1)", "",
		} {
			for _, prompt := range []string{"none", "login", ""} {
				if shown := f.ann.open("GET", f.app.request("redirect_uri", uri, "prompt", prompt), nil); shown.left != nil || shown.status != 400 {
					t.Errorf("%q with prompt %q: %d to %s", uri, prompt, shown.status, shown.left)
				}
			}
		}
	},
	"an unknown client redirects nowhere": func(t *testing.T, f openIDFixture) {
		for _, id := range []string{"", "1", "0", f.app.id + "0", "'", f.app.id + "\x00"} {
			if shown := f.ann.open("GET", f.app.request("client_id", id), nil); shown.left != nil || shown.status < 400 || shown.status >= 500 {
				t.Errorf("%q: %d to %s", id, shown.status, shown.left)
			}
		}
	},
	"PKCE is left out or weakened": func(t *testing.T, f openIDFixture) {
		for _, change := range [][]string{
			{"code_challenge", ""}, {"code_challenge_method", "plain"}, {"code_challenge_method", ""}, {"code_challenge", partyVerifier, "code_challenge_method", "plain"}, {"code_challenge", "x"},
		} {
			if q := f.ann.answer(f.ann.open("GET", f.app.request(change...), nil)); q.Get("error") != "invalid_request" || q.Has("code") {
				t.Errorf("%v: %v", change, q)
			}
		}
		for _, verifier := range []string{"", "x", strings.Repeat("a", 43)} {
			if status, body, _ := f.app.call("/oauth2/token", exchangeForm(f.ann.authorize(f.app), "code_verifier", verifier)); status != 400 {
				t.Errorf("verifier %q: %d %v, want 400", verifier, status, body)
			}
		}
	},
	"the implicit and hybrid flows give tokens to the browser": func(t *testing.T, f openIDFixture) {
		for _, kind := range []string{"token", "id_token", "id_token token", "code token", "code id_token", "none"} {
			if q := f.ann.answer(f.ann.open("GET", f.app.request("response_type", kind), nil)); q.Get("error") != "unsupported_response_type" || q.Has("access_token") || q.Has("id_token") || q.Has("code") {
				t.Errorf("%s: %v", kind, q)
			}
		}
		if q := f.ann.answer(f.ann.open("GET", f.app.request("response_mode", "fragment"), nil)); q.Has("code") {
			t.Errorf("%v", q)
		}
	},
	"a public client poses as a confidential one": func(t *testing.T, f openIDFixture) {
		anonymous := f.app
		anonymous.secret = ""
		tokens := f.app.exchange(f.ann.authorize(f.app))
		for path, form := range map[string]url.Values{
			"/oauth2/token": exchangeForm(f.ann.authorize(f.app)), "/oauth2/revoke": {"token": {tokens.access}}, "/oauth2/introspect": {"token": {tokens.access}},
		} {
			if status, body, _ := anonymous.call(path, form); status != 401 || body["error"] != "invalid_client" {
				t.Errorf("%s: %d %v", path, status, body)
			}
		}
		if status, body, _ := f.app.call("/oauth2/token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {tokens.refresh}, "client_id": {f.public.id}}); status != 400 {
			t.Errorf("two clients at once: %d %v, want 400", status, body)
		}
	},
	"client authentication is confused": func(t *testing.T, f openIDFixture) {
		none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + base64.RawURLEncoding.EncodeToString([]byte(`{"iss":"`+f.app.id+`","sub":"`+f.app.id+`"}`)) + "."
		noHeader := func(r *http.Request) { r.Header.Del("Authorization") }
		for name, test := range map[string]struct {
			change []string
			edit   func(*http.Request)
		}{
			"an unsigned assertion":     {[]string{"client_id", f.app.id, "client_assertion", none, "client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"}, noHeader},
			"an assertion and a secret": {[]string{"client_assertion", none}, func(*http.Request) {}},
			"a wrong secret":            {nil, func(r *http.Request) { r.SetBasicAuth(f.app.id, f.other.secret) }},
			"an empty secret":           {nil, func(r *http.Request) { r.SetBasicAuth(f.app.id, "") }},
			"two ways":                  {[]string{"client_id", f.app.id, "client_secret", f.app.secret}, func(*http.Request) {}},
			"the secret in the address": {[]string{"client_id", f.app.id}, func(r *http.Request) { noHeader(r); r.URL.RawQuery = "client_secret=" + f.app.secret }},
			"a bearer token":            {[]string{"client_id", f.app.id}, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+f.app.secret) }},
			"a public client's secret":  {[]string{"client_id", f.public.id, "client_secret", f.app.secret}, noHeader},
			"nobody":                    {nil, noHeader},
			"a parameter twice":         {nil, func(r *http.Request) { appendToForm(r, "client_id="+f.app.id+"&client_id="+f.other.id) }},
		} {
			status, body, _ := f.app.call("/oauth2/token", exchangeForm(f.ann.authorize(f.app), test.change...), test.edit)
			if status != 401 && status != 400 || body["access_token"] != nil {
				t.Errorf("%s: %d %v", name, status, body)
			}
		}
	},
	"consent is given by a forged form": func(t *testing.T, f openIDFixture) {
		shown := f.ann.open("GET", f.other.request(), nil)
		id := hiddenRequest.FindStringSubmatch(shown.body)[1]
		form := url.Values{"request": {id}, "decision": {"allow"}}
		evil := *f.ann
		evil.header = f.ann.header.Clone()
		evil.header.Set("Origin", "https://evil.example")
		evil.header.Set("Sec-Fetch-Site", "cross-site")
		if got := evil.open("POST", "/oauth2/consent", form); got.left != nil || got.status != 403 {
			t.Errorf("from another site: %d to %s", got.status, got.left)
		}
		if got := f.bob.open("POST", "/oauth2/consent", form); got.left != nil || got.status < 400 {
			t.Errorf("of another user: %d to %s", got.status, got.left)
		}
		if got := f.ann.open("GET", "/oauth2/consent?"+form.Encode(), nil); got.left != nil {
			t.Errorf("by a link: to %s", got.left)
		}
		for _, made := range []string{"", "x", strings.Repeat("A", 43)} {
			if got := f.ann.open("POST", "/oauth2/consent", url.Values{"request": {made}, "decision": {"allow"}}); got.left != nil || got.status < 400 {
				t.Errorf("%q: %d to %s", made, got.status, got.left)
			}
		}
		if q := f.ann.answer(f.ann.open("POST", "/oauth2/consent", url.Values{"request": {id}, "decision": {"yes"}})); q.Get("error") != "access_denied" {
			t.Errorf("another decision: %v", q)
		}
	},
	"the consent page is framed, or leads elsewhere": func(t *testing.T, f openIDFixture) {
		policy := f.ann.open("GET", f.other.request("prompt", "consent"), nil).header.Get("Content-Security-Policy")
		if !strings.Contains(policy, "frame-ancestors 'none'") || !strings.Contains(policy, "form-action 'self' https://app.example;") || !strings.Contains(policy, "script-src 'self';") {
			t.Errorf("%s", policy)
		}
	},
	"the issuer, the state or the nonce is mixed up": func(t *testing.T, f openIDFixture) {
		q := f.ann.answer(f.ann.open("GET", f.app.request("state", "<script>&=#%0a", "nonce", "ünïcode \"n\""), nil))
		if q.Get("state") != "<script>&=#%0a" || len(q["state"]) != 1 || q.Get("iss") != f.s.URL {
			t.Fatalf("%v", q)
		}
		if _, claims := f.app.verified(f.app.exchange(q.Get("code")).id); claims["nonce"] != "ünïcode \"n\"" {
			t.Errorf("%v", claims)
		}
		if q := f.ann.answer(f.ann.open("GET", f.app.request("state", "x", "scope", "email"), nil)); q.Get("state") != "x" || q.Get("iss") != f.s.URL {
			t.Errorf("an error: %v", q)
		}
	},
	"an authorization request hides a second value": func(t *testing.T, f openIDFixture) {
		for _, more := range []string{"&redirect_uri=https://evil.example", "&client_id=" + f.other.id, "&code_challenge_method=plain", "&state=y", "&scope=openid"} {
			shown := f.ann.open("GET", f.app.request()+more, nil)
			if shown.left != nil && shown.left.Query().Has("code") {
				t.Errorf("%s: %s", more, shown.left)
			}
		}
	},
	"a refresh token is used by another client": func(t *testing.T, f openIDFixture) {
		tokens := f.app.exchange(f.ann.authorize(f.app))
		for _, thief := range []party{f.other, f.public} {
			if status, body, _ := thief.call("/oauth2/token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {tokens.refresh}}); status != 400 || body["error"] != "invalid_grant" {
				t.Errorf("%d %v", status, body)
			}
			if status, body, _ := thief.call("/oauth2/revoke", url.Values{"token": {tokens.refresh}}); status != 400 || body["error"] != "invalid_grant" {
				t.Errorf("revoke: %d %v", status, body)
			}
		}
		f.s.newClient(t, byBearer).refused(refresh, vars{"t": tokens.refresh}, "SESSION_INVALID")
		if status, body, _ := f.app.call("/oauth2/token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {tokens.refresh}, "scope": {"openid admin"}}); status != 400 || body["error"] != "invalid_scope" {
			t.Errorf("more scopes: %d %v", status, body)
		}
		if status, _, _ := f.app.call("/oauth2/token", url.Values{"grant_type": {"refresh_token"}, "refresh_token": {tokens.refresh}}); status != 200 {
			t.Errorf("its owner: %d, want 200", status)
		}
	},
	"the token of an application is used elsewhere": func(t *testing.T, f openIDFixture) {
		tokens := f.app.exchange(f.ann.authorize(f.app, "scope", "openid email"))
		app := f.s.newClient(t, byBearer)
		app.access = tokens.access
		me := app.must(`{ me { id email verified __typename } }`, nil)
		if me.text("me", "id") != f.ann.id || me.text("me", "email") != f.ann.email {
			t.Errorf("%v", me)
		}
		for _, query := range []string{
			`{ me { role } }`, `{ me { createdAt } }`, `{ users { edges { node { id } } } }`, `{ user(id: "1") { id } }`, `{ invitations { id } }`, `{ auditLog { edges { cursor } } }`,
			`mutation { signOut }`, `mutation { revokeSession(id: "1") }`, `mutation { revokeOtherSessions }`, `mutation { changePassword(currentPassword: "x", newPassword: "another long phrase") }`,
			`mutation { inviteUser(email: "x@campus.edu") }`, `mutation { revokeInvitation(id: "1") }`, `mutation { setRole(userId: "1", role: ADMIN) { id } }`,
			`mutation { adminSetPassword(userId: "1", newPassword: "another long phrase") }`, `mutation { adminEndSessions(userId: "1") }`, `mutation { adminDeleteUsers(ids: ["1"]) }`,
		} {
			app.refused(query, nil, "FORBIDDEN")
		}
		if hidden := app.must(`{ me { id sessions { id } } }`, nil); hidden.at("me", "sessions") != nil {
			t.Errorf("sessions: %v", hidden)
		}
		client := e2e.Client{URL: f.s.URL, Token: tokens.access}
		for _, call := range [][2]string{
			{"GET", "/api/user/getNotifications"}, {"GET", "/api/user/getPurchasedBooks"}, {"POST", "/api/books/checkoutCart"}, {"GET", "/account"}, {"GET", "/account/applications"}, {"GET", "/dashboard"}, {"GET", "/sell"}, {"GET", "/webhooks"},
		} {
			if a, err := client.Do(call[0], call[1], nil); err != nil || a.Status != 403 {
				t.Errorf("%v: %d %s %v; want 403", call, a.Status, a.Body, err)
			}
		}
		for _, name := range []string{"octavo_access", "octavo_refresh"} {
			req, _ := http.NewRequest("GET", f.s.URL+"/account", nil)
			req.AddCookie(&http.Cookie{Name: name, Value: tokens.access})
			resp, err := http.DefaultTransport.RoundTrip(req)
			if err != nil || resp.StatusCode == 200 {
				t.Errorf("as cookie %s: %v %v", name, resp, err)
			}
			_ = resp.Body.Close()
		}
		if q := f.app.withToken(t, tokens.access); q.Get("error") != "login_required" {
			t.Errorf("as the user of a browser: %v", q)
		}
	},
	"a token without the scope reads the address": func(t *testing.T, f openIDFixture) {
		tokens := f.app.exchange(f.ann.authorize(f.app, "scope", "openid"))
		_, body := f.app.get("/oauth2/userinfo", tokens.access)
		if len(body) != 1 || body["sub"] != f.ann.id {
			t.Errorf("%v", body)
		}
		app := f.s.newClient(t, byBearer)
		app.access = tokens.access
		app.refused(`{ me { id email } }`, nil, "FORBIDDEN")
		if status, _ := f.app.get("/oauth2/userinfo", f.ann.as(byBearer).access); status != 403 {
			t.Errorf("a token of the user's own session: %d, want 403", status)
		}
		if status, _ := f.app.get("/oauth2/userinfo", tokens.id); status != 401 {
			t.Errorf("an ID token: %d, want 401", status)
		}
		if status, _ := f.app.get("/oauth2/userinfo?access_token="+tokens.access, ""); status != 401 {
			t.Errorf("in the address: %d, want 401", status)
		}
	},
	"an ID token hint is forged": func(t *testing.T, f openIDFixture) {
		tokens := f.app.exchange(f.ann.authorize(f.app))
		parts := strings.Split(tokens.id, ".")
		none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none","kid":"","typ":"JWT"}`)) + "." + parts[1] + "."
		for name, hint := range map[string]string{"unsigned": none, "an access token": tokens.access, "without its signature": parts[0] + "." + parts[1] + ".", "with another payload": parts[0] + "." + parts[0] + "." + parts[2]} {
			q := url.Values{"id_token_hint": {hint}, "post_logout_redirect_uri": {"https://app.example/bye"}}
			if shown := f.ann.open("GET", "/oauth2/end_session?"+q.Encode(), nil); shown.left != nil || !strings.Contains(shown.body, "Do you want to sign out") || !strings.Contains(shown.body, "wrong proof of who you are") {
				t.Errorf("%s: %d to %s", name, shown.status, shown.left)
			}
			if q := f.ann.answer(f.ann.open("GET", f.app.request("prompt", "none", "id_token_hint", hint), nil)); q.Get("error") != "login_required" {
				t.Errorf("%s: %v", name, q)
			}
		}
	},
	"a logout leads to an address that is not registered": func(t *testing.T, f openIDFixture) {
		stranger := f.s.newClient(t, byCookie)
		tokens := f.app.exchange(f.ann.authorize(f.app))
		for _, uri := range []string{"https://evil.example", "https://app.example/bye/", "https://app.example/bye@evil.example", "//evil.example", "javascript:alert(1)", partyURI} {
			for _, who := range []url.Values{{"client_id": {f.app.id}}, {"id_token_hint": {tokens.id}}, {}} {
				q := url.Values{"post_logout_redirect_uri": {uri}}
				for name, values := range who {
					q[name] = values
				}
				if shown := stranger.open("GET", "/oauth2/end_session?"+q.Encode(), nil); shown.left != nil {
					t.Errorf("%s: to %s", uri, shown.left)
				}
			}
		}
	},
	"whoever finds an ID token signs its person out": func(t *testing.T, f openIDFixture) {
		tokens := f.app.exchange(f.ann.authorize(f.app))
		shown := f.s.newClient(t, byCookie).open("GET", "/oauth2/end_session?id_token_hint="+tokens.id, nil)
		if shown.left != nil || !strings.Contains(shown.body, "Do you want to sign out of An application?") {
			t.Errorf("%d to %s: %s", shown.status, shown.left, shown.body)
		}
		if status, _ := f.app.get("/oauth2/userinfo", tokens.access); status != 200 {
			t.Errorf("the session has ended: %d, want 200", status)
		}
	},
	"another site signs a person out": func(t *testing.T, f openIDFixture) {
		victim := f.s.member(t, byCookie, "victim")
		if shown := victim.open("GET", "/oauth2/end_session?client_id="+f.app.id, nil); !strings.Contains(shown.body, "Do you want to sign out") {
			t.Errorf("by a link: %d", shown.status)
		}
		cross := *victim
		cross.header = victim.header.Clone()
		cross.header.Set("Origin", "https://evil.example")
		cross.header.Set("Sec-Fetch-Site", "cross-site")
		cross.open("POST", "/oauth2/end_session", url.Values{"confirmed": {"yes"}})
		victim.assertSignedIn("another site wanted to sign out")
	},
}

// withToken requests a code with a token in a header in place of a browser's cookie.
func (p party) withToken(t *testing.T, token string) url.Values {
	t.Helper()
	req, err := http.NewRequest("GET", p.request("prompt", "none"), nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	to, err := url.Parse(resp.Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	return to.Query()
}

// appendToForm appends parameters to the form of a request.
func appendToForm(r *http.Request, more string) {
	form, _ := io.ReadAll(r.Body)
	form = append(append(form, '&'), more...)
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(form)), int64(len(form))
}

func TestAttacksOnTheOpenIDProvider(t *testing.T) {
	t.Parallel()
	s := service{e2e.StartWith(t, []string{behindProxy})}
	f := openIDFixture{
		s: s, app: s.party(t, "--post-logout-redirect-uri", "https://app.example/bye"), other: s.party(t), public: s.party(t, "--public"),
		ann: s.member(t, byCookie, "ann"), bob: s.member(t, byCookie, "bob"),
	}
	f.ann.authorize(f.app)
	for name, attack := range openIDAttacks {
		t.Run(name, func(t *testing.T) {
			g, ann, bob := f, *f.ann, *f.bob
			ann.t, bob.t, g.app.t, g.other.t, g.public.t = t, t, t, t, t
			g.ann, g.bob = &ann, &bob
			attack(t, g)
		})
	}
}

func TestAFirstPartyApplicationCannotAddAWayToSignIn(t *testing.T) {
	t.Parallel()
	s := startAuth(t)
	app := s.party(t, "--first-party", "--public")
	owner := s.promoted(t, byCookie, "owner")
	shown := owner.open("GET", app.request("prompt", "none"), nil)
	tokens := app.exchange(owner.answer(shown).Get("code"))
	client := s.newClient(t, byBearer)
	client.access = tokens.access
	client.must(`{ me { role sessions { id } } users { edges { node { id } } } }`, nil)
	body, err := json.Marshal(map[string]any{"query": `mutation { beginPasskeyRegistration(name: "x") { id } }`})
	if err != nil {
		t.Fatal(err)
	}
	if refused := client.send("/graphql", body, nil); refused.Code() != "UNAUTHENTICATED" {
		t.Fatalf("a way to sign in was added: %v", refused)
	}
	client.refused(`mutation($p: String!) { changePassword(currentPassword: $p, newPassword: "another long phrase") }`, vars{"p": password}, "FORBIDDEN")
	client.refused(`mutation($p: String!) { reauthenticate(password: $p) }`, vars{"p": password}, "FORBIDDEN")
	if out, code := s.Octavo("clients", "add", "An app", "--public", "--first-party", "--redirect-uri", "http://127.0.0.1/cb"); code == 0 || !strings.Contains(out, "first party") {
		t.Errorf("an app on the device is first party: %d %s", code, out)
	}
}

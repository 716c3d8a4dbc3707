package e2e_test

import (
	"bytes"
	"cmp"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
)

// party is an application that signs people in here: an OpenID client.
type party struct {
	t                       testing.TB
	s                       service
	id, secret, redirectURI string
	plain                   bool   // sends no PKCE
	replica                 string // whose endpoints it calls; "": the issuer's
}

// at is the application that calls the endpoints of a replica.
func (p party) at(url string) party {
	p.replica = url
	return p
}

const partyURI = "https://app.example/callback"

// party registers an application by the command.
func (s service) party(t testing.TB, flags ...string) party {
	t.Helper()
	return s.partyAt(t, partyURI, flags...)
}

// partyAt is party for another redirect URI.
func (s service) partyAt(t testing.TB, redirectURI string, flags ...string) party {
	t.Helper()
	out, code := s.Octavo(append([]string{"clients", "add", "An application", "--redirect-uri", redirectURI}, flags...)...)
	if code != 0 {
		t.Fatalf("clients add: %d, want 0: %s", code, out)
	}
	p := party{t: t, s: s, redirectURI: redirectURI, plain: slices.Contains(flags, "--no-pkce")}
	for line := range strings.Lines(out) {
		if id, ok := strings.CutPrefix(line, "client_id: "); ok {
			p.id = strings.TrimSpace(id)
		}
		if secret, ok := strings.CutPrefix(line, "client_secret: "); ok {
			p.secret = strings.TrimSpace(secret)
		}
	}
	return p
}

const partyVerifier = "a-verifier-of-forty-three-characters-or-more"

// request returns the address of an authorization request; an empty value leaves a parameter out.
func (p party) request(change ...string) string {
	sum := sha256.Sum256([]byte(partyVerifier))
	q := url.Values{
		"client_id": {p.id}, "redirect_uri": {p.redirectURI}, "response_type": {"code"}, "scope": {"openid email profile offline_access"},
		"state": {"st&te +%"}, "nonce": {"n&nce +%"}, "code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])}, "code_challenge_method": {"S256"},
	}
	if p.plain {
		q.Del("code_challenge")
		q.Del("code_challenge_method")
	}
	for i := 0; i < len(change); i += 2 {
		if q.Set(change[i], change[i+1]); change[i+1] == "" {
			q.Del(change[i])
		}
	}
	return p.s.URL + "/oauth2/authorize?" + q.Encode()
}

// shownPage is what a browser shows, or the address at which it left Octavo.
type shownPage struct {
	status int
	header http.Header
	at     *url.URL
	body   string
	left   *url.URL // nil if it is still here
}

// open follows redirects until they lead elsewhere.
func (p *person) open(method, address string, form url.Values) shownPage {
	p.t.Helper()
	var body io.Reader
	if method == http.MethodPost {
		body = strings.NewReader(form.Encode())
	}
	if strings.HasPrefix(address, "/") {
		address = p.s.URL + address
	}
	req, err := http.NewRequest(method, address, body)
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header = p.header.Clone()
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	client := *p.http
	client.CheckRedirect = func(next *http.Request, _ []*http.Request) error {
		if !strings.HasPrefix(next.URL.String(), p.s.URL+"/") {
			return http.ErrUseLastResponse
		}
		return nil
	}
	resp, err := client.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	content, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	shown := shownPage{status: resp.StatusCode, header: resp.Header, at: resp.Request.URL, body: string(content)}
	to := resp.Header.Get("Location")
	if refresh, ok := strings.CutPrefix(resp.Header.Get("Refresh"), "0; url="); ok {
		to = refresh
	}
	if to != "" {
		if shown.left, err = url.Parse(to); err != nil {
			p.t.Fatal(err)
		}
	}
	return shown
}

var hiddenRequest = regexp.MustCompile(`name="request" value="([^"]+)"`)

// allow presses the button of the consent page that is shown.
func (p *person) allow(shown shownPage) shownPage {
	p.t.Helper()
	found := hiddenRequest.FindStringSubmatch(shown.body)
	if found == nil {
		p.t.Fatalf("want the consent page, got %d at %s: %s", shown.status, shown.at, shown.body)
	}
	return p.open("POST", "/oauth2/consent", url.Values{"request": {found[1]}, "decision": {"allow"}})
}

// logIn fills in the sign-in page that is shown.
func (p *person) logIn(shown shownPage) shownPage {
	p.t.Helper()
	if shown.at.Path != "/login" || !strings.Contains(shown.body, `name="password"`) {
		p.t.Fatalf("want the sign-in page, got %d at %s: %s", shown.status, shown.at, shown.body)
	}
	return p.open("POST", "/login", url.Values{"email": {p.email}, "password": {password}, "next": {shown.at.Query().Get("next")}})
}

// answer returns the parameters of the response that the application gets.
func (p *person) answer(shown shownPage) url.Values {
	p.t.Helper()
	if shown.left == nil || !strings.HasPrefix(shown.left.String(), partyURI+"?") {
		p.t.Fatalf("the application got no response; the browser shows %d at %s: %s", shown.status, shown.at, shown.body)
	}
	q := shown.left.Query()
	if q.Get("iss") != p.s.URL {
		p.t.Errorf("the issuer in the answer is %q, want %q", q.Get("iss"), p.s.URL)
	}
	return q
}

// authorize signs the person in to an application and returns the code.
func (p *person) authorize(to party, change ...string) string {
	p.t.Helper()
	shown := p.open("GET", to.request(change...), nil)
	if shown.left == nil && shown.at.Path == "/login" {
		shown = p.logIn(shown)
	}
	if shown.left == nil {
		shown = p.allow(shown)
	}
	q := p.answer(shown)
	if q.Get("code") == "" || q.Get("state") != "st&te +%" {
		p.t.Fatalf("the answer is %v", q)
	}
	return q.Get("code")
}

// call posts a form to an endpoint and decodes the answer.
func (p party) call(path string, form url.Values, edit ...func(*http.Request)) (int, map[string]any, http.Header) {
	p.t.Helper()
	if p.plain {
		form.Del("code_verifier")
	}
	req, err := http.NewRequest("POST", cmp.Or(p.replica, p.s.URL)+path, strings.NewReader(form.Encode()))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if p.secret != "" {
		req.SetBasicAuth(url.QueryEscape(p.id), url.QueryEscape(p.secret))
	} else if !form.Has("client_id") {
		form.Set("client_id", p.id)
		req.Body = io.NopCloser(strings.NewReader(form.Encode()))
		req.ContentLength = int64(len(form.Encode()))
	}
	for _, change := range edit {
		change(req)
	}
	return p.do(req)
}

func (p party) do(req *http.Request) (int, map[string]any, http.Header) {
	p.t.Helper()
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		p.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	content, err := io.ReadAll(resp.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	decoded := map[string]any{}
	if len(bytes.TrimSpace(content)) > 0 {
		if err := json.Unmarshal(content, &decoded); err != nil {
			p.t.Fatalf("%s %s: %d %s", req.Method, req.URL.Path, resp.StatusCode, content)
		}
	}
	return resp.StatusCode, decoded, resp.Header
}

func exchangeForm(code string, change ...string) url.Values {
	form := url.Values{"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {partyURI}, "code_verifier": {partyVerifier}}
	for i := 0; i < len(change); i += 2 {
		if form.Set(change[i], change[i+1]); change[i+1] == "" {
			form.Del(change[i])
		}
	}
	return form
}

// issued are the tokens that an application got.
type issued struct{ access, refresh, id, scope string }

func (p party) exchange(code string) issued {
	p.t.Helper()
	status, body, header := p.call("/oauth2/token", exchangeForm(code))
	if status != http.StatusOK || body["token_type"] != "Bearer" || header.Get("Cache-Control") != "no-store" {
		p.t.Fatalf("the token endpoint answers %d %v %v", status, body, header)
	}
	refresh, _ := body["refresh_token"].(string)
	return issued{access: body["access_token"].(string), refresh: refresh, id: body["id_token"].(string), scope: body["scope"].(string)}
}

// get sends a GET with a bearer token.
func (p party) get(path, token string) (int, map[string]any) {
	p.t.Helper()
	req, err := http.NewRequest("GET", cmp.Or(p.replica, p.s.URL)+path, nil)
	if err != nil {
		p.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	status, body, _ := p.do(req)
	return status, body
}

// verified returns header and claims of an ID token after its signature was verified with the
// published keys.
func (p party) verified(idToken string) (header, claims map[string]any) {
	p.t.Helper()
	_, set := p.get("/.well-known/jwks.json", "")
	keys := map[string]any{}
	for _, one := range set["keys"].([]any) {
		k := one.(map[string]any)
		member := func(name string) []byte {
			b, err := base64.RawURLEncoding.DecodeString(k[name].(string))
			if err != nil {
				p.t.Fatal(err)
			}
			return b
		}
		if k["kty"] == "RSA" {
			keys[k["kid"].(string)] = &rsa.PublicKey{N: new(big.Int).SetBytes(member("n")), E: int(new(big.Int).SetBytes(member("e")).Int64())}
			continue
		}
		key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P521(), slices.Concat([]byte{4}, member("x"), member("y")))
		if err != nil {
			p.t.Fatal(err)
		}
		keys[k["kid"].(string)] = key
	}
	parsed := jwt.MapClaims{}
	token, err := jwt.ParseWithClaims(idToken, parsed, func(t *jwt.Token) (any, error) { return keys[t.Header["kid"].(string)], nil },
		jwt.WithValidMethods([]string{"RS256", "ES512"}), jwt.WithIssuer(p.s.URL), jwt.WithAudience(p.id), jwt.WithIssuedAt(), jwt.WithExpirationRequired())
	if err != nil {
		p.t.Fatalf("the ID token is not valid: %v", err)
	}
	return token.Header, parsed
}

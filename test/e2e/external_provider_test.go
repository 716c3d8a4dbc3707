package e2e_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/poll"
)

// university is a small OpenID provider. It signs in whoever a test says, after a press of
// its button.
type university struct {
	*httptest.Server
	t     *testing.T
	key   *rsa.PrivateKey
	mu    sync.Mutex
	who   map[string]any // claims of the person at its keyboard
	codes map[string]url.Values
}

var universityKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

func newUniversity(t *testing.T) *university {
	t.Helper()
	key, err := universityKey()
	if err != nil {
		t.Fatal(err)
	}
	u := &university{t: t, key: key, codes: map[string]url.Values{}}
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, map[string]any{
			"issuer": u.URL, "authorization_endpoint": u.URL + "/authorize", "token_endpoint": u.URL + "/token", "jwks_uri": u.URL + "/keys",
		})
	})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = fmt.Fprintf(w, `<!doctype html><title>University</title><form method="post" action="%s"><button>Sign in as %s</button></form>`,
				html.EscapeString(r.URL.RequestURI()), html.EscapeString(fmt.Sprint(u.who["email"])))
			return
		}
		http.Redirect(w, r, u.answer(r.URL.Query()), http.StatusFound)
	})
	mux.HandleFunc("/token", u.token)
	mux.HandleFunc("/favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: key.Public(), KeyID: "k", Algorithm: "RS256"}}})
	})
	u.Server = httptest.NewServer(mux)
	t.Cleanup(u.Close)
	return u
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

// answer makes a code for a request and returns where the browser goes with it.
func (u *university) answer(request url.Values) string {
	u.mu.Lock()
	defer u.mu.Unlock()
	code := rand.Text()
	u.codes[code] = request
	q := url.Values{"code": {code}, "state": {request.Get("state")}}
	return request.Get("redirect_uri") + "?" + q.Encode()
}

// token redeems a code once, for the verifier of its challenge.
func (u *university) token(w http.ResponseWriter, r *http.Request) {
	u.mu.Lock()
	defer u.mu.Unlock()
	request, ok := u.codes[r.FormValue("code")]
	delete(u.codes, r.FormValue("code"))
	if !ok || s256(r.FormValue("code_verifier")) != request.Get("code_challenge") {
		w.WriteHeader(http.StatusBadRequest)
		writeJSON(w, map[string]string{"error": "invalid_grant"})
		return
	}
	claims := map[string]any{"iss": u.URL, "aud": "octavo", "nonce": request.Get("nonce"), "iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(), "auth_time": time.Now().Unix()}
	maps.Copy(claims, u.who)
	b, err := json.Marshal(claims)
	if err != nil {
		u.t.Error(err)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.RS256, Key: u.key}, (&jose.SignerOptions{}).WithHeader("kid", "k"))
	if err != nil {
		u.t.Error(err)
		return
	}
	signed, err := signer.Sign(b)
	if err != nil {
		u.t.Error(err)
		return
	}
	id, err := signed.CompactSerialize()
	if err != nil {
		u.t.Error(err)
	}
	writeJSON(w, map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": id})
}

// signInWith writes a file of providers and returns the setting.
func signInWith(t *testing.T, providers string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "providers.yaml")
	write(t, path, providers)
	return "OIDC_PROVIDERS=" + path
}

func claimsOf(subject, email string) map[string]any {
	return map[string]any{"sub": subject, "email": email, "email_verified": true, "name": "Ann Lee"}
}

// surfer is a browser without the following of redirects.
type surfer struct {
	t    *testing.T
	url  string
	http *http.Client
}

func surf(t *testing.T, s *e2e.Server) *surfer {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &surfer{t, s.URL, &http.Client{
		Jar: jar, Timeout: time.Minute, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// page is what a browser shows.
type page struct {
	status   int
	location string
	header   http.Header
	body     string
}

func (b *surfer) do(method, address string, form url.Values, header ...string) page {
	b.t.Helper()
	if strings.HasPrefix(address, "/") {
		address = b.url + address
	}
	req, err := http.NewRequest(method, address, strings.NewReader(form.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := b.http.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	read := strings.ReplaceAll(string(body), "<wbr>", "") // nobody sees where an address may be broken
	return page{resp.StatusCode, resp.Header.Get("Location"), resp.Header, read}
}

func (b *surfer) get(address string, header ...string) page {
	b.t.Helper()
	return b.do(http.MethodGet, address, nil, header...)
}

// depart starts a sign-in and returns the request that the provider gets.
func (b *surfer) depart(path string) url.Values {
	b.t.Helper()
	p := b.get(path)
	u, err := url.Parse(p.location)
	if p.status != http.StatusFound || err != nil || u.Query().Get("state") == "" {
		b.t.Fatalf("%s: %d %s", path, p.status, p.body)
	}
	return u.Query()
}

// enter signs in at the university and returns where that led to.
func (b *surfer) enter(u *university, path string) page {
	b.t.Helper()
	return b.get(u.answer(b.depart(path)))
}

// cookie returns the value of a cookie for the server, "" if there is none.
func (b *surfer) cookie(name string) string {
	u, err := url.Parse(b.url)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, c := range b.http.Jar.Cookies(u) {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

// client uses the session of the browser.
func (b *surfer) client() e2e.Client { return e2e.Client{URL: b.url, Token: b.cookie("octavo_access")} }

// awaitLog waits until the program has printed a text.
func awaitLog(t *testing.T, s *e2e.Server, text string) {
	t.Helper()
	if !poll.Until(func() bool { return strings.Contains(s.Log(), text) }) {
		t.Errorf("the program does not print %q:\n%s", text, s.Log())
	}
}

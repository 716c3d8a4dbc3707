package oidcclient

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/must"
)

// hostile is a provider that does what a test tells it to.
type hostile struct {
	*httptest.Server
	t         *testing.T
	key       *rsa.PrivateKey
	mu        sync.Mutex
	discovery map[string]any // replaces parts of the discovery
	claims    map[string]any // replaces parts of the ID token; nil removes one
	userInfo  map[string]any
	sign      func(claims []byte) string // makes the ID token
	token     http.HandlerFunc           // answers at the token endpoint in place of the provider
	keys      http.HandlerFunc
	asked     atomic.Int64 // for discovery
	down      atomic.Bool
	form      url.Values // of the last request for a token
	basic     string
}

var testKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		panic(err)
	}
	return key
})

func newHostile(t *testing.T) *hostile {
	t.Helper()
	h := &hostile{t: t, key: testKey()}
	h.sign = func(claims []byte) string { return h.signed(jose.RS256, h.key, claims) }
	mux := http.NewServeMux()
	mux.HandleFunc("/.well-known/openid-configuration", h.serveDiscovery)
	mux.HandleFunc("/token", h.serveToken)
	mux.HandleFunc("/keys", h.serveKeys)
	mux.HandleFunc("/userinfo", func(w http.ResponseWriter, _ *http.Request) { answer(w, h.userInfo) })
	h.Server = httptest.NewServer(mux)
	t.Cleanup(h.Close)
	return h
}

func answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}

func (h *hostile) serveDiscovery(w http.ResponseWriter, _ *http.Request) {
	h.asked.Add(1)
	if h.down.Load() {
		http.Error(w, "down", http.StatusBadGateway)
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	doc := map[string]any{
		"issuer": h.URL, "authorization_endpoint": h.URL + "/authorize", "token_endpoint": h.URL + "/token", "jwks_uri": h.URL + "/keys",
		"id_token_signing_alg_values_supported": []string{"RS256"},
	}
	maps.Copy(doc, h.discovery)
	answer(w, doc)
}

func (h *hostile) serveKeys(w http.ResponseWriter, r *http.Request) {
	if h.keys != nil {
		h.keys(w, r)
		return
	}
	answer(w, jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: h.key.Public(), KeyID: "1", Algorithm: "RS256", Use: "sig"}}})
}

func (h *hostile) serveToken(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.form = r.PostForm
	h.basic, _, _ = r.BasicAuth()
	if h.token != nil {
		h.token(w, r)
		return
	}
	claims := map[string]any{
		"iss": h.URL, "aud": "octavo", "sub": "248289761001", "nonce": sent.Nonce, "email": "ann@example.edu", "email_verified": true,
		"iat": clock.Now().Unix(), "exp": clock.Now().Add(time.Hour).Unix(), "name": "Ann Lee",
	}
	for name, value := range h.claims {
		if claims[name] = value; value == nil {
			delete(claims, name)
		}
	}
	b, err := json.Marshal(claims)
	if err != nil {
		h.t.Error(err)
	}
	answer(w, map[string]any{"access_token": "access", "token_type": "Bearer", "id_token": h.sign(b)})
}

func (h *hostile) signed(alg jose.SignatureAlgorithm, key any, claims []byte) string {
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, (&jose.SignerOptions{}).WithHeader("kid", "1"))
	if err != nil {
		h.t.Error(err)
		return ""
	}
	object, err := signer.Sign(claims)
	if err != nil {
		h.t.Error(err)
		return ""
	}
	token, err := object.CompactSerialize()
	if err != nil {
		h.t.Error(err)
	}
	return token
}

var (
	clock = fake.NewClock()
	sent  = identity.Request{State: "the state", Nonce: "the nonce", Verifier: "the verifier of more than forty-three characters"}
)

func (h *hostile) client(change func(*Provider)) *Client {
	h.t.Helper()
	p := Provider{Name: "evil", Issuer: h.URL, ClientID: "octavo", ClientSecret: "s3cret", Scopes: []string{"openid", "email"}}
	if change != nil {
		change(&p)
	}
	c := must.Get(New([]Provider{p}, Options{BaseURL: "https://books.example.edu", Agent: "Octavo/test", Development: true, Now: clock.Now}))(h.t)
	h.t.Cleanup(c.Close)
	return c
}

func (h *hostile) redeem(a identity.Answer) (identity.Claims, error) {
	return h.client(nil).RedeemCode(h.t.Context(), "evil", sent, a)
}

// hmacKey is the public key as bytes, with which somebody who knows it can sign by HS256.
func (h *hostile) hmacKey() []byte {
	der := must.Get(x509.MarshalPKIXPublicKey(h.key.Public()))(h.t)
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

const long = 2 << 20

func endless(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write([]byte(`{"a":"` + strings.Repeat("x", long) + `"}`))
}

package clientassertion_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/octavo-books/octavo/adapters/clientassertion"
	"github.com/octavo-books/octavo/domain/machine"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/must"
)

var (
	rsaKey   = made(rsa.GenerateKey(rand.Reader, 2048))
	ecKey    = made(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
	otherKey = made(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))
)

// made returns a key.
func made[K any](key K, err error) K {
	if err != nil {
		panic(err)
	}
	return key
}

// sign returns an assertion of the client m1.
func sign(t *testing.T, alg jose.SignatureAlgorithm, key any, kid string) string {
	t.Helper()
	options := &jose.SignerOptions{}
	if kid != "" {
		options.WithHeader("kid", kid)
	}
	s := must.Get(jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, options))(t)
	return must.Get(jwt.Signed(s).Claims(jwt.Claims{Issuer: "m1", Subject: "m1", Audience: jwt.Audience{"https://octavo.example"}, ID: "1", Expiry: jwt.NewNumericDate(time.Unix(2e9, 0))}).Serialize())(t)
}

// jwks returns the public keys, called a, b, …
func jwks(t *testing.T, keys ...crypto.PublicKey) string {
	t.Helper()
	var set jose.JSONWebKeySet
	for i, k := range keys {
		set.Keys = append(set.Keys, jose.JSONWebKey{Key: k, KeyID: string(rune('a' + i))})
	}
	return string(must.Get(json.Marshal(set))(t))
}

func TestAnAssertionIsVerifiedWithTheKeysOfItsClientOnly(t *testing.T) {
	v := clientassertion.New(clientassertion.Options{Now: time.Now})
	c := machine.Client{ID: "m1", Keys: jwks(t, &ecKey.PublicKey, &rsaKey.PublicKey)}
	for name, good := range map[string]string{
		"by name": sign(t, jose.ES256, ecKey, "a"), "without a name": sign(t, jose.ES256, ecKey, ""), "RSA": sign(t, jose.RS256, rsaKey, "b"), "PSS": sign(t, jose.PS384, rsaKey, "b"),
	} {
		if said, err := v.VerifyAssertion(t.Context(), c, good); err != nil || said.Subject != "m1" || said.ID != "1" || v.Subject(good) != "m1" {
			t.Errorf("%s: %+v, %v", name, said, err)
		}
	}
	pemText := pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: must.Get(x509.MarshalPKIXPublicKey(&rsaKey.PublicKey))(t)})
	good := sign(t, jose.ES256, ecKey, "a")
	parts := strings.Split(good, ".")
	none := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"none"}`)) + "." + parts[1] + "."
	embedded := must.Get(jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: otherKey}, &jose.SignerOptions{EmbedJWK: true}))(t)
	own := must.Get(jwt.Signed(embedded).Claims(jwt.Claims{Issuer: "m1", Subject: "m1", ID: "1", Expiry: jwt.NewNumericDate(time.Unix(2e9, 0))}).Serialize())(t)
	for name, bad := range map[string]string{
		"another key": sign(t, jose.ES256, otherKey, "a"), "unknown name": sign(t, jose.ES256, ecKey, "z"), "name of another": sign(t, jose.ES256, ecKey, "b"),
		"alg none": none, "public key as shared secret": sign(t, jose.HS256, pemText, "b"), "its own key in the header": own,
		"changed": parts[0] + "." + parts[1] + "." + strings.Repeat("A", len(parts[2])), "nothing": "", "no JWT": "a.b", "long": strings.Repeat("a", 10000),
	} {
		if said, err := v.VerifyAssertion(t.Context(), c, bad); !errors.Is(err, machine.ErrUnknown) {
			t.Errorf("%s: %+v, %v", name, said, err)
		}
	}
}

func TestPrivateSharedAndWeakKeysAreRefused(t *testing.T) {
	v := clientassertion.New(clientassertion.Options{Now: time.Now})
	must.Do(t, v.CheckKeys(jwks(t, &ecKey.PublicKey)))

	private := string(must.Get(json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: ecKey}}}))(t))
	for name, bad := range map[string]string{
		"nothing": "", "empty": `{"keys":[]}`, "private": private, "shared": `{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}`, "long": jwks(t, &ecKey.PublicKey) + strings.Repeat(" ", machine.MaxKeys),
		"for encryption": strings.Replace(jwks(t, &ecKey.PublicKey), `"kty"`, `"use":"enc","kty"`, 1),
	} {
		if err := v.CheckKeys(bad); !errors.Is(err, machine.ErrKeysInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestPublishedKeysAreFetchedAgainForANewOneAndExpire(t *testing.T) {
	clock := fake.NewClock()
	var asked, down atomic.Int32
	var keys atomic.Pointer[string]
	publish := func(text string) { keys.Store(&text) }
	publish(jwks(t, &ecKey.PublicKey))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		asked.Add(1)
		if down.Load() != 0 {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		_, _ = w.Write([]byte(*keys.Load()))
	}))
	defer server.Close()
	v := clientassertion.New(clientassertion.Options{Development: true, Now: clock.Now})
	c := machine.Client{ID: "m1", KeysURL: server.URL}
	verify := func(kid string, key *ecdsa.PrivateKey) error {
		_, err := v.VerifyAssertion(t.Context(), c, sign(t, jose.ES256, key, kid))
		return err
	}
	must.Do(t, errors.Join(verify("a", ecKey), verify("a", ecKey)))
	if asked.Load() != 1 {
		t.Errorf("asked %d times", asked.Load())
	}
	publish(jwks(t, &ecKey.PublicKey, &otherKey.PublicKey))
	must.Refuse(t, verify("b", otherKey), machine.ErrUnknown, "asked again at once")
	clock.Advance(30 * time.Second)
	must.Do(t, verify("b", otherKey))
	publish(jwks(t, &otherKey.PublicKey)) // now called a
	clock.Advance(5 * time.Minute)
	must.Refuse(t, verify("a", ecKey), machine.ErrUnknown, "a withdrawn key")
	down.Store(1)
	clock.Advance(59 * time.Minute)
	must.Do(t, verify("a", otherKey))
	clock.Advance(time.Minute)
	must.Refuse(t, verify("a", otherKey), machine.ErrKeysUnknown, "keys of an hour ago")
	down.Store(0)
	clock.Advance(time.Minute)
	must.Do(t, verify("a", otherKey))
}

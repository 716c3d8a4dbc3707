package e2e_test

import (
	"bytes"
	"compress/flate"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/x509"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"hash"
	"io"
	"math/big"
	"net/http"
	"strings"
	"testing"
	"time"
)

// forge builds other tokens from the parts of a valid access token.
type forge struct {
	t              *testing.T
	header, claims vars
	key            *ecdsa.PrivateKey
	original       string
}

func newForge(t *testing.T, a *attackFixture, original string) *forge {
	t.Helper()
	f := &forge{t: t, key: a.key, original: original}
	for i, into := range []*vars{&f.header, &f.claims} {
		b, err := base64.RawURLEncoding.DecodeString(strings.Split(original, ".")[i])
		if err != nil {
			t.Fatal(err)
		}
		dec := json.NewDecoder(bytes.NewReader(b))
		dec.UseNumber()
		if err := dec.Decode(into); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func b64(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func (f *forge) unsigned() string {
	h, err := json.Marshal(f.header)
	if err != nil {
		f.t.Fatal(err)
	}
	c, err := json.Marshal(f.claims)
	if err != nil {
		f.t.Fatal(err)
	}
	return b64(h) + "." + b64(c)
}

// rs signs with a key and returns r and s.
func (f *forge) rs(key *ecdsa.PrivateKey, text string, h hash.Hash) (r, s *big.Int) {
	f.t.Helper()
	_, _ = io.WriteString(h, text)
	r, s, err := ecdsa.Sign(rand.Reader, key, h.Sum(nil))
	if err != nil {
		f.t.Fatal(err)
	}
	return r, s
}

func join(text string, r, s *big.Int, size int) string {
	sig := make([]byte, 2*size)
	r.FillBytes(sig[:size])
	s.FillBytes(sig[size:])
	return text + "." + b64(sig)
}

// sign signs a token as the service does.
func (f *forge) sign() string {
	text := f.unsigned()
	r, s := f.rs(f.key, text, sha512.New())
	return join(text, r, s, 66)
}

func (f *forge) by(curve elliptic.Curve, h hash.Hash, size int) string {
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		f.t.Fatal(err)
	}
	text := f.unsigned()
	r, s := f.rs(key, text, h)
	return join(text, r, s, size)
}

func (f *forge) mac(h func() hash.Hash, key []byte) string {
	text := f.unsigned()
	m := hmac.New(h, key)
	_, _ = io.WriteString(m, text)
	return text + "." + b64(m.Sum(nil))
}

func (f *forge) publicPEM() []byte {
	der, err := x509.MarshalPKIXPublicKey(f.key.Public())
	if err != nil {
		f.t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der})
}

// head and claim set one member and sign; nil removes it.
func (f *forge) head(name string, v any) string  { return f.with(f.header, name, v) }
func (f *forge) claim(name string, v any) string { return f.with(f.claims, name, v) }

func (f *forge) with(m vars, name string, v any) string {
	if v == nil {
		delete(m, name)
	} else {
		m[name] = v
	}
	return f.sign()
}

func (f *forge) parts() []string { return strings.Split(f.original, ".") }

func (f *forge) signature() (r, s *big.Int) {
	sig, err := base64.RawURLEncoding.DecodeString(f.parts()[2])
	if err != nil || len(sig) != 132 {
		f.t.Fatalf("the signature has %d bytes, %v", len(sig), err)
	}
	return new(big.Int).SetBytes(sig[:66]), new(big.Int).SetBytes(sig[66:])
}

// resigned is the original token with another signature.
func (f *forge) resigned(r, s *big.Int) string {
	p := f.parts()
	return join(p[0]+"."+p[1], r, s, 66)
}

func ownKey(t *testing.T) (*ecdsa.PrivateKey, vars) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P521(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := key.PublicKey.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return key, vars{"kty": "EC", "crv": "P-521", "x": b64(raw[1:67]), "y": b64(raw[67:])}
}

func unix(d time.Duration) int64 { return time.Now().Add(d).Unix() }

// forgeries are tokens that resemble the victim's and must be refused.
var forgeries = []struct {
	name string
	make func(f *forge) string
}{
	{"alg none", func(f *forge) string { f.header["alg"] = "none"; return f.unsigned() + "." }},
	{"alg NoNe", func(f *forge) string { f.header["alg"] = "NoNe"; return f.unsigned() + "." }},
	{"alg none with the old signature", func(f *forge) string { f.header["alg"] = "none"; return f.unsigned() + "." + f.parts()[2] }},
	{"no alg", func(f *forge) string { return f.head("alg", nil) }},
	{"alg in lower case", func(f *forge) string { return f.head("alg", "es512") }},
	{"HS512 with the public key as PEM", func(f *forge) string { f.header["alg"] = "HS512"; return f.mac(sha512.New, f.publicPEM()) }},
	{"HS256 with the public key as PEM", func(f *forge) string { f.header["alg"] = "HS256"; return f.mac(sha256.New, f.publicPEM()) }},
	{"HS256 with the empty key", func(f *forge) string { f.header["alg"] = "HS256"; return f.mac(sha256.New, nil) }},
	{"ES512 header over an HMAC", func(f *forge) string { return f.mac(sha512.New, f.publicPEM()) }},
	{"ES256 by another key", func(f *forge) string { f.header["alg"] = "ES256"; return f.by(elliptic.P256(), sha256.New(), 32) }},
	{"ES384 by another key", func(f *forge) string { f.header["alg"] = "ES384"; return f.by(elliptic.P384(), sha512.New384(), 48) }},
	{"ES512 header over P-256", func(f *forge) string { return f.by(elliptic.P256(), sha512.New(), 32) }},
	{"ES512 by another key", func(f *forge) string { return f.by(elliptic.P521(), sha512.New(), 66) }},
	{"the right key with SHA-256", func(f *forge) string {
		text := f.unsigned()
		r, s := f.rs(f.key, text, sha256.New())
		return join(text, r, s, 66)
	}},
	{"ES256 by the right key", func(f *forge) string {
		f.header["alg"] = "ES256"
		text := f.unsigned()
		r, s := f.rs(f.key, text, sha256.New())
		return join(text, r, s, 66)
	}},
	{"the attacker's key as jwk", func(f *forge) string {
		key, jwk := ownKey(f.t)
		f.key, f.header["jwk"] = key, jwk
		return f.sign()
	}},
	{"a jwk in a token signed with the right key", func(f *forge) string { _, jwk := ownKey(f.t); return f.head("jwk", jwk) }},
	{"a jku", func(f *forge) string { return f.head("jku", "http://127.0.0.1:1/keys") }},
	{"an x5u", func(f *forge) string { return f.head("x5u", "http://127.0.0.1:1/cert") }},
	{"an x5c", func(f *forge) string { return f.head("x5c", []string{b64(f.publicPEM())}) }},
	{"a crit", func(f *forge) string { f.header["exp"] = unix(time.Hour); return f.head("crit", []string{"exp"}) }},
	{"an empty crit", func(f *forge) string { return f.head("crit", []string{}) }},
	{"b64 false", func(f *forge) string { f.header["crit"] = []string{"b64"}; return f.head("b64", false) }},
	{"a zip", func(f *forge) string {
		f.header["zip"] = "DEF"
		h, _ := json.Marshal(f.header)
		c, _ := json.Marshal(f.claims)
		var small bytes.Buffer
		w, _ := flate.NewWriter(&small, flate.BestCompression)
		_, _ = w.Write(c)
		_ = w.Close()
		text := b64(h) + "." + b64(small.Bytes())
		r, s := f.rs(f.key, text, sha512.New())
		return join(text, r, s, 66)
	}},
	{"typ JWT", func(f *forge) string { return f.head("typ", "JWT") }},
	{"no typ", func(f *forge) string { return f.head("typ", nil) }},
	{"no kid", func(f *forge) string { return f.head("kid", nil) }},
	{"another kid", func(f *forge) string { return f.head("kid", "other") }},
	{"a kid that is a path", func(f *forge) string { return f.head("kid", "../../../../dev/null") }},
	{"a kid that is SQL", func(f *forge) string { return f.head("kid", "' OR '1'='1") }},
	{"a kid that is a number", func(f *forge) string { return f.head("kid", 1) }},
	{"another issuer", func(f *forge) string { return f.claim("iss", "https://evil.test") }},
	{"no issuer", func(f *forge) string { return f.claim("iss", nil) }},
	{"another audience", func(f *forge) string { return f.claim("aud", "evil") }},
	{"no audience", func(f *forge) string { return f.claim("aud", nil) }},
	{"expired a second ago", func(f *forge) string { return f.claim("exp", unix(-time.Second)) }},
	{"no expiry", func(f *forge) string { return f.claim("exp", nil) }},
	{"an expiry that is a string", func(f *forge) string { return f.claim("exp", "9999999999") }},
	{"an expiry of 1e300", func(f *forge) string { return f.claim("exp", json.Number("1e300")) }},
	{"a negative expiry", func(f *forge) string { return f.claim("exp", -1) }},
	{"issued in the future", func(f *forge) string { return f.claim("iat", unix(5*time.Minute)) }},
	{"not yet valid", func(f *forge) string { return f.claim("nbf", unix(5*time.Minute)) }},
	{"no iat", func(f *forge) string { return f.claim("iat", nil) }},
	{"no subject", func(f *forge) string { return f.claim("sub", nil) }},
	{"an unknown subject", func(f *forge) string { return f.claim("sub", "1") }},
	{"a subject that is not an id", func(f *forge) string { return f.claim("sub", "admin") }},
	{"no session", func(f *forge) string { return f.claim("sid", nil) }},
	{"an unknown session", func(f *forge) string { return f.claim("sid", "1") }},
	{"no token id", func(f *forge) string { return f.claim("jti", nil) }},
	{"an unknown role", func(f *forge) string { return f.claim("role", "GOD") }},
	{"a DER signature", func(f *forge) string {
		r, s := f.signature()
		der, err := asn1.Marshal(struct{ R, S *big.Int }{r, s})
		if err != nil {
			f.t.Fatal(err)
		}
		return f.parts()[0] + "." + f.parts()[1] + "." + b64(der)
	}},
	{"r and s of zero", func(f *forge) string { return f.resigned(new(big.Int), new(big.Int)) }},
	{"r of zero", func(f *forge) string { _, s := f.signature(); return f.resigned(new(big.Int), s) }},
	{"s of zero", func(f *forge) string { r, _ := f.signature(); return f.resigned(r, new(big.Int)) }},
	{"r and s of one", func(f *forge) string { return f.resigned(big.NewInt(1), big.NewInt(1)) }},
	{"r equal to the order of the curve", func(f *forge) string { _, s := f.signature(); return f.resigned(elliptic.P521().Params().N, s) }},
	{"s plus the order of the curve", func(f *forge) string {
		r, s := f.signature()
		return f.resigned(r, new(big.Int).Add(s, elliptic.P521().Params().N))
	}},
	{"r and s swapped", func(f *forge) string { r, s := f.signature(); return f.resigned(s, r) }},
	{"a truncated signature", func(f *forge) string { return f.original[:len(f.original)-2] }},
	{"a signature with trailing bytes", func(f *forge) string { return f.original + "AAAA" }},
	{"a signature with padding", func(f *forge) string { return f.original + "=" }},
	{"no signature", func(f *forge) string { return f.parts()[0] + "." + f.parts()[1] + "." }},
	{"a changed payload", func(f *forge) string {
		f.claims["role"] = "OWNER"
		return f.unsigned() + "." + f.parts()[2]
	}},
	{"a changed header", func(f *forge) string { f.header["a"] = 1; return f.unsigned() + "." + f.parts()[2] }},
	{"two parts", func(f *forge) string { return f.unsigned() }},
	{"five parts", func(f *forge) string { return f.original + "." + f.parts()[0] + "." + f.parts()[1] }},
	{"JSON serialisation", func(f *forge) string {
		p := f.parts()
		b, _ := json.Marshal(vars{"protected": p[0], "payload": p[1], "signature": p[2]})
		return string(b)
	}},
	{"a payload that is not an object", func(f *forge) string {
		text := f.parts()[0] + "." + b64([]byte("[]"))
		r, s := f.rs(f.key, text, sha512.New())
		return join(text, r, s, 66)
	}},
	{"a duplicate claim", func(f *forge) string {
		c, _ := json.Marshal(f.claims)
		text := f.parts()[0] + "." + b64(append(c[:len(c)-1], `,"sub":"1"}`...))
		r, s := f.rs(f.key, text, sha512.New())
		return join(text, r, s, 66)
	}},
	{"only dots", func(*forge) string { return ".." }},
	{"50 kB", func(f *forge) string { return f.claim("pad", strings.Repeat("x", 36_000)) }},
}

var tokenAttacks = []attack{
	{"tokens: a valid one is accepted", func(t *testing.T, a *attackFixture) { // otherwise the refusals would prove nothing
		if got := newForge(t, a, a.victim.access).sign(); !isAccepted(t, a, got) {
			t.Error("a valid token that this test has signed is refused")
		}
		if got := newForge(t, a, a.victim.access).claim("iat", unix(20*time.Second)); !isAccepted(t, a, got) {
			t.Error("a token issued 20 s in the future is refused, want 30 s of clock skew allowed")
		}
	}},
	{"tokens: a forged role", func(t *testing.T, a *attackFixture) {
		p := a.newClient(t, byBearer)
		p.access = newForge(t, a, a.attacker.access).claim("role", "OWNER")
		p.refused(auditLn, nil, "FORBIDDEN", "UNAUTHENTICATED")
		p.refused(people, nil, "FORBIDDEN", "UNAUTHENTICATED")
	}},
	{"tokens: the victim's id with the attacker's session", func(t *testing.T, a *attackFixture) {
		if isAccepted(t, a, newForge(t, a, a.attacker.access).claim("sub", a.victim.id)) {
			t.Error("the token is accepted")
		}
	}},
	{"tokens: the second valid signature (r, n-s) of a revoked token", func(t *testing.T, a *attackFixture) {
		p := a.member(t, byBearer, "mirrored")
		f := newForge(t, a, p.access)
		r, s := f.signature()
		mirrored := f.resigned(r, new(big.Int).Sub(elliptic.P521().Params().N, s))
		isAccepted(t, a, mirrored) // if it is accepted, it is now cached
		p.must(signOut, nil)
		if isAccepted(t, a, mirrored) {
			t.Error("the token with the second signature is valid after the session has ended")
		}
	}},
	{"tokens: in the query string", func(t *testing.T, a *attackFixture) {
		r := a.newClient(t, byBearer).send("/graphql?access_token="+a.victim.access, body(t, me, nil), nil)
		if r.Code() != "UNAUTHENTICATED" {
			t.Errorf("answered %s", r.Body)
		}
	}},
}

// forgeryAttacks try each forgery in every place that accepts a token.
func forgeryAttacks() (out []attack) {
	for _, f := range forgeries {
		out = append(out, attack{"tokens: " + f.name, func(t *testing.T, a *attackFixture) {
			if isAccepted(t, a, f.make(newForge(t, a, a.victim.access))) {
				t.Error("the token is accepted")
			}
		}})
	}
	return out
}

// isAccepted tries a token in every place that accepts one.
func isAccepted(t *testing.T, a *attackFixture, candidate string) bool {
	t.Helper()
	p := a.newClient(t, byBearer)
	if p.must(token, vars{"t": candidate}).at("tokenInfo", "active") == true {
		return true
	}
	if strings.ContainsAny(candidate, "\r\n") {
		return false
	}
	for _, put := range []func(*http.Request){
		func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+candidate) },
		func(r *http.Request) { r.Header.Set("Cookie", "octavo_access="+candidate) },
	} {
		r := p.send("/graphql", body(t, me, nil), put)
		if r.Status == http.StatusRequestHeaderFieldsTooLarge {
			continue
		}
		if r.Code() != "UNAUTHENTICATED" {
			return true
		}
	}
	return false
}

package token_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/token"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/machines"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

// forger signs any header and payload with a key.
type forger struct {
	t   testing.TB
	key *ecdsa.PrivateKey
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func (f forger) text(head, body string) string {
	signed := encode([]byte(head)) + "." + encode([]byte(body))
	r, s := f.rs(signed)
	return signed + "." + encode(flat(r, s))
}

func (f forger) rs(signed string) (r, s *big.Int) {
	f.t.Helper()
	sum := sha512.Sum512([]byte(signed))
	r, s = must.Get2(ecdsa.Sign(rand.Reader, f.key, sum[:]))(f.t)
	return r, s
}

func flat(r, s *big.Int) []byte {
	b := make([]byte, 132)
	r.FillBytes(b[:66])
	s.FillBytes(b[66:])
	return b
}

func mustJSON(t testing.TB, v any) string {
	t.Helper()
	b := must.Get(json.Marshal(v))(t)
	return string(b)
}

// Only the exact form of our tokens is accepted, even with our signature.
func TestATokenWithAnyOtherHeaderOrClaimIsRefused(t *testing.T) {
	key := newKey(t)
	by, f := tokens(t, key), forger{t, key}
	head, body := parts(t, sign(t, by, claims()))
	if _, err := by.VerifyToken(f.text(mustJSON(t, head), mustJSON(t, body)), noon); err != nil {
		t.Fatalf("the forger's valid token is refused: %v", err)
	}
	with := func(m map[string]any, k string, v any) string {
		m = maps.Clone(m)
		if m[k] = v; v == nil {
			delete(m, k)
		}
		return mustJSON(t, m)
	}
	attacks := map[string]string{
		"payload with trailing data": f.text(mustJSON(t, head), mustJSON(t, body)+"{}"),
		"header with trailing data":  f.text(mustJSON(t, head)+" {}", mustJSON(t, body)),
		"payload an array":           f.text(mustJSON(t, head), "["+mustJSON(t, body)+"]"),
		"payload null":               f.text(mustJSON(t, head), "null"),
		"header null":                f.text("null", mustJSON(t, body)),
		"payload empty":              f.text(mustJSON(t, head), ""),
	}
	for name, h := range map[string]struct {
		k string
		v any
	}{
		"alg none": {"alg", "none"}, "alg None": {"alg", "None"}, "alg empty": {"alg", ""}, "alg missing": {"alg", nil}, "alg HS256": {"alg", "HS256"},
		"alg HS512": {"alg", "HS512"}, "alg ES256": {"alg", "ES256"}, "alg RS512": {"alg", "RS512"}, "alg es512": {"alg", "es512"}, "alg a list": {"alg", []string{"ES512"}},
		"typ JWT": {"typ", "JWT"}, "typ missing": {"typ", nil}, "typ refresh": {"typ", "rt+jwt"},
		"kid missing": {"kid", nil}, "kid unknown": {"kid", "x"}, "kid a path": {"kid", "../../dev/null"}, "kid a number": {"kid", 1},
		"jwk": {"jwk", map[string]string{"kty": "EC"}}, "jku": {"jku", "https://evil.example/jwks"}, "x5u": {"x5u", "https://evil.example/x"},
		"x5c": {"x5c", []string{"MII"}}, "crit": {"crit", []string{"exp"}}, "b64": {"b64", false}, "zip": {"zip", "DEF"}, "cty": {"cty", "JWT"},
	} {
		attacks["header: "+name] = f.text(with(head, h.k, h.v), mustJSON(t, body))
	}
	for name, c := range map[string]struct {
		k string
		v any
	}{
		"iss missing": {"iss", nil}, "iss other": {"iss", "https://octavo.example/"}, "iss list": {"iss", []string{"https://octavo.example"}},
		"aud missing": {"aud", nil}, "aud other": {"aud", "Octavo"}, "aud of a third party": {"aud", "https://octavo.example"}, "aud two": {"aud", []string{"octavo", "x"}},
		"sub missing": {"sub", nil}, "sub zero": {"sub", "0"}, "sub signed": {"sub", "-7"}, "sub padded": {"sub", "07"}, "sub number": {"sub", 7},
		"sid missing": {"sid", nil}, "sid text": {"sid", "x"}, "jti missing": {"jti", nil}, "jti empty": {"jti", ""},
		"exp missing": {"exp", nil}, "exp text": {"exp", "4102444800"}, "exp fraction": {"exp", 4102444800.5}, "exp past": {"exp", noon.Unix()},
		"iat missing": {"iat", nil}, "iat ahead": {"iat", noon.Unix() + 31}, "nbf ahead": {"nbf", noon.Unix() + 31},
		"role missing": {"role", nil}, "role unknown": {"role", "ROOT"}, "role lower case": {"role", "admin"}, "rot below zero": {"rot", -1},
	} {
		attacks["claims: "+name] = f.text(mustJSON(t, head), with(body, c.k, c.v))
	}
	for name, text := range attacks {
		if c, err := by.VerifyToken(text, noon); !errors.Is(err, user.ErrUnauthenticated) {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
}

// hs256 returns a token whose signature is a hash with a secret.
func hs256(body, secret string) string {
	signed := encode([]byte(`{"alg":"HS256","typ":"at+jwt","kid":"x"}`)) + "." + body
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(signed))
	return signed + "." + encode(mac.Sum(nil))
}

// signedOnP256 returns a signature with a key of another curve.
func signedOnP256(t *testing.T, signed string) (r, s *big.Int) {
	t.Helper()
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	sum := sha512.Sum512([]byte(signed))
	return must.Get2(ecdsa.Sign(rand.Reader, key, sum[:]))(t)
}

// No token is accepted without a signature of our key.
func TestNoForgedSignatureIsAccepted(t *testing.T) {
	key := newKey(t)
	by, f := tokens(t, key), forger{t, key}
	text := sign(t, by, claims())
	cut := strings.LastIndexByte(text, '.')
	signed, good := text[:cut], text[cut+1:]
	head, body := strings.Split(signed, ".")[0], strings.Split(signed, ".")[1]
	r, s := f.rs(signed)
	n := elliptic.P521().Params().N
	der := must.Get(asn1.Marshal(struct{ R, S *big.Int }{r, s}))(t)
	public, _ := must.Get2(token.Encode(key))(t)
	r256, s256 := signedOnP256(t, signed)
	rs, ss := forger{t, newKey(t)}.rs(signed)
	zero := new(big.Int)
	attacks := map[string]string{
		"no signature":                     signed + ".",
		"two parts":                        signed,
		"four parts":                       text + ".x",
		"five parts":                       text + "..",
		"another key":                      signed + "." + encode(flat(rs, ss)),
		"another curve":                    signed + "." + encode(flat(r256, s256)),
		"DER":                              signed + "." + encode(der),
		"r = s = 0":                        signed + "." + encode(flat(zero, zero)),
		"r = 0":                            signed + "." + encode(flat(zero, s)),
		"s = n":                            signed + "." + encode(flat(r, n)),
		"r + n":                            signed + "." + encode(append(append([]byte{}, new(big.Int).Add(r, n).Bytes()...), s.Bytes()...)),
		"one byte more":                    signed + "." + encode(append(flat(r, s), 0)),
		"one byte less":                    signed + "." + encode(flat(r, s)[:131]),
		"padding":                          text + "=",
		"a newline at the end":             text + "\n",
		"a newline in the signature":       signed + "." + good[:10] + "\n" + good[10:],
		"a space in front":                 " " + text,
		"standard alphabet":                signed + "." + base64.RawStdEncoding.EncodeToString(flat(r, s)[:129]) + "+/+/",
		"HS256 with the public key as PEM": hs256(body, public),
		"HS256 with the empty key":         hs256(body, ""),
		"another payload":                  head + "." + encode([]byte(`{"sub":"1"}`)) + "." + good,
		"a refresh token":                  session.Token{User: 7, Session: 9}.String(),
		"empty":                            "",
		"dots":                             "..",
		"huge":                             text + strings.Repeat("A", 1<<20),
		"JSON serialisation":               fmt.Sprintf(`{"protected":%q,"payload":%q,"signature":%q}`, head, body, good),
	}
	for name, text := range attacks {
		if c, err := by.VerifyToken(text, noon); !errors.Is(err, user.ErrUnauthenticated) {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
	// The twin of an ECDSA signature is as valid as the signature: it has the same claims and
	// ends with the same session.
	twin := signed + "." + encode(flat(r, new(big.Int).Sub(n, s)))
	if c, err := by.VerifyToken(twin, noon); err != nil || c != claims() {
		t.Errorf("twin: %+v, %v", c, err)
	}
}

func TestATokenOfAMachineIsNeverThatOfAPersonNorTheOtherWayRound(t *testing.T) {
	key := must.Get(ecdsa.GenerateKey(elliptic.P521(), rand.Reader))(t)
	tokens := must.Get(token.New(token.Config{Key: key, Issuer: "https://octavo.example", Audience: "octavo"}))(t)
	now := time.Now().UTC().Truncate(time.Second)
	claims := machines.Claims{Session: 7, Client: "m3", Audience: "https://prices.example", Scopes: "read", IssuedAt: now, ExpiresAt: now.Add(time.Minute)}
	machine := must.Get(tokens.SignMachineToken(claims))(t)
	for range 2 { // the second time from the cache
		if found, err := tokens.VerifyMachineToken(machine, now); err != nil || found != claims {
			t.Errorf("signed %+v, verified %+v, %v", claims, found, err)
		}
	}
	person := must.Get(tokens.SignToken(auth.Claims{User: 3, Session: 7, IssuedAt: now, ExpiresAt: now.Add(time.Minute)}))(t)
	must.Refuse(t, must.Err(tokens.VerifyToken(machine, now)), user.ErrUnauthenticated, "as a person's")
	must.Refuse(t, must.Err(tokens.VerifyTargetToken(machine, now)), user.ErrUnauthenticated, "as a client's for a resource")
	must.Refuse(t, must.Err(tokens.VerifyTargetToken(person, now)), user.ErrUnauthenticated, "Octavo's own for a resource")
	must.Refuse(t, must.Err(tokens.VerifyMachineToken(person, now)), user.ErrUnauthenticated, "as a machine's")
	must.Refuse(t, must.Err(tokens.VerifyMachineToken(machine, now.Add(time.Minute))), user.ErrUnauthenticated, "expired")
	parts := strings.Split(machine, ".")
	for _, head := range []string{`{"alg":"none","typ":"at+jwt"}`, `{"alg":"HS512","kid":"x","typ":"at+jwt"}`, `{"alg":"ES512","kid":"x","typ":"at+jwt"}`} {
		forged := base64.RawURLEncoding.EncodeToString([]byte(head)) + "." + parts[1] + "." + parts[2]
		must.Refuse(t, must.Err(tokens.VerifyMachineToken(forged, now)), user.ErrUnauthenticated, head)
	}
	for _, own := range []string{"octavo", "https://octavo.example"} {
		claims.Audience = own
		if _, err := tokens.SignMachineToken(claims); err == nil {
			t.Errorf("signed for %s", own)
		}
	}
}

func TestATokenForAResourceIsForNothingElse(t *testing.T) {
	key := must.Get(ecdsa.GenerateKey(elliptic.P521(), rand.Reader))(t)
	tokens := must.Get(token.New(token.Config{Key: key, Issuer: "https://octavo.example", Audience: "octavo"}))(t)
	now := time.Now().UTC().Truncate(time.Second)
	claims := auth.Claims{
		User: 3, Session: 7, Client: "12", IssuedAt: now, ExpiresAt: now.Add(time.Minute),
		Target: auth.Target{Resource: "r5", Identifier: "https://prices.example", Scopes: "read"},
	}
	signed := must.Get(tokens.SignToken(claims))(t)
	for range 2 { // the second time from the cache
		if found, err := tokens.VerifyTargetToken(signed, now); err != nil || found != claims {
			t.Errorf("signed %+v, verified %+v, %v", claims, found, err)
		}
		must.Refuse(t, must.Err(tokens.VerifyToken(signed, now)), user.ErrUnauthenticated, "as one for Octavo")
		must.Refuse(t, must.Err(tokens.VerifyMachineToken(signed, now)), user.ErrUnauthenticated, "as a machine's")
	}
	must.Refuse(t, must.Err(tokens.VerifyTargetToken(signed, now.Add(time.Minute))), user.ErrUnauthenticated, "expired")
	parts := strings.Split(signed, ".")
	for _, head := range []string{`{"alg":"none","typ":"at+jwt"}`, `{"alg":"HS512","kid":"x","typ":"at+jwt"}`, `{"alg":"ES512","kid":"x","typ":"at+jwt"}`} {
		forged := base64.RawURLEncoding.EncodeToString([]byte(head)) + "." + parts[1] + "." + parts[2]
		must.Refuse(t, must.Err(tokens.VerifyTargetToken(forged, now)), user.ErrUnauthenticated, head)
	}
	body := base64.RawURLEncoding.EncodeToString([]byte(`{"iss":"https://octavo.example","aud":"https://prices.example","sub":"4","client_id":"12","scope":"read","sid":"7","jti":"x","iat":1,"exp":99999999999,"resource_id":"r5"}`))
	must.Refuse(t, must.Err(tokens.VerifyTargetToken(parts[0]+"."+body+"."+parts[2], now)), user.ErrUnauthenticated, "another person")
	for _, own := range []string{"octavo", "https://octavo.example"} {
		claims.Target.Identifier = own
		if _, err := tokens.SignToken(claims); err == nil {
			t.Errorf("signed for %s", own)
		}
	}
}

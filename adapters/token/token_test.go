package token_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/token"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/machines"
	"github.com/octavo-books/octavo/application/auth/provider"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

var noon = time.Date(2026, time.September, 7, 12, 0, 0, 0, time.UTC)

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	return must.Get(ecdsa.GenerateKey(elliptic.P521(), rand.Reader))(t)
}

func tokens(t testing.TB, key *ecdsa.PrivateKey, previous ...*ecdsa.PublicKey) *token.Tokens {
	t.Helper()
	return must.Get(token.New(token.Config{Key: key, Previous: previous, Issuer: "https://octavo.example", Audience: "octavo"}))(t)
}

func claims() auth.Claims {
	return auth.Claims{User: 7, Session: 9, Role: user.Admin, TokenNumber: 3, IssuedAt: noon, ExpiresAt: noon.Add(20 * time.Minute)}
}

func sign(t testing.TB, by *token.Tokens, c auth.Claims) string {
	t.Helper()
	return must.Get(by.SignToken(c))(t)
}

func TestATokenContainsTheSignedClaims(t *testing.T) {
	by := tokens(t, newKey(t))
	text := sign(t, by, claims())
	for range 2 { // verified, then cached
		if c, err := by.VerifyToken(text, noon); err != nil || c != claims() {
			t.Fatalf("%+v, %v", c, err)
		}
	}
	head, body := parts(t, text)
	if len(head) != 3 || head["alg"] != "ES512" || head["typ"] != "at+jwt" || head["kid"] == "" {
		t.Errorf("header is %v", head)
	}
	for claim, want := range map[string]any{
		"iss": "https://octavo.example", "aud": "octavo", "sub": "7", "sid": "9", "role": "ADMIN",
		"iat": float64(noon.Unix()), "exp": float64(noon.Add(20 * time.Minute).Unix()),
	} {
		if body[claim] != want {
			t.Errorf("%s is %v, want %v", claim, body[claim], want)
		}
	}
	_, again := parts(t, sign(t, by, claims()))
	if body["jti"] == again["jti"] || len(body["jti"].(string)) < 20 {
		t.Errorf("jti is %v, then %v", body["jti"], again["jti"])
	}
}

func TestATokenOfAClientContainsItsScopes(t *testing.T) {
	by := tokens(t, newKey(t))
	c := claims()
	c.Client, c.Scopes, c.FirstParty, c.Metadata = "client", "openid email", true, `{"plan":"gold"}`
	text := sign(t, by, c)
	if got, err := by.VerifyToken(text, noon); err != nil || got != c {
		t.Fatalf("%+v, %v; want %+v", got, err, c)
	}
	_, body := parts(t, text)
	if meta, _ := body["meta"].(map[string]any); body["client_id"] != "client" || body["scope"] != "openid email" || meta["plan"] != "gold" {
		t.Errorf("claims are %v", body)
	}
	if _, body := parts(t, sign(t, by, claims())); body["client_id"] != nil || body["scope"] != nil || body["first_party"] != nil || body["meta"] != nil {
		t.Errorf("claims without a client are %v", body)
	}
}

func TestAServiceThatVerifiesTokensItselfRefusesThoseOfThirdParties(t *testing.T) {
	by := tokens(t, newKey(t))
	c := claims()
	c.Role, c.Client, c.Scopes = user.Regular, "client", "openid"
	text := sign(t, by, c)
	if got, err := by.VerifyToken(text, noon); err != nil || got != c {
		t.Fatalf("%+v, %v; want %+v", got, err, c)
	}
	if _, body := parts(t, text); body["aud"] != "https://octavo.example" {
		t.Errorf("the audience is %v, want https://octavo.example", body["aud"])
	}
	c.FirstParty = true
	if _, body := parts(t, sign(t, by, c)); body["aud"] != "octavo" {
		t.Errorf("the audience of a first party is %v, want octavo", body["aud"])
	}
}

func TestATokenExpiresToTheSecondEvenIfItIsCached(t *testing.T) {
	by := tokens(t, newKey(t))
	text := sign(t, by, claims())
	for _, cached := range []bool{false, true} {
		if _, err := by.VerifyToken(text, noon.Add(20*time.Minute)); !errors.Is(err, user.ErrUnauthenticated) {
			t.Errorf("cached %v: %v, want %v", cached, err, user.ErrUnauthenticated)
		}
		if _, err := by.VerifyToken(text, noon.Add(20*time.Minute-1)); err != nil {
			t.Errorf("cached %v: %v", cached, err)
		}
	}
}

func TestAClockMayBeThirtySecondsAhead(t *testing.T) {
	by := tokens(t, newKey(t))
	if _, err := by.VerifyToken(sign(t, by, claims()), noon.Add(-30*time.Second)); err != nil {
		t.Error(err)
	}
	if _, err := by.VerifyToken(sign(t, by, claims()), noon.Add(-31*time.Second)); err == nil {
		t.Error("31 seconds are accepted")
	}
}

func TestPreviousKeysVerifyTokensAndAreInTheKeySet(t *testing.T) {
	old, current := newKey(t), newKey(t)
	before := tokens(t, old)
	after := tokens(t, current, &old.PublicKey, &old.PublicKey)
	if _, err := after.VerifyToken(sign(t, before, claims()), noon); err != nil {
		t.Error(err)
	}
	if _, err := before.VerifyToken(sign(t, after, claims()), noon); err == nil {
		t.Error("a token of an unknown key is accepted")
	}
	var set struct{ Keys []map[string]string }
	if err := json.Unmarshal(after.KeySet(), &set); err != nil || len(set.Keys) != 2 {
		t.Fatalf("%s, %v", after.KeySet(), err)
	}
	head, _ := parts(t, sign(t, after, claims()))
	k := set.Keys[0]
	if k["kid"] != head["kid"] || k["kty"] != "EC" || k["crv"] != "P-521" || k["alg"] != "ES512" || k["use"] != "sig" || len(k["x"]) != 88 || k["d"] != "" {
		t.Errorf("key is %v", k)
	}
}

// Of two replicas that are restarted one by one each knows what the other signs with.
func TestReplicasAgreeOnIDTokensWhileTheirKeyIsChanged(t *testing.T) {
	by := tokens(t, newKey(t))
	older, newer := must.Get(rsa.GenerateKey(rand.Reader, 2048))(t), must.Get(rsa.GenerateKey(rand.Reader, 2048))(t)
	signer := func(key *rsa.PrivateKey, others ...*rsa.PublicKey) *token.IDTokens {
		return token.NewIDTokens(by, func() (*rsa.PrivateKey, error) { return key, nil }, others...)
	}
	steps := []*token.IDTokens{
		signer(older), signer(older, &newer.PublicKey), signer(newer, &newer.PublicKey, &older.PublicKey), signer(newer, &older.PublicKey), signer(newer),
	}
	for i := range steps[:len(steps)-1] {
		before, after := steps[i], steps[i+1]
		for name, pair := range map[string][2]*token.IDTokens{"the restarted one": {before, after}, "the other one": {after, before}} {
			text := must.Get(pair[0].SignIDToken(provider.IDClaims{User: 7, Session: 8, Client: "c", ExpiresAt: noon}, "RS256"))(t)
			if _, err := pair[1].VerifyIDToken(text); err != nil {
				t.Errorf("after step %d %s refuses an ID token of its neighbour: %v", i, name, err)
			}
			head, _ := parts(t, text)
			if set := must.Get(pair[1].KeySet())(t); !strings.Contains(string(set), head["kid"].(string)) {
				t.Errorf("after step %d %s does not publish the key of its neighbour", i, name)
			}
		}
	}
	if set := must.Get(steps[2].KeySet())(t); strings.Count(string(set), `"RSA"`) != 2 || strings.Contains(string(set), `"d"`) {
		t.Errorf("published: %s", set)
	}
	stale := must.Get(steps[0].SignIDToken(provider.IDClaims{User: 7, Session: 8, Client: "c", ExpiresAt: noon}, "RS256"))(t)
	if _, err := steps[4].VerifyIDToken(stale); err == nil {
		t.Error("an ID token of a removed key is accepted")
	}
}

func TestKeysThatVerifyIDTokensMayBePublicOrPrivate(t *testing.T) {
	private := must.Get(token.GenerateRSA())(t)
	key := must.Get(token.ParseRSA(private))(t)
	public := string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: must.Get(x509.MarshalPKIXPublicKey(&key.PublicKey))(t)}))
	if all, err := token.ParseRSAPublic(strings.ReplaceAll(public+private, "\n", `\n`)); err != nil || len(all) != 2 || !all[0].Equal(all[1]) {
		t.Errorf("%v, %v", all, err)
	}
	if all, err := token.ParseRSAPublic(" "); err != nil || len(all) != 0 {
		t.Errorf("%v, %v", all, err)
	}
	_, other, _ := token.Generate()
	for _, bad := range []string{"x", public + "x", other} {
		if _, err := token.ParseRSAPublic(bad); !errors.Is(err, token.ErrRSAPublicKey) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestTheCacheIsBoundedAndDropsTheOldest(t *testing.T) {
	key := newKey(t)
	by := must.Get(token.New(token.Config{Key: key, Issuer: "i", Audience: "a", CacheSize: 2}))(t)
	first := sign(t, by, claims())
	for range 20 {
		must.Get(by.VerifyToken(sign(t, by, claims()), noon))(t)
		must.Get(by.VerifyToken(first, noon))(t)
	}
}

func parts(t testing.TB, text string) (head, body map[string]any) {
	t.Helper()
	split := strings.Split(text, ".")
	for i, to := range []*map[string]any{&head, &body} {
		b := must.Get(base64.RawURLEncoding.DecodeString(split[i]))(t)
		must.Do(t, json.Unmarshal(b, to))
	}
	return head, body
}

func FuzzVerify(f *testing.F) {
	key := newKey(f)
	by := tokens(f, key)
	good := sign(f, by, claims())
	f.Add(good)
	f.Add("a.b.c")
	f.Add("..")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := by.VerifyToken(text, noon)
		if err != nil && !errors.Is(err, user.ErrUnauthenticated) {
			t.Fatal(err)
		}
		if err == nil && c != claims() {
			t.Fatalf("%q says %+v", text, c)
		}
	})
}

func TestKeysAreParsedInEveryNotationAndOtherKeysAreRefused(t *testing.T) {
	public, private := must.Get2(token.Generate())(t)
	oneLine := func(s string) string { return strings.ReplaceAll(s, "\n", `\n`) }
	for _, pair := range [][2]string{{public, private}, {oneLine(public), oneLine(private)}, {"\n" + public + "\n", private + "\n"}} {
		if _, err := token.ParsePair(pair[0], pair[1]); err != nil {
			t.Errorf("%q: %v", pair[0], err)
		}
	}
	otherPublic, _, err := token.Generate()
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		public, private string
		err             error
	}{
		"no keys": {"", "", token.ErrPublicKey}, "no public key": {"", private, token.ErrPublicKey}, "no private key": {public, "", token.ErrPrivateKey},
		"swapped": {private, public, token.ErrPublicKey}, "another's public key": {otherPublic, private, token.ErrPair},
		"two public keys": {public + otherPublic, private, token.ErrPublicKey}, "text behind": {public, private + "x", token.ErrPrivateKey},
		"text between": {public + "x", private, token.ErrPublicKey}, "cut": {public, private[:200], token.ErrPrivateKey}, "words": {"hello", "world", token.ErrPublicKey},
	} {
		if _, err := token.ParsePair(c.public, c.private); err != c.err { //nolint:errorlint // said once and not wrapped
			t.Errorf("%s: %v", name, err)
		}
	}
	if keys, err := token.ParsePublic(oneLine(public) + "\n" + otherPublic); err != nil || len(keys) != 2 {
		t.Errorf("%d keys, %v; want 2", len(keys), err)
	}
	if keys, err := token.ParsePublic(""); err != nil || len(keys) != 0 {
		t.Errorf("%d keys, %v; want 0", len(keys), err)
	}
}

func TestASecretIsBoundToItsKeyAndPurpose(t *testing.T) {
	key := newKey(t)
	seen := map[[32]byte]bool{}
	for _, c := range []struct {
		key     *ecdsa.PrivateKey
		purpose string
	}{{key, "codes"}, {key, "links"}, {newKey(t), "codes"}} {
		secret, err := token.DeriveSecret(c.key, c.purpose)
		again, err2 := token.DeriveSecret(c.key, c.purpose)
		if err != nil || err2 != nil || secret != again || seen[secret] {
			t.Errorf("%s: %v, %v", c.purpose, err, err2)
		}
		seen[secret] = true
	}
}

func TestBadSettingsAreRefused(t *testing.T) {
	key := newKey(t)
	for _, c := range []token.Config{
		{}, {Key: key, Audience: "a"}, {Key: key, Issuer: "i"}, {Key: key, Issuer: "i", Audience: "a", CacheSize: -1}, {Issuer: "i", Audience: "a"},
	} {
		if _, err := token.New(c); err == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}

// What may be set up must work: what is signed with many scopes or groups is accepted again.
func TestTheLongestTokensThatAreSignedAreAccepted(t *testing.T) {
	by := tokens(t, newKey(t))
	all := func(n int, name string) []string { return slices.Repeat([]string{strings.Repeat(name, 100)}, n) }
	resource, scopes := "https://"+strings.Repeat("a", 1992), strings.Join(all(50, "x"), " ")
	machine := must.Get(by.SignMachineToken(machines.Claims{Session: 7, Client: "m3", Audience: resource, Scopes: scopes, IssuedAt: noon, ExpiresAt: noon.Add(time.Hour)}))(t)
	if c, err := by.VerifyMachineToken(machine, noon); err != nil || c.Scopes != scopes {
		t.Errorf("of a machine, with %d bytes: %+v, %v", len(machine), c, err)
	}
	signer := token.NewIDTokens(by, func() (*rsa.PrivateKey, error) { return nil, nil })
	person := must.Get(signer.SignIDToken(provider.IDClaims{
		User: 7, Session: 8, Client: "c", ExpiresAt: noon, About: auth.UserInfo{Roles: all(50, "é"), Groups: all(100, "é")},
	}, "ES512"))(t)
	if _, err := signer.VerifyIDToken(person); err != nil {
		t.Errorf("an ID token of %d bytes: %v", len(person), err)
	}
}

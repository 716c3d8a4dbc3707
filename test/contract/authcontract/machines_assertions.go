package authcontract

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/octavo-books/octavo/domain/machine"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

const tokenEndpoint = "https://octavo.example/oauth2/token"

// assertionRules tries what RFC 7523 says about the claims of an assertion.
func assertionRules(t *testing.T, k *authkit.Fixture) {
	r := newRobots(t, k)
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	keys := string(must.Get(json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: &key.PublicKey, KeyID: "a"}}}))(t))
	signer, none, err := k.Machines.Add(ctx, r.root, machine.Client{Name: "Signer", Resources: []string{r.prices.ID}, Scopes: []string{"read"}, Keys: keys})
	must.Do(t, err)
	signs := must.Get(jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, nil))(t)
	assertion := func(change func(*jwt.Claims)) string {
		now := k.Clock.Now()
		c := jwt.Claims{Issuer: signer.ID, Subject: signer.ID, Audience: jwt.Audience{k.Config.Issuer}, ID: "1", IssuedAt: jwt.NewNumericDate(now), Expiry: jwt.NewNumericDate(now.Add(time.Minute))}
		change(&c)
		return must.Get(jwt.Signed(signs).Claims(c).Serialize())(t)
	}
	authenticate := func(text string) error {
		return must.Err(k.MachineTokens.AuthenticateByAssertion(ctx, text, k.Config.Issuer, tokenEndpoint))
	}
	at := func(after time.Duration) *jwt.NumericDate { return jwt.NewNumericDate(k.Clock.Now().Add(after)) }
	for name, change := range map[string]func(*jwt.Claims){
		"another issuer": func(c *jwt.Claims) { c.Issuer = "m1" }, "another machine": func(c *jwt.Claims) { c.Issuer, c.Subject = r.robot.ID, r.robot.ID },
		"no subject": func(c *jwt.Claims) { c.Subject = "" }, "another audience": func(c *jwt.Claims) { c.Audience = jwt.Audience{"https://prices.example"} },
		"no audience": func(c *jwt.Claims) { c.Audience = nil }, "no jti": func(c *jwt.Claims) { c.ID = "" }, "no exp": func(c *jwt.Claims) { c.Expiry = nil },
		"expired": func(c *jwt.Claims) { c.Expiry = at(0) }, "valid for a day": func(c *jwt.Claims) { c.Expiry = at(24 * time.Hour) },
		"issued later": func(c *jwt.Claims) { c.IssuedAt = at(time.Minute) }, "not yet": func(c *jwt.Claims) { c.NotBefore = at(time.Minute) },
	} {
		must.Refuse(t, authenticate(assertion(change)), machine.ErrUnknown, name)
	}
	once := assertion(func(*jwt.Claims) {})
	must.Do(t, authenticate(once))
	must.Refuse(t, authenticate(once), machine.ErrUnknown, "used again")
	must.Refuse(t, authenticate(assertion(func(c *jwt.Claims) { c.Audience = jwt.Audience{tokenEndpoint} })), machine.ErrUnknown, "the jti again")
	must.Do(t, authenticate(assertion(func(c *jwt.Claims) { c.ID, c.Audience = "2", jwt.Audience{"x", tokenEndpoint} })))
	must.Refuse(t, must.Err(k.MachineTokens.AuthenticateBySecret(ctx, signer.ID, none)), machine.ErrUnknown, "without a secret")
	_, secret, err := k.Machines.Update(ctx, r.root, signer.ID, func(c *machine.Client) { c.Keys = "" })
	must.Do(t, err)
	must.Refuse(t, authenticate(assertion(func(c *jwt.Claims) { c.ID = "3" })), machine.ErrUnknown, "with keys that were taken away")
	must.Get(k.MachineTokens.AuthenticateBySecret(ctx, signer.ID, secret))(t)
}

package oidcclient

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/text"
)

// clockSkew is how far ahead a provider's clock may be.
const clockSkew = 5 * time.Minute

// openIDClaims verifies the ID token of an answer (OpenID Connect Core, section 3.1.3.7).
func (p *provider) openIDClaims(ctx context.Context, m *metadata, token *oauth2.Token, r identity.Request) (identity.Claims, error) {
	raw, ok := token.Extra("id_token").(string)
	if !ok {
		return identity.Claims{}, errors.New("the answer has no ID token")
	}
	verifier := oidc.NewVerifier(m.Issuer, m.keySet, &oidc.Config{
		ClientID: p.ClientID, SupportedSigningAlgs: m.Algorithms, Now: p.Now, SkipIssuerCheck: m.tenants != nil,
	})
	id, err := verifier.Verify(ctx, raw)
	if err != nil {
		return identity.Claims{}, err
	}
	var all claimSet
	if err := id.Claims(&all); err != nil {
		return identity.Claims{}, err
	}
	if err := p.checkToken(m, id, all, r.Nonce); err != nil {
		return identity.Claims{}, err
	}
	if id.AccessTokenHash != "" {
		if err := id.VerifyAccessToken(token.AccessToken); err != nil {
			return identity.Claims{}, err
		}
	}
	claims := identity.Claims{Subject: p.subject(id, all), Name: all.text("name"), Methods: session.ExternalMethods(all.list("amr"))}
	claims.Email, claims.EmailVerified = all.text("email"), all.flag("email_verified")
	if sid := all.text("sid"); len(sid) <= identity.MaxSubject && text.Storable(sid) {
		claims.SID = sid
	}
	claims.AuthenticatedAt = p.authenticatedAt(all, r.Freshness)
	if claims.Grants, err = p.grants(all); err != nil {
		return identity.Claims{}, err
	}
	if len(all["email"]) == 0 && m.UserInfo != "" {
		err = p.addUserInfo(ctx, m, id.Subject, token, &claims)
	}
	return claims, err
}

// changeable are the claims that an administrator of each tenant chooses freely.
var changeable = []string{"email", "preferred_username", "upn", "name"}

// grants returns what the rules of the provider give for all claims. Of many tenants anybody may own one,
// and claim another's address there.
func (p *provider) grants(all claimSet) (identity.Grants, error) {
	if p.Rules == nil {
		return identity.Grants{}, nil
	}
	if p.ManyTenants {
		all = maps.Clone(all)
		for _, name := range changeable {
			delete(all, name)
		}
	}
	text, err := json.Marshal(all)
	if err != nil {
		return identity.Grants{}, err
	}
	return p.Rules(text), nil
}

// authenticatedAt returns when the person proved who they are. A provider that was asked for a new
// proof and does not say is believed to have complied.
func (p *provider) authenticatedAt(all claimSet, asked identity.Freshness) time.Time {
	now := p.Now()
	switch seconds := all.number("auth_time"); {
	case seconds > 0 && seconds < now.Unix():
		return time.Unix(seconds, 0).UTC()
	case seconds > 0, asked.Asked() && len(all["auth_time"]) == 0:
		return now
	}
	return time.Time{}
}

// checkToken checks what the library leaves to its callers.
func (p *provider) checkToken(m *metadata, id *oidc.IDToken, all claimSet, nonce string) error {
	_, hasParty := all["azp"]
	switch {
	case subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(nonce)) != 1:
		return errors.New("the nonce belongs to another sign-in")
	case hasParty && all.text("azp") != p.ClientID, len(id.Audience) > 1 && !hasParty:
		return fmt.Errorf("the token is for the client %q", all.text("azp"))
	case id.Subject == "" || len(id.Subject) > identity.MaxSubject || !text.Storable(id.Subject):
		return errors.New("the subject is empty, too long or no text")
	case id.IssuedAt.After(p.Now().Add(clockSkew)):
		return errors.New("the token was issued in the future")
	case m.tenants != nil && (!m.isIssuer(id.Issuer) || id.Issuer != strings.Replace(m.Issuer, tenantPlaceholder, all.text("tid"), 1)):
		return fmt.Errorf("the issuer is %q", id.Issuer)
	}
	return nil
}

// subject is unique over all tenants: each of them chooses its own.
func (p *provider) subject(id *oidc.IDToken, all claimSet) string {
	if p.ManyTenants {
		return all.text("tid") + "/" + id.Subject
	}
	return id.Subject
}

// addUserInfo requests the address that the ID token lacks. The answer must be about the same
// person, because the access token could be another person's.
func (p *provider) addUserInfo(ctx context.Context, m *metadata, subject string, token *oauth2.Token, c *identity.Claims) error {
	info, err := m.openID.UserInfo(ctx, oauth2.StaticTokenSource(token))
	if err != nil {
		return fmt.Errorf("userinfo: %w", err)
	}
	if info.Subject != subject {
		return errors.New("userinfo is about another person")
	}
	var all claimSet
	if err := info.Claims(&all); err != nil {
		return fmt.Errorf("userinfo: %w", err)
	}
	c.Email, c.EmailVerified = all.text("email"), all.flag("email_verified")
	if c.Name == "" {
		c.Name = all.text("name")
	}
	return nil
}

// claimSet holds claims by their exact names. encoding/json ignores the case of field names,
// but a claim EMAIL must not replace email. A claim of an unexpected type counts as missing.
type claimSet map[string]json.RawMessage

func (c claimSet) text(name string) (s string) {
	if json.Unmarshal(c[name], &s) != nil {
		return ""
	}
	return s
}

// flag also reads "true", which some providers send.
func (c claimSet) flag(name string) (b bool) {
	if json.Unmarshal(c[name], &b) != nil {
		return c.text(name) == "true"
	}
	return b
}

// number reads an integer, also in the notation of a fraction; 0 without one.
func (c claimSet) number(name string) int64 {
	var n float64
	if json.Unmarshal(c[name], &n) != nil || n < 0 || n > math.MaxInt32*1000 {
		return 0
	}
	return int64(n)
}

func (c claimSet) list(name string) (all []string) {
	if json.Unmarshal(c[name], &all) != nil {
		return nil
	}
	return all
}

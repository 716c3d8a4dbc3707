package oidcclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"

	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/text"
)

const (
	logoutEvent = "http://schemas.openid.net/event/backchannel-logout"
	// logoutAge is how old a logout token may be. A used one is remembered for longer.
	logoutAge = 10 * time.Minute
)

// VerifyLogout implements external.LogoutVerifier (OpenID Connect Back-Channel Logout, section 2.6).
func (c *Client) VerifyLogout(ctx context.Context, name, token string) (identity.LogoutNotice, error) {
	p, err := c.provider(name)
	if err != nil {
		return identity.LogoutNotice{}, err
	}
	if p.Protocol != OpenID {
		return identity.LogoutNotice{}, identity.ErrUnknownProvider
	}
	m, err := p.discover(ctx)
	if err != nil {
		return identity.LogoutNotice{}, because(identity.ErrUnreachable, err)
	}
	// Early providers give logout tokens no time of expiry; their age is bounded in any case.
	verifier := oidc.NewVerifier(m.Issuer, m.keySet, &oidc.Config{
		ClientID: p.ClientID, SupportedSigningAlgs: m.Algorithms, Now: p.Now, SkipIssuerCheck: m.tenants != nil, SkipExpiryCheck: true,
	})
	id, err := verifier.Verify(ctx, token)
	if err != nil {
		return identity.LogoutNotice{}, because(identity.ErrLogoutInvalid, err)
	}
	var all claimSet
	if err := id.Claims(&all); err != nil {
		return identity.LogoutNotice{}, because(identity.ErrLogoutInvalid, err)
	}
	notice := identity.LogoutNotice{ID: all.text("jti"), Session: all.text("sid")}
	if id.Subject != "" {
		notice.Subject = p.subject(id, all)
	}
	if err := p.checkLogout(m, id, all, notice); err != nil {
		return identity.LogoutNotice{}, because(identity.ErrLogoutInvalid, err)
	}
	return notice, nil
}

// checkLogout checks what the library does not know of logout tokens. An ID token has no events, and a
// logout token no nonce, so that neither passes as the other.
func (p *provider) checkLogout(m *metadata, id *oidc.IDToken, all claimSet, n identity.LogoutNotice) error {
	var events map[string]json.RawMessage
	_ = json.Unmarshal(all["events"], &events)
	var event map[string]json.RawMessage
	now := p.Now()
	_, hasNonce := all["nonce"]
	_, hasExpiry := all["exp"]
	switch {
	case json.Unmarshal(events[logoutEvent], &event) != nil || event == nil:
		return errors.New("the token is not about a logout")
	case hasNonce:
		return errors.New("the token has a nonce")
	case n.ID == "" || len(n.ID) > identity.MaxSubject:
		return errors.New("the token has no jti")
	case n.Subject == "" && n.Session == "":
		return errors.New("the token names neither a person nor a session")
	case len(n.Subject) > identity.MaxSubject || !text.Storable(n.Subject) || !text.Storable(n.Session):
		return errors.New("the subject or session cannot be one of ours")
	case all.number("iat") == 0 || id.IssuedAt.After(now.Add(clockSkew)) || now.Sub(id.IssuedAt) > logoutAge:
		return fmt.Errorf("the token was issued at %s", id.IssuedAt)
	case hasExpiry && !now.Before(id.Expiry.Add(clockSkew)):
		return errors.New("the token has expired")
	case m.tenants != nil && !m.isIssuer(id.Issuer):
		return fmt.Errorf("the issuer is %q", id.Issuer)
	}
	return nil
}

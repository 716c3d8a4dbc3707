package authkit

import (
	"context"
	"strings"
	"sync"
	"time"

	"github.com/octavo-books/octavo/domain/identity"
)

// Providers are the services for external sign-ins in tests: one whose email addresses are
// trusted, one whose addresses are not, and one for students only.
func Providers() []identity.Provider {
	return []identity.Provider{
		{Name: "trusted", Label: "Trusted Inc", TrustEmail: true},
		{Name: "doubtful", Label: "Doubtful Ltd"},
		{Name: "campus", Label: "The Campus", TrustEmail: true, Domains: []string{"campus.edu", "*.campus.edu"}},
	}
}

// ProviderClient implements external.ProviderClient: a code is redeemed for the claims that the test
// has put under it, once.
type ProviderClient struct {
	mu     sync.Mutex
	claims map[string]identity.Claims
	// Refusal is the error of every call; nil for none.
	Refusal error
	// Asked is the newest request for an address.
	Asked identity.Request
	// Redeemed are the requests whose codes were redeemed.
	Redeemed []identity.Request
	// Now is the clock of the providers.
	Now func() time.Time
}

func newProviderClient(now func() time.Time) *ProviderClient {
	return &ProviderClient{claims: map[string]identity.Claims{}, Now: now}
}

// Put lets a code be redeemed for claims, once.
func (e *ProviderClient) Put(code string, c identity.Claims) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.claims[code] = c
}

// AuthorizationURL implements external.ProviderClient.
func (e *ProviderClient) AuthorizationURL(_ context.Context, provider string, r identity.Request) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.Asked = r
	return "https://" + provider + ".example/authorize?state=" + r.State, e.Refusal
}

// RedeemCode implements external.ProviderClient.
func (e *ProviderClient) RedeemCode(_ context.Context, _ string, r identity.Request, a identity.Answer) (identity.Claims, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	c, ok := e.claims[a.Code]
	switch {
	case e.Refusal != nil:
		return c, e.Refusal
	case a.Error != "":
		return c, identity.ErrCancelled
	case !ok:
		return c, identity.ErrAnswerInvalid
	}
	delete(e.claims, a.Code)
	if c.AuthenticatedAt.IsZero() && r.Asked() {
		c.AuthenticatedAt = e.Now()
	}
	e.Redeemed = append(e.Redeemed, r)
	return c, nil
}

// VerifyLogout implements external.LogoutVerifier: a token is a notice as ID, subject and session with commas.
func (e *ProviderClient) VerifyLogout(_ context.Context, _, token string) (identity.LogoutNotice, error) {
	parts := strings.Split(token, ",")
	if len(parts) != 3 {
		return identity.LogoutNotice{}, identity.ErrLogoutInvalid
	}
	return identity.LogoutNotice{ID: parts[0], Subject: parts[1], Session: parts[2]}, nil
}

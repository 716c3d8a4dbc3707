package authkit

import (
	"context"
	"sync"

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

// ProviderClient implements auth.ProviderClient: a code is redeemed for the claims that the test
// has put under it, once.
type ProviderClient struct {
	mu     sync.Mutex
	claims map[string]identity.Claims
	// Refusal is the error of every call; nil for none.
	Refusal error
	// Redeemed are the requests whose codes were redeemed.
	Redeemed []identity.Request
}

func newProviderClient() *ProviderClient {
	return &ProviderClient{claims: map[string]identity.Claims{}}
}

// Put lets a code be redeemed for claims, once.
func (e *ProviderClient) Put(code string, c identity.Claims) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.claims[code] = c
}

// AuthorizationURL implements auth.ProviderClient.
func (e *ProviderClient) AuthorizationURL(_ context.Context, provider string, r identity.Request) (string, error) {
	return "https://" + provider + ".example/authorize?state=" + r.State, e.Refusal
}

// RedeemCode implements auth.ProviderClient.
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
	e.Redeemed = append(e.Redeemed, r)
	return c, nil
}

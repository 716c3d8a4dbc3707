package authkit

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/octavo-books/octavo/application/auth/provider"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/user"
)

// IDTokens stores claims under a number instead of signing them. Its tokens are as long as roles and groups make real ones.
type IDTokens struct {
	mu     sync.Mutex
	claims []provider.IDClaims
	// Logouts are the logout tokens that were signed, oldest first.
	Logouts []provider.LogoutClaims
}

// Algorithms implements provider.IDTokens.
func (t *IDTokens) Algorithms() ([]string, error) { return []string{openid.RS256, openid.ES512}, nil }

// SignIDToken implements provider.IDTokens.
func (t *IDTokens) SignIDToken(c provider.IDClaims, algorithm string) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.claims = append(t.claims, c)
	return algorithm + "-" + strconv.Itoa(len(t.claims)-1) + "-" + strings.Join(slices.Concat(c.About.Roles, c.About.Groups), ","), nil
}

// SignLogoutToken implements provider.IDTokens.
func (t *IDTokens) SignLogoutToken(c provider.LogoutClaims, algorithm string) (string, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Logouts = append(t.Logouts, c)
	return algorithm + " logout " + c.ID, nil
}

// VerifyIDToken implements provider.IDTokens.
func (t *IDTokens) VerifyIDToken(token string) (provider.IDClaims, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, number, _ := strings.Cut(token, "-")
	number, _, _ = strings.Cut(number, "-")
	n, err := strconv.Atoi(number)
	if err != nil || n < 0 || n >= len(t.claims) {
		return provider.IDClaims{}, user.ErrUnauthenticated
	}
	return t.claims[n], nil
}

package oidcclient

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

// metadata is what discovery says about a provider (OpenID Connect Discovery, section 3;
// RFC 8414).
type metadata struct {
	Issuer        string   `json:"issuer"`
	Authorization string   `json:"authorization_endpoint"`
	Token         string   `json:"token_endpoint"`
	Keys          string   `json:"jwks_uri"`
	UserInfo      string   `json:"userinfo_endpoint"`
	Algorithms    []string `json:"id_token_signing_alg_values_supported"`
	AuthMethods   []string `json:"token_endpoint_auth_methods_supported"`
	IssParameter  bool     `json:"authorization_response_iss_parameter_supported"`

	openID  *oidc.Provider
	keySet  *oidc.RemoteKeySet
	tenants *regexp.Regexp // matches the issuers of all tenants; nil for one issuer
	until   time.Time      // when to request it again
}

// cache holds the newest metadata of a provider.
type cache struct {
	turn    chan struct{} // held while the fields are used
	known   *metadata
	failed  error
	retryAt time.Time
}

func newCache() cache { return cache{turn: make(chan struct{}, 1)} }

const (
	metadataLifetime = time.Hour       // keys that a provider has withdrawn are not used for longer
	retryAfter       = 2 * time.Second // after a failure; until then nobody waits for another one
	attempts         = 2
)

// discover returns the metadata. It requests them once an hour, for one caller at a time.
// While the provider is down, the previous metadata stay in use.
func (p *provider) discover(ctx context.Context) (*metadata, error) {
	if p.Protocol == GitHub {
		return p.gitHub(), nil
	}
	select {
	case p.turn <- struct{}{}:
		defer func() { <-p.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	now := p.Now()
	if p.known != nil && now.Before(p.known.until) {
		return p.known, nil
	}
	if !now.Before(p.retryAt) {
		found, err := p.fetch(ctx)
		if err == nil {
			found.until = now.Add(metadataLifetime)
			p.known = found
			return found, nil
		}
		p.failed, p.retryAt = err, p.Now().Add(retryAfter)
	}
	if p.known != nil {
		return p.known, nil
	}
	return nil, p.failed
}

// fetch tries again at once after a broken connection.
func (p *provider) fetch(ctx context.Context) (m *metadata, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), requestTimeout) // others wait for it too
	defer cancel()
	for range attempts {
		var network *url.Error
		if m, err = p.fetchOnce(ctx); err == nil || !errors.As(err, &network) || ctx.Err() != nil {
			break
		}
	}
	return m, err
}

func (p *provider) fetchOnce(ctx context.Context) (*metadata, error) {
	body, err := p.get(ctx, strings.TrimSuffix(p.Issuer, "/")+"/.well-known/openid-configuration", "")
	if err != nil {
		return nil, fmt.Errorf("discovery: %w", err)
	}
	m := &metadata{}
	if err := json.Unmarshal(body, m); err != nil {
		return nil, fmt.Errorf("discovery: it is not JSON: %w", err)
	}
	if err := p.check(m); err != nil {
		return nil, fmt.Errorf("discovery: %w", err)
	}
	withClient := oidc.ClientContext(context.WithoutCancel(ctx), p.http)
	m.keySet = oidc.NewRemoteKeySet(withClient, m.Keys)
	m.openID = (&oidc.ProviderConfig{
		IssuerURL: m.Issuer, AuthURL: m.Authorization, TokenURL: m.Token, UserInfoURL: m.UserInfo, JWKSURL: m.Keys,
		Algorithms: m.Algorithms,
	}).NewProvider(withClient)
	return m, nil
}

// errServer marks an answer with a 5xx status.
var errServer = errors.New("the provider has failed")

// get returns the body of a successful answer to a request with an optional bearer token.
func (p *provider) get(ctx context.Context, address, token string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	resp, err := p.http.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	switch {
	case resp.StatusCode >= http.StatusInternalServerError:
		return nil, fmt.Errorf("%w: %s answers %s", errServer, req.URL.Path, resp.Status)
	case resp.StatusCode != http.StatusOK:
		return nil, fmt.Errorf("%s answers %s", req.URL.Path, resp.Status)
	}
	return io.ReadAll(resp.Body)
}

// algorithms are the accepted signatures, all of which have public keys. With HS256, an
// attacker could use the published key as the shared secret.
var algorithms = []string{
	oidc.RS256, oidc.RS384, oidc.RS512, oidc.ES256, oidc.ES384, oidc.ES512, oidc.PS256, oidc.PS384, oidc.PS512, oidc.EdDSA,
}

// check refuses metadata of another issuer, and addresses and signatures that are not
// allowed.
func (p *provider) check(m *metadata) error {
	want := p.Issuer
	if p.ManyTenants {
		want = tenantPattern(p.Issuer)
		m.tenants = regexp.MustCompile(
			"^" + strings.Replace(regexp.QuoteMeta(want), regexp.QuoteMeta(tenantPlaceholder), tenantID, 1) + "$",
		)
	}
	if m.Issuer != want {
		if strings.Contains(m.Issuer, tenantPlaceholder) {
			return fmt.Errorf("%s stands for many tenants; name the issuer of one, or use preset: microsoft", p.Issuer)
		}
		return fmt.Errorf("the issuer is %.100q, not %s", m.Issuer, want)
	}
	for name, address := range map[string]string{"authorization_endpoint": m.Authorization, "token_endpoint": m.Token, "jwks_uri": m.Keys} {
		if err := CheckAddress(address, p.Development); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if m.UserInfo != "" {
		if err := CheckAddress(m.UserInfo, p.Development); err != nil {
			return fmt.Errorf("userinfo_endpoint: %w", err)
		}
	}
	if len(m.Algorithms) == 0 {
		m.Algorithms = []string{oidc.RS256} // which every provider must support
	}
	m.Algorithms = slices.DeleteFunc(m.Algorithms, func(a string) bool { return !slices.Contains(algorithms, a) })
	if len(m.Algorithms) == 0 {
		return errors.New("the provider signs ID tokens with no algorithm that has a public key")
	}
	return nil
}

const (
	tenantPlaceholder = "{tenantid}"
	tenantID          = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
)

// tenantPattern is what Microsoft's discovery gives as the issuer of many tenants:
// https://login.microsoftonline.com/common/v2.0 becomes
// https://login.microsoftonline.com/{tenantid}/v2.0.
func tenantPattern(issuer string) string {
	parts := strings.Split(issuer, "/")
	if len(parts) < 2 {
		return issuer
	}
	parts[len(parts)-2] = tenantPlaceholder
	return strings.Join(parts, "/")
}

// isIssuer reports whether an issuer is the provider, or one of its tenants.
func (m *metadata) isIssuer(issuer string) bool {
	if m.tenants != nil {
		return m.tenants.MatchString(issuer)
	}
	return issuer == m.Issuer
}

package graph

import (
	"math"
	"time"

	"github.com/octavo-books/octavo/adapters/graph/graphgen"
	"github.com/octavo-books/octavo/domain/openid"
)

func toClient(c openid.Client) graphgen.Client {
	out := graphgen.Client{
		ID: c.ID, Name: c.Name, RedirectUris: orEmpty(c.RedirectURIs), PostLogoutRedirectUris: orEmpty(c.PostLogoutRedirectURIs),
		Public: c.Public, FirstParty: c.FirstParty, Pkce: c.DemandsPKCE(), RequireAcr: orNull(c.RequireACR), IDTokenAlg: c.IDTokenAlg,
		BackchannelLogoutURI: orNull(c.BackchannelLogoutURI), FrontchannelLogoutURI: orNull(c.FrontchannelLogoutURI),
		LogoURI: orNull(c.LogoURI), PolicyURI: orNull(c.PolicyURI), TermsURI: orNull(c.TermsURI), CreatedAt: toTime(c.CreatedAt),
	}
	out.AccessLifetime, out.SessionLifetime = toSeconds(c.AccessLifetime), toSeconds(c.SessionLifetime)
	out.PreviousSecretUntil = orNever(c.PreviousSecretUntil)
	return out
}

// toSeconds returns null for no duration.
func toSeconds(d time.Duration) *int {
	if d == 0 {
		return nil
	}
	n := int(d / time.Second)
	return &n
}

// seconds returns a duration of so many seconds, or the longest one, which every use case refuses, in place of one that
// no number can hold.
func seconds(n int) time.Duration {
	if int64(n) > int64(math.MaxInt64/time.Second) {
		return math.MaxInt64
	}
	return max(time.Duration(n), math.MinInt64/time.Second) * time.Second
}

func toClientPayload(c openid.Client, secret string, err error) (*graphgen.ClientPayload, error) {
	if err != nil {
		return nil, err
	}
	shown := toClient(c)
	return &graphgen.ClientPayload{Client: &shown, Secret: orNull(secret)}, nil
}

// orEmpty returns a list that is not null.
func orEmpty(all []string) []string {
	if all == nil {
		return []string{}
	}
	return all
}

// applyInput sets what was given.
func applyInput(in graphgen.ClientInput, c *openid.Client) {
	if in.RedirectUris != nil {
		c.RedirectURIs = in.RedirectUris
	}
	if in.PostLogoutRedirectUris != nil {
		c.PostLogoutRedirectURIs = in.PostLogoutRedirectUris
	}
	c.Name, c.IDTokenAlg, c.RequireACR = orDefault(in.Name, c.Name), orDefault(in.IDTokenAlg, c.IDTokenAlg),
		orDefault(in.RequireAcr, c.RequireACR)
	c.Public, c.FirstParty, c.PKCEOptional = orDefault(in.Public, c.Public), orDefault(in.FirstParty, c.FirstParty),
		!orDefault(in.Pkce, !c.PKCEOptional)
	if in.AccessLifetime != nil {
		c.AccessLifetime = seconds(*in.AccessLifetime)
	}
	if in.SessionLifetime != nil {
		c.SessionLifetime = seconds(*in.SessionLifetime)
	}
	c.BackchannelLogoutURI = orDefault(in.BackchannelLogoutURI, c.BackchannelLogoutURI)
	c.FrontchannelLogoutURI = orDefault(in.FrontchannelLogoutURI, c.FrontchannelLogoutURI)
	c.LogoURI, c.PolicyURI, c.TermsURI = orDefault(in.LogoURI, c.LogoURI), orDefault(in.PolicyURI, c.PolicyURI),
		orDefault(in.TermsURI, c.TermsURI)
}

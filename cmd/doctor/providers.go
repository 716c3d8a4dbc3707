package doctor

import (
	"context"
	"sync"
	"time"

	"github.com/octavo-books/octavo/adapters/oidcclient"
	"github.com/octavo-books/octavo/adapters/providerfile"
	"github.com/octavo-books/octavo/cmd/config"
)

// providerTimeout is below checkTimeout, so that each provider gets its own finding.
const providerTimeout = 5 * time.Second

// checkProviders requests the discovery document of each provider of external sign-ins.
func checkProviders(ctx context.Context, s *config.Settings, parts config.Components) []finding {
	if !parts.Identity() || s.Identity.OIDCProviders == "" {
		return nil
	}
	all, err := s.IdentityProviders()
	if err != nil {
		return []finding{failed("sign-in providers", err, "check OIDC_PROVIDERS and its file")}
	}
	found := []finding{passed("sign-in providers", "%d in %s", len(all), s.Identity.OIDCProviders)}
	if providerfile.ReadableByOthers(s.Identity.OIDCProviders) {
		found = append(found, warn("sign-in providers", "other users of this machine can read the secrets in the file", "chmod o= "+s.Identity.OIDCProviders))
	}
	clients := config.OIDCProviders(all)
	client, err := oidcclient.New(clients, oidcclient.Options{
		BaseURL: s.Server.BaseURL, Agent: "Octavo/" + config.Version(), Development: !s.Production(), Now: time.Now,
	})
	if err != nil {
		return append(found, failed("sign-in providers", err, "check OIDC_PROVIDERS and its file"))
	}
	defer client.Close()
	results := make([]finding, len(all))
	var wg sync.WaitGroup
	for i, p := range all {
		wg.Go(func() { results[i] = checkProvider(ctx, client, p, s.Server.BaseURL) })
	}
	wg.Wait()
	return append(found, results...)
}

// checkProvider only warns, because people can still sign in in other ways.
func checkProvider(ctx context.Context, client *oidcclient.Client, p providerfile.Provider, base string) finding {
	ctx, cancel := context.WithTimeout(ctx, providerTimeout)
	defer cancel()
	name := "sign-in with " + p.Name
	if err := client.CheckProvider(ctx, p.Name); err != nil {
		return warn(name, config.OneLine(err), "check the issuer, and that this machine can reach it; until then nobody can sign in with it")
	}
	return passed(name, "%s; redirect URI: %s/auth/oidc/%s/callback", p.Issuer, base, p.Name)
}

package doctor

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/octavo-books/octavo/adapters/providerfile"
	"github.com/octavo-books/octavo/adapters/samlsp"
	"github.com/octavo-books/octavo/cmd/config"
)

// checkSAMLProviders loads the metadata of each provider of SAML_PROVIDERS.
func checkSAMLProviders(ctx context.Context, s *config.Settings, parts config.Components) []finding {
	if !parts.Identity() || s.Identity.SAMLProviders == "" {
		return nil
	}
	const name, advice = "SAML providers", "check SAML_PROVIDERS and its file"
	all, err := s.SignInServices()
	if err != nil {
		return []finding{failed(name, err, advice)}
	}
	client, err := s.NewSAMLClient(all.SAML, time.Now, slog.New(slog.DiscardHandler))
	if err != nil {
		return []finding{failed(name, err, advice)}
	}
	defer client.Close()
	results := make([]finding, len(all.SAML))
	var wg sync.WaitGroup
	for i, p := range all.SAML {
		wg.Go(func() { results[i] = checkSAMLProvider(ctx, client, p, s.Server.BaseURL) })
	}
	wg.Wait()
	return append([]finding{passed(name, "%d in %s", len(all.SAML), s.Identity.SAMLProviders)}, results...)
}

// checkSAMLProvider only warns, because people can still sign in in other ways.
func checkSAMLProvider(ctx context.Context, client *samlsp.Client, p providerfile.SAMLProvider, base string) finding {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout-time.Second)
	defer cancel()
	name := "sign-in with " + p.Name
	described, err := client.CheckProvider(ctx, p.Name)
	if err != nil {
		return warn(name, config.OneLine(err), "check the metadata, and that this machine can reach them; until then nobody can sign in with it")
	}
	return passed(name, "%s; metadata for its operator: %s/auth/saml/%s/metadata", described, base, p.Name)
}

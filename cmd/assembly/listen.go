package assembly

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/adapters/inspector"
	"github.com/octavo-books/octavo/cmd/config"
)

// listen opens the port before anything else is created, so that a port in use is the
// first error, and derives the addresses that depend on it.
func listen(ctx context.Context, s *config.Settings) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(s.Server.Host, strconv.Itoa(s.Server.Port)))
	switch {
	case errors.Is(err, fs.ErrPermission): // a restart does not change what the user may do
		return nil, config.Errorf("HOST, PORT", "cannot listen: %v", err)
	case err != nil:
		return nil, fmt.Errorf("HOST, PORT: cannot listen: %w", err)
	}
	s.DeriveAddresses(l.Addr())
	return l, nil
}

// printDevelopment warns in the first line of the output, because an image or a service that
// was started without OCTAVO_ENV may be reachable from any network. A start that fails prints
// only its error.
func printDevelopment(out io.Writer, s config.Settings) {
	if !s.Production() {
		_, _ = fmt.Fprintln(out, "Octavo runs in development. Set OCTAVO_ENV=production before others can reach it.")
	}
}

// printSources prints the address of each source of webhooks, of a few if there are many.
func printSources(out io.Writer, s config.Settings) {
	const few = 10
	sources, _ := s.WebhookSources() // without an error: they were read to serve them
	for _, source := range sources[:min(few, len(sources))] {
		_, _ = fmt.Fprintf(out, "  %-13s %s%s\n", " from "+source.Name, s.Server.BaseURL, source.Path)
	}
	if more := len(sources) - few; more > 0 {
		_, _ = fmt.Fprintf(out, "  %-13s %d more sources\n", " and", more)
	}
}

// printProviders prints at which services people may also sign in.
func printProviders(out io.Writer, s config.Settings) {
	providers, _ := s.IdentityProviders() // without an error: they were read to serve them
	if len(providers) == 0 {
		return
	}
	labels := make([]string, len(providers))
	for i, p := range providers {
		labels[i] = p.Label
	}
	_, _ = fmt.Fprintf(out, "  %-13s %s\n", "sign-in with", strings.Join(labels, ", "))
}

// printBanner prints the addresses to visit next.
func printBanner(out io.Writer, s config.Settings, parts config.Components, l net.Listener) {
	base, own := s.Server.BaseURL, "http://"+s.LocalAddress(l.Addr())
	_, _ = fmt.Fprintf(out, "Octavo serves %s. Listening on %s\n", parts, own)
	lines := []struct {
		on         bool
		what, path string
	}{
		{parts.Market, "marketplace", "/"},
		{parts.Market, "its JSON API", "/api/docs"},
		{parts.Auth, "auth service", "/graphql"},
		{parts.Auth && !parts.Market, "sign-in page", "/login"},
		{parts.Webhooks, "webhooks", s.Webhooks.Path},
		{parts.Webhooks && (parts.Identity() || s.Webhooks.APIToken != "" || !s.Production()), "deliveries", inspector.Base},
		{parts.Identity() && s.DevMailbox(), "mails sent", "/dev/mail"},
		{parts.Identity() && !s.Production(), "documentation", docsPath},
	}
	for _, l := range lines {
		if l.on {
			_, _ = fmt.Fprintf(out, "  %-13s %s%s\n", l.what, base, l.path)
		}
		if l.on && l.what == "webhooks" {
			printSources(out, s)
		}
	}
	if parts.Identity() {
		printProviders(out, s)
	}
	_, _ = fmt.Fprintf(out, "  %-13s %s/readyz\n", "readiness", own) // of this replica: a balancer would pick any
}

// Package banner prints what a started program serves.
package banner

import (
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/octavo-books/octavo/adapters/inspector"
	"github.com/octavo-books/octavo/cmd/config"
)

// PrintDevelopment warns in the first line of the output, because an image or a service that
// was started without OCTAVO_ENV may be reachable from any network. A start that fails prints
// only its error.
func PrintDevelopment(s *config.Settings, out io.Writer) {
	if !s.Production() {
		_, _ = fmt.Fprintln(out, "Octavo runs in development. Set OCTAVO_ENV=production before others can reach it.")
	}
}

// printSources prints the address of each source of webhooks, of a few if there are many.
func printSources(s *config.Settings, out io.Writer) {
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
func printProviders(s *config.Settings, out io.Writer) {
	all, _ := s.SignInServices() // without an error: they were read to serve them
	if len(all.Rules()) == 0 {
		return
	}
	var labels []string
	for _, p := range all.Rules() {
		labels = append(labels, p.Label)
	}
	_, _ = fmt.Fprintf(out, "  %-13s %s\n", "sign-in with", strings.Join(labels, ", "))
}

// Print prints the addresses to visit next.
func Print(s *config.Settings, out io.Writer, parts config.Components, at net.Addr) {
	base, own := s.Server.BaseURL, "http://"+s.LocalAddress(at)
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
		{parts.Identity() && !s.Production(), "documentation", config.DocsPath},
	}
	for _, l := range lines {
		if l.on {
			_, _ = fmt.Fprintf(out, "  %-13s %s%s\n", l.what, base, l.path)
		}
		if l.on && l.what == "webhooks" {
			printSources(s, out)
		}
	}
	if parts.Identity() {
		printProviders(s, out)
	}
	_, _ = fmt.Fprintf(out, "  %-13s %s/readyz\n", "readiness", own) // of this replica: a balancer would pick any
}

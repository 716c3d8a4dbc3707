package config

import (
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/octavo-books/octavo/adapters/inspector"
	"github.com/octavo-books/octavo/adapters/web"
)

// DocsPath is the path of the documentation, which development serves.
const DocsPath = "/docs"

// PrintDevelopment warns in the first line of the output, because an image or a service that
// was started without OCTAVO_ENV may be reachable from any network. A start that fails prints
// only its error.
func (s *Settings) PrintDevelopment(out io.Writer) {
	if !s.Production() {
		_, _ = fmt.Fprintln(out, "Octavo runs in development. Set OCTAVO_ENV=production before others can reach it.")
	}
}

// printSources prints the address of each source of webhooks, of a few if there are many.
func (s *Settings) printSources(out io.Writer) {
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
func (s *Settings) printProviders(out io.Writer) {
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

// PrintBanner prints the addresses to visit next.
func (s *Settings) PrintBanner(out io.Writer, parts Components, at net.Addr) {
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
		{parts.Identity() && !s.Production(), "documentation", DocsPath},
	}
	for _, l := range lines {
		if l.on {
			_, _ = fmt.Fprintf(out, "  %-13s %s%s\n", l.what, base, l.path)
		}
		if l.on && l.what == "webhooks" {
			s.printSources(out)
		}
	}
	if parts.Identity() {
		s.printProviders(out)
	}
	_, _ = fmt.Fprintf(out, "  %-13s %s/readyz\n", "readiness", own) // of this replica: a balancer would pick any
}

// HomeLinks returns the links of the home page to other interfaces.
func (s *Settings) HomeLinks(parts Components) []web.Link {
	var links []web.Link
	if parts.Market {
		links = append(links, web.Link{Path: "/api/docs", Name: "JSON API", About: "all operations of the marketplace"})
	}
	if parts.Auth && !s.Production() {
		links = append(links, web.Link{Path: "/graphql", Name: "Auth service", About: "try its GraphQL queries in the browser"})
	}
	if parts.Webhooks && parts.Market && !s.Production() {
		links = append(links, web.Link{Path: inspector.Base, Name: "Webhooks", About: "deliveries and their outcomes, for admins"})
	}
	if !s.Production() {
		links = append(links, web.Link{Path: DocsPath, Name: "Documentation", About: "guides and recipes for this version"})
	}
	if s.DevMailbox() {
		links = append(links, web.Link{Path: "/dev/mail", Name: "Mailbox", About: "all emails sent in development"})
	}
	return links
}

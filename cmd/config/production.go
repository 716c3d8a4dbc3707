package config

import (
	"net"
	"net/netip"
	"net/url"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/publicsuffix"
)

// checkProduction returns an error for everything that is insecure in production.
func (s *Settings) checkProduction() error {
	var errs []error
	if s.Server.BaseURL == "" {
		errs = append(errs, Errorf("BASE_URL", "production needs the address that people use, such as https://books.example.edu"))
	}
	return Together(append(errs, s.checkTokens(), s.checkOpenProxies(), s.checkClearText(), s.checkCookieScope())...)
}

// shortestToken is the minimum length of a bearer token in production.
const shortestToken = 16

func (s *Settings) checkTokens() error {
	var errs []error
	for _, token := range []struct{ name, value string }{
		{"METRICS_TOKEN", s.Monitoring.MetricsToken}, {"WEBHOOK_API_TOKEN", s.Webhooks.APIToken}, {"SCIM_TOKEN", s.Identity.SCIMToken},
	} {
		if token.value != "" && utf8.RuneCountInString(token.value) < shortestToken {
			errs = append(errs, Errorf(token.name, "production needs at least %d characters; `openssl rand -hex 32` makes a good one", shortestToken))
		}
	}
	return Together(errs...)
}

// widestNetwork is the shortest mask of a network that one operator can have: 10.0.0.0/8.
const widestNetwork = 8

// checkOpenProxies refuses networks so wide that clients are in them: each could choose its own
// address, and with it its limits.
func (s *Settings) checkOpenProxies() error {
	all, _ := s.Proxies() // Validate reports the error
	for _, p := range all {
		bits := p.Bits()
		if p.Addr().Is4In6() {
			bits -= 96
		}
		if bits < widestNetwork && p.Masked() != uniqueLocal {
			return Errorf("TRUSTED_PROXIES", "%s has clients in it, who could then claim any address: name the network of the load balancer, such as 10.0.0.0/16", p)
		}
	}
	return nil
}

// uniqueLocal are all private addresses of IPv6.
var uniqueLocal = netip.MustParsePrefix("fc00::/7")

// checkCookieScope refuses cookies that browsers would drop, or send where they should not.
func (s *Settings) checkCookieScope() error {
	var errs []error
	if s.Server.CookieSameSite == "none" && len(s.Server.AllowedOrigins) == 0 {
		errs = append(errs, Errorf("COOKIE_SAMESITE", "none sends cookies along from every site; it is for the pages of ALLOWED_ORIGINS, which is not set"))
	}
	base, err := url.Parse(s.Server.BaseURL)
	domain := strings.ToLower(strings.TrimPrefix(s.Server.CookieDomain, "."))
	if s.Server.CookieDomain == "" || err != nil {
		return Together(errs...)
	}
	host := strings.ToLower(base.Hostname())
	suffix, _ := publicsuffix.PublicSuffix(domain)
	switch {
	case domain == suffix:
		errs = append(errs, Errorf("COOKIE_DOMAIN", "%s is a public suffix: browsers drop such cookies", s.Server.CookieDomain))
	case net.ParseIP(host) != nil, host != "" && host != domain && !strings.HasSuffix(host, "."+domain):
		errs = append(errs, Errorf("COOKIE_DOMAIN", "%s does not contain %s, the host of BASE_URL: browsers drop such cookies", s.Server.CookieDomain, host))
	}
	return Together(errs...)
}

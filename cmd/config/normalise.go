package config

import (
	"net/netip"
	"slices"
	"strings"
)

// Normalise brings values into the form that the rest of the program expects: without the blanks
// around the elements of lists, without the brackets of an IPv6 address, and one of a few words
// in small letters.
func (s *Settings) Normalise() {
	v := &s.Server
	for _, list := range []*[]string{&v.AllowedOrigins, &v.TrustedProxies, &v.AllowInsecure, &s.Limits.Mails} {
		*list = withoutBlanks(*list)
	}
	v.Host = withoutBrackets(strings.TrimSpace(v.Host))
	for _, word := range []*string{
		&v.Env, &v.HTTPS, &v.CookieSecure, &v.CookieSameSite, &v.CachePurgeFormat, &s.Identity.Require2FA, &s.Identity.AdminScope,
		&s.Market.Handover, &s.Monitoring.LogLevel, &s.Monitoring.LogFormat,
		&s.Monitoring.LogAddresses, &s.Webhooks.Sender, &s.Webhooks.Events,
	} {
		*word = strings.ToLower(strings.TrimSpace(*word))
	}
	v.Domain = strings.ToLower(strings.TrimSuffix(strings.TrimSpace(v.Domain), "."))
	for i, name := range v.AllowInsecure {
		v.AllowInsecure[i] = strings.ToLower(name)
	}
}

func withoutBlanks(list []string) []string {
	var all []string
	for _, one := range list {
		if one = strings.TrimSpace(one); one != "" {
			all = append(all, one)
		}
	}
	return slices.Clip(all)
}

// withoutBrackets returns the address in [::1], as URLs write it.
func withoutBrackets(host string) string {
	inside, closed := strings.CutSuffix(strings.TrimPrefix(host, "["), "]")
	if a, err := netip.ParseAddr(inside); closed && err == nil && a.Is6() && "["+inside+"]" == host {
		return inside
	}
	return host
}

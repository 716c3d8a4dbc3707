package config

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/mail"
)

// insecureNames are the values of ALLOW_INSECURE.
var insecureNames = []string{"smtp", "redis", "postgres", "queue", "purge", "origins", "invites"}

// connection is a setting that names hosts.
type connection struct {
	name, setting string   // of ALLOW_INSECURE, and of the setting
	hosts         []string // with which it talks in clear text
	remedy        string
}

// checkClearText refuses connections to other networks that everybody on the way can read,
// unless ALLOW_INSECURE names them.
func (s *Settings) checkClearText() error {
	var errs []error
	for _, c := range s.connections() {
		far := slices.IndexFunc(c.hosts, func(host string) bool { return !IsNearby(host) })
		if far < 0 || slices.Contains(s.Server.AllowInsecure, c.name) {
			continue
		}
		errs = append(errs, Errorf(c.setting, "production refuses clear text to %s: %s, or set ALLOW_INSECURE=%s if the network between is yours", c.hosts[far], c.remedy, c.name))
	}
	return Together(errs...)
}

func (s *Settings) connections() []connection {
	st := &s.Storage
	const tls = "use sslmode=verify-full, or at least sslmode=require"
	return []connection{
		{"smtp", "SMTP_URL", s.clearTextMail(), "leave out tls=optional and tls=off, or use smtps://"},
		{"redis", "REDIS_URL", clearTextHosts(st.RedisURL, "redis"), "use rediss://"},
		{"queue", "QUEUE_URL", clearTextHosts(st.QueueURL, "redis", "nats"), "use rediss:// or tls://"},
		{"postgres", "DATABASE_URL", gormstore.ClearTextHosts(st.DatabaseURL), tls},
		{"postgres", "DATABASE_DIRECT_URL", gormstore.ClearTextHosts(st.DatabaseDirectURL), tls},
		{"postgres", "DATABASE_READ_URL", gormstore.ClearTextHosts(st.DatabaseReadURL), tls},
		{"purge", "CACHE_PURGE_URL", clearTextHosts(s.Server.CachePurgeURL, "http"), "use https://"},
		{"origins", "ALLOWED_ORIGINS", clearTextHosts(strings.Join(s.Server.AllowedOrigins, ","), "http"), "use https://"},
		{"invites", "INVITE_URL", clearTextHosts(s.Identity.InviteURL, "http"), "use https://"},
	}
}

func (s *Settings) clearTextMail() []string {
	c, err := mail.ParseConfig(s.Mail.SMTPURL, s.Mail.MailFrom)
	if err != nil || c.Secure() {
		return nil
	}
	return []string{c.Host}
}

// clearTextHosts returns the hosts of the URLs, separated by commas, that have one of the
// schemes. Those of Redis name more servers in parameters.
func clearTextHosts(urls string, schemes ...string) (hosts []string) {
	for one := range strings.SplitSeq(urls, ",") {
		u, err := url.Parse(strings.TrimSpace(one))
		if err != nil || !slices.Contains(schemes, u.Scheme) {
			continue
		}
		hosts = append(hosts, u.Hostname())
		for _, address := range u.Query()["addr"] {
			hosts = append(hosts, (&url.URL{Host: address}).Hostname())
		}
	}
	return hosts
}

// nearbyDomains are those that no name server of the internet answers for.
var nearbyDomains = []string{".localhost", ".local", ".internal", ".home.arpa", ".lan", ".svc", ".flycast"}

// sharedAddresses are those of carriers and of overlay networks, RFC 6598.
var sharedAddresses = netip.MustParsePrefix("100.64.0.0/10")

// IsNearby reports whether the host is this machine or, by its address or name, in a private
// network. No name is looked up: one without a dot, or below a private domain, is private.
func IsNearby(host string) bool {
	if a, err := netip.ParseAddr(host); err == nil {
		a = a.Unmap()
		return a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast() || sharedAddresses.Contains(a)
	}
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if strings.HasPrefix(host, "/") || !strings.Contains(host, ".") { // a socket, or a name of the local network
		return true
	}
	return slices.ContainsFunc(nearbyDomains, func(domain string) bool { return strings.HasSuffix(host, domain) })
}

package config

import (
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
)

func (s *Settings) checkServer() error {
	v := &s.Server
	errs := []error{
		oneOf("OCTAVO_ENV", v.Env, "development", "production"),
		between("REQUESTS_PER_SECOND", v.RequestsPerSecond, 0, 1_000_000),
		between("DRAIN_TIMEOUT", v.DrainTimeout, time.Second, 10*time.Second),
		s.checkBaseURL(),
	}
	if v.Port < 0 || v.Port > 65535 {
		errs = append(errs, Errorf("PORT", "%d is not a port (0 to 65535)", v.Port))
	}
	if !hostOrAddress(v.Host) {
		errs = append(errs, Errorf("HOST", "%q is not a host name or address", v.Host))
	}
	for _, name := range v.AllowInsecure {
		errs = append(errs, oneOf("ALLOW_INSECURE", name, insecureNames...))
	}
	return Together(errs...)
}

// hostOrAddress reports whether it can be listened at: what ends in a number, such as 300.1.1.1, is an address or a mistake.
func hostOrAddress(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	_, err := strconv.Atoi(host[strings.LastIndex(host, ".")+1:])
	return err != nil && !strings.ContainsAny(host, "/ []:")
}

// checkBaseURL leaves an empty one alone: DeriveAddresses fills it in once the port
// is known.
func (s *Settings) checkBaseURL() error {
	v := &s.Server
	if v.BaseURL == "" {
		return s.checkHSTS("")
	}
	v.BaseURL = strings.TrimRight(v.BaseURL, "/")
	if err := webAddress("BASE_URL", v.BaseURL); err != nil {
		return err
	}
	if u, _ := url.Parse(v.BaseURL); s.Production() && u.Scheme != "https" {
		return Errorf("BASE_URL", "production needs https, %s is not", v.BaseURL)
	}
	return s.checkHSTS(v.BaseURL)
}

// checkHSTS refuses to promise HTTPS for the subdomains of what has none.
func (s *Settings) checkHSTS(base string) error {
	u, err := url.Parse(base)
	if !s.Server.HSTSSubdomains || err == nil && u.Scheme == "https" && strings.Contains(u.Hostname(), ".") &&
		net.ParseIP(u.Hostname()) == nil {
		return nil
	}
	return Errorf("HSTS_SUBDOMAINS", "needs a BASE_URL with https and a domain, such as https://example.edu")
}

func (s *Settings) checkOrigins() error {
	var errs []error
	for _, o := range s.Server.AllowedOrigins {
		u, err := url.Parse(o)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Scheme+"://"+u.Host != o {
			errs = append(errs, Errorf("ALLOWED_ORIGINS", "%q is not an origin such as https://app.example.edu", o))
		}
	}
	return Together(errs...)
}

func (s *Settings) checkProxies() error {
	_, err := s.Proxies()
	return err
}

// Proxies parses TRUSTED_PROXIES; an address without a mask is a network of one.
func (s *Settings) Proxies() ([]netip.Prefix, error) {
	var all []netip.Prefix
	for _, text := range s.Server.TrustedProxies {
		p, err := netip.ParsePrefix(text)
		if a, errAddr := netip.ParseAddr(text); errAddr == nil {
			p, err = netip.PrefixFrom(a, a.BitLen()), nil
		}
		if err != nil {
			return nil, Errorf("TRUSTED_PROXIES", "%q is not a network such as 10.0.0.0/8", text)
		}
		all = append(all, p)
	}
	return all, nil
}

func (s *Settings) checkCookies() error {
	v := &s.Server
	if strings.ContainsAny(v.CookieDomain, ":/; ") {
		return Together(s.checkCookieFlags(), Errorf("COOKIE_DOMAIN", "%q is not a domain", v.CookieDomain))
	}
	return s.checkCookieFlags()
}

func (s *Settings) checkCookieFlags() error {
	v := &s.Server
	if v.CookieSecure == "" {
		v.CookieSecure = strconv.FormatBool(s.Production())
	}
	sameSite := oneOf("COOKIE_SAMESITE", v.CookieSameSite, "lax", "strict", "none")
	secure, err := strconv.ParseBool(v.CookieSecure)
	if err != nil {
		return Together(sameSite, Errorf("COOKIE_SECURE", "%q is neither true nor false", v.CookieSecure))
	}
	v.CookieSecure = strconv.FormatBool(secure)
	switch {
	case s.Production() && !secure:
		return Together(sameSite, Errorf("COOKIE_SECURE", "production refuses cookies over plain HTTP"))
	case v.CookieSameSite == "none" && !secure:
		return Errorf("COOKIE_SAMESITE", "none needs COOKIE_SECURE=true, browsers drop the cookie otherwise")
	}
	return sameSite
}

// DeriveAddresses fills in the defaults that depend on where the program listens. If listening
// is nil, it uses HOST and PORT.
func (s *Settings) DeriveAddresses(listening net.Addr) {
	if s.Server.BaseURL == "" {
		s.Server.BaseURL = "http://" + s.LocalAddress(listening)
	}
	if s.Identity.JWTIssuer == "" {
		s.Identity.JWTIssuer = s.Server.BaseURL
	}
	if s.Identity.InviteURL == "" {
		s.Identity.InviteURL = s.Server.BaseURL + "/invitation"
	}
}

// LocalAddress returns the host:port at which this machine can reach the program: HOST, or
// localhost if that is a wildcard, and the port on which the program listens.
func (s *Settings) LocalAddress(listening net.Addr) string {
	host, port := s.Server.Host, strconv.Itoa(s.Server.Port)
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "localhost"
	}
	if tcp, ok := listening.(*net.TCPAddr); ok {
		port = strconv.Itoa(tcp.Port)
	}
	return net.JoinHostPort(host, port)
}

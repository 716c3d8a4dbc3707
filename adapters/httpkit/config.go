package httpkit

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// Config are the settings of a Kit.
type Config struct {
	TrustedProxies    []netip.Prefix // whose X-Forwarded-For is believed; none by default
	AllowedOrigins    []string       // exact origins such as "https://app.example.org"
	CORSPaths         []string       // where CORS answers: "/" alone, others with all below them
	Cookies           CookieConfig
	RequestsPerSecond float64       // for one client address; 0: no limit
	Unlimited         []string      // paths without that limit: a probe must not take a busy process for dead
	Deadline          time.Duration // for one request; 0: none
	Streams           []string      // paths that may outlive the deadline
}

// Validate names the first setting that cannot work.
func (c Config) Validate() error {
	for _, o := range c.AllowedOrigins {
		if err := checkOrigin(o); err != nil {
			return fmt.Errorf("ALLOWED_ORIGINS: %w", err)
		}
	}
	if c.RequestsPerSecond < 0 || c.RequestsPerSecond > 1e6 {
		return errors.New("REQUESTS_PER_SECOND: must lie between 0 and 1000000")
	}
	return c.Cookies.Validate()
}

// CookieConfig are the settings of the cookies.
type CookieConfig struct {
	Secure   bool
	Domain   string // "" for the host alone
	SameSite http.SameSite
}

// Validate refuses what browsers would refuse.
func (c CookieConfig) Validate() error {
	switch c.SameSite {
	case http.SameSiteLaxMode, http.SameSiteStrictMode:
	case http.SameSiteNoneMode:
		if !c.Secure {
			return errors.New("COOKIE_SAMESITE: none needs COOKIE_SECURE")
		}
	default:
		return errors.New("COOKIE_SAMESITE: must be lax, strict or none")
	}
	if strings.ContainsAny(c.Domain, " ;,/:") {
		return fmt.Errorf("COOKIE_DOMAIN: %q is not a domain", c.Domain)
	}
	return nil
}

// ParseSameSite reads COOKIE_SAMESITE.
func ParseSameSite(s string) (http.SameSite, error) {
	switch strings.ToLower(s) {
	case "lax":
		return http.SameSiteLaxMode, nil
	case "strict":
		return http.SameSiteStrictMode, nil
	case "none":
		return http.SameSiteNoneMode, nil
	}
	return 0, fmt.Errorf("COOKIE_SAMESITE: must be lax, strict or none, not %q", s)
}

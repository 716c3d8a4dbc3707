package httpx

import (
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"time"
)

// Config holds the settings of a Middleware.
type Config struct {
	TrustedProxies    []netip.Prefix // proxies whose X-Forwarded-For counts; none by default
	AllowedOrigins    []string       // exact origins such as "https://app.example.org"
	LoopbackOrigins   bool           // allow every origin of this machine too, for development
	CORSPaths         []string       // where CORS applies: "/" matches itself, other paths their subtree
	Cookies           CookieConfig
	RequestsPerSecond float64       // per client address; 0: no limit
	UnlimitedPaths    []string      // paths without that limit: a probe must not report a busy process as dead
	Timeout           time.Duration // of one request; 0: none
	StreamPaths       []string      // paths without that timeout
	PopupPaths        []string      // pages that other sites may open in a window and keep hold of, as applications do to sign in
	HSTSSubdomains    bool          // browsers demand HTTPS of the subdomains of our host, too
}

// Validate returns an error that names the first invalid setting.
func (c Config) Validate() error {
	for _, o := range c.AllowedOrigins {
		if err := checkOrigin(o); err != nil {
			return fmt.Errorf("ALLOWED_ORIGINS: %w", err)
		}
	}
	if c.RequestsPerSecond < 0 || c.RequestsPerSecond > 1e6 {
		return errors.New("REQUESTS_PER_SECOND: must be between 0 and 1000000")
	}
	return c.Cookies.Validate()
}

// CookieConfig holds the settings of the cookies.
type CookieConfig struct {
	Secure   bool
	Domain   string // "" restricts cookies to the host
	SameSite http.SameSite
}

// Validate rejects settings that browsers reject.
func (c CookieConfig) Validate() error {
	switch c.SameSite {
	case http.SameSiteLaxMode, http.SameSiteStrictMode:
	case http.SameSiteNoneMode:
		if !c.Secure {
			return errors.New("COOKIE_SAMESITE: none requires COOKIE_SECURE")
		}
	default:
		return errors.New("COOKIE_SAMESITE: must be lax, strict or none")
	}
	if strings.ContainsAny(c.Domain, " ;,/:") {
		return fmt.Errorf("COOKIE_DOMAIN: %q is not a domain", c.Domain)
	}
	return nil
}

// ParseSameSite parses COOKIE_SAMESITE, in any case.
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

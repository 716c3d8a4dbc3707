package assembly

import (
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/queue"
	"github.com/octavo-books/octavo/adapters/redisstore"
)

// Secrets are the settings that NAME_FILE may be used for.
var Secrets = []string{
	"DATABASE_URL", "REDIS_URL", "QUEUE_URL", "PUBLIC_KEY", "PRIVATE_KEY", "PREVIOUS_PUBLIC_KEYS", "SMTP_URL",
	"METRICS_TOKEN", "WEBHOOK_SECRET", "WEBHOOK_ADDITIONAL_SECRETS", "WEBHOOK_API_TOKEN",
	"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS",
}

// ErrSetting marks a setting that was refused; the program ends with 2.
var ErrSetting = errors.New("setting refused")

type settingError struct{ name, why string }

func (e settingError) Error() string        { return e.name + ": " + e.why }
func (e settingError) Is(target error) bool { return target == ErrSetting }

// refused is the one line for a bad setting.
func refused(name, format string, args ...any) error {
	return settingError{name, fmt.Sprintf(format, args...)}
}

// Production reports whether OCTAVO_ENV says so.
func (s *Settings) Production() bool { return s.Server.Env == "production" }

// Validate refuses what cannot be meant, naming the first setting at fault, and
// fills in what other settings imply.
func (s *Settings) Validate() error {
	for _, check := range []func() error{
		s.checkServer, s.checkOrigins, s.checkProxies, s.checkCookies, s.checkStorage, s.checkIdentity, s.checkMail, s.checkWebhooks, s.checkWatching, s.checkPprof,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (s *Settings) checkServer() error {
	v := &s.Server
	if err := oneOf("OCTAVO_ENV", v.Env, "development", "production"); err != nil {
		return err
	}
	if v.Port < 0 || v.Port > 65535 {
		return refused("PORT", "%d is not a port (0 to 65535)", v.Port)
	}
	if strings.ContainsAny(v.Host, "/ ") {
		return refused("HOST", "%q is not a host name or address", v.Host)
	}
	if err := between("REQUESTS_PER_SECOND", v.RequestsPerSecond, 0, 1_000_000); err != nil {
		return err
	}
	if err := lasting("DRAIN_TIMEOUT", v.DrainTimeout, time.Second, 10*time.Second); err != nil {
		return err
	}
	return s.checkBaseURL()
}

// checkBaseURL leaves it empty where the port is only known once it is taken.
func (s *Settings) checkBaseURL() error {
	v := &s.Server
	if v.BaseURL == "" {
		return nil
	}
	v.BaseURL = strings.TrimRight(v.BaseURL, "/")
	if err := webAddress("BASE_URL", v.BaseURL); err != nil {
		return err
	}
	if u, _ := url.Parse(v.BaseURL); s.Production() && u.Scheme != "https" && !loopback(u.Hostname()) {
		return refused("BASE_URL", "production needs https, %s is not", v.BaseURL)
	}
	return nil
}

func (s *Settings) checkOrigins() error {
	for _, o := range s.Server.AllowedOrigins {
		u, err := url.Parse(o)
		if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Scheme+"://"+u.Host != o {
			return refused("ALLOWED_ORIGINS", "%q is not an origin such as https://app.example.edu", o)
		}
	}
	return nil
}

func (s *Settings) checkProxies() error {
	_, err := s.proxies()
	return err
}

// proxies reads TRUSTED_PROXIES; a bare address is a network of one.
func (s *Settings) proxies() ([]netip.Prefix, error) {
	var all []netip.Prefix
	for _, text := range s.Server.TrustedProxies {
		p, err := netip.ParsePrefix(text)
		if a, errAddr := netip.ParseAddr(text); errAddr == nil {
			p, err = netip.PrefixFrom(a, a.BitLen()), nil
		}
		if err != nil {
			return nil, refused("TRUSTED_PROXIES", "%q is not a network such as 10.0.0.0/8", text)
		}
		all = append(all, p)
	}
	return all, nil
}

func (s *Settings) checkCookies() error {
	v := &s.Server
	if v.CookieSecure == "" {
		v.CookieSecure = strconv.FormatBool(s.Production())
	}
	secure, err := strconv.ParseBool(v.CookieSecure)
	if err != nil {
		return refused("COOKIE_SECURE", "%q is neither true nor false", v.CookieSecure)
	}
	if s.Production() && !secure {
		return refused("COOKIE_SECURE", "production refuses cookies over plain HTTP")
	}
	v.CookieSecure = strconv.FormatBool(secure)
	v.CookieSameSite = strings.ToLower(v.CookieSameSite)
	if err := oneOf("COOKIE_SAMESITE", v.CookieSameSite, "lax", "strict", "none"); err != nil {
		return err
	}
	if v.CookieSameSite == "none" && !secure {
		return refused("COOKIE_SAMESITE", "none needs COOKIE_SECURE=true, browsers drop the cookie otherwise")
	}
	if strings.ContainsAny(v.CookieDomain, ":/; ") {
		return refused("COOKIE_DOMAIN", "%q is not a domain", v.CookieDomain)
	}
	return nil
}

func (s *Settings) checkStorage() error {
	v := &s.Storage
	if v.DatabaseURL == "" {
		v.DatabaseURL = "sqlite:" + filepath.Join(v.DataDir, "octavo.db")
	}
	if err := gormstore.CheckDSN(v.DatabaseURL); err != nil {
		return refused("DATABASE_URL", "%v", err)
	}
	if v.RedisURL != "" {
		if err := redisstore.CheckURL(v.RedisURL); err != nil {
			return refused("REDIS_URL", "%v", err)
		}
	}
	return s.checkQueue()
}

func (s *Settings) checkQueue() error {
	scheme, _, _ := strings.Cut(s.Storage.QueueURL, "://")
	var err error
	switch scheme {
	case "":
	case "redis", "rediss":
		err = redisstore.CheckURL(s.Storage.QueueURL)
	case "nats", "tls":
		err = queue.CheckNATS(s.Storage.QueueURL)
	default:
		err = errors.New("must begin with redis://, rediss:// or nats://")
	}
	if err != nil {
		return refused("QUEUE_URL", "%v", err)
	}
	return nil
}

func (s *Settings) checkIdentity() error {
	v := &s.Identity
	if (v.PublicKey == "") != (v.PrivateKey == "") {
		return refused("PUBLIC_KEY, PRIVATE_KEY", "set both or neither; `octavo keys generate` makes a pair")
	}
	if v.JWTAudience == "" {
		return refused("JWT_AUDIENCE", "must not be empty")
	}
	if v.InviteURL != "" {
		if err := webAddress("INVITE_URL", v.InviteURL); err != nil {
			return err
		}
	}
	if _, err := s.Limits.rules(); err != nil {
		return err
	}
	return first(
		lasting("ACCESS_TOKEN_TTL", v.AccessTokenTTL, time.Minute, 24*time.Hour),
		between("BCRYPT_COST", v.BcryptCost, 10, 15),
		between("MAX_SESSIONS_PER_USER", v.MaxSessions, 1, 1000),
		between("MARKET_FEE_BPS", s.Market.FeeBPS, 0, 10_000),
	)
}

func (s *Settings) checkMail() error {
	v := &s.Mail
	if v.SMTPURL != "" {
		u, err := url.Parse(v.SMTPURL)
		if err != nil || u.Scheme != "smtp" && u.Scheme != "smtps" || u.Hostname() == "" {
			return refused("SMTP_URL", "must be smtp://user:pass@host:port or smtps://user:pass@host:port")
		}
		if v.MailFrom == "" {
			return refused("MAIL_FROM", "is needed with SMTP_URL")
		}
	}
	if v.MailFrom == "" {
		v.MailFrom = "Octavo <octavo@localhost>"
	}
	if _, err := mail.ParseAddress(v.MailFrom); err != nil {
		return refused("MAIL_FROM", "%q is not an address such as Octavo <books@example.edu>", v.MailFrom)
	}
	return nil
}

func (s *Settings) checkWebhooks() error {
	v := &s.Webhooks
	given := v.Path
	v.Path = strings.TrimRight(given, "/")
	if u, err := url.Parse(v.Path); err != nil || !strings.HasPrefix(v.Path, "/") || u.Path != v.Path || strings.ContainsAny(v.Path, ":*{}") {
		return refused("WEBHOOK_PATH", "%q is not a path such as /api/host/webhooks", given)
	}
	if _, err := s.inboxConfig(); err != nil {
		return err
	}
	_, err := s.moreSecrets()
	return err
}

func (s *Settings) checkWatching() error {
	v := &s.Watching
	if v.LogFormat != "" {
		if err := oneOf("LOG_FORMAT", v.LogFormat, "text", "json"); err != nil {
			return err
		}
	}
	return oneOf("LOG_LEVEL", v.LogLevel, "debug", "info", "warn", "error")
}

func oneOf(name, value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return refused(name, "%q is none of %s", value, strings.Join(allowed, ", "))
}

func between(name string, value, low, high int) error {
	if value < low || value > high {
		return refused(name, "%d is not between %d and %d", value, low, high)
	}
	return nil
}

func lasting(name string, value, low, high time.Duration) error {
	if value < low || value > high {
		return refused(name, "%v is not between %v and %v", value, low, high)
	}
	return nil
}

func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

func webAddress(name, value string) error {
	u, err := url.Parse(value)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return refused(name, "%q is not an address such as https://books.example.edu", value)
	}
	return nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

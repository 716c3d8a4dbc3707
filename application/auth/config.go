package auth

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"time"

	"github.com/octavo-books/octavo/domain/campus"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// Ports are what the rooms share of adapters. All are required except Reported.
type Ports struct {
	Now         func() time.Time // in UTC, truncated to the microsecond
	NextID      func() int64     // greater than every earlier one of the same process
	Random      io.Reader
	Log         *slog.Logger
	Storage     Storage
	Sessions    SessionStore
	RateLimiter RateLimiter
	Hasher      PasswordHasher
	Tokens      AccessTokens
	Secrets     Sealer // for what is stored for years, such as the secrets of authenticator apps
	// ParseUserAgent extracts browser, system and model from a User-Agent header.
	ParseUserAgent func(userAgent string) session.Device
	// Reported lists the universities whose admins look after a report about a user, open or not; nil
	// without a marketplace.
	Reported func(ctx context.Context, of user.ID) ([]string, error)
}

// Config holds the operator's settings.
type Config struct {
	CodeKey           challenge.Key // secret, not stored in the database
	BaseURL           string        // prefix of the links in mails, without a trailing slash
	InviteURL         string
	Campus            campus.Domains // of the addresses of students
	Issuer            string         // of all tokens
	AccessTTL         time.Duration  // at least a second, at most a day
	MaxSessions       int            // for each user
	AllowRegistration bool           // by a sign-up, which external services then may do for newcomers, too
	// ExternalRegistration lets external services make accounts for newcomers though nobody may sign up.
	ExternalRegistration bool
	// ExternalOnly admits nobody but by an external service, and owners who may break the glass by their password.
	ExternalOnly  bool
	PublishEvents bool   // write events for the webhook service
	ServiceName   string // in authenticator apps
	// RequireSecondFactor withholds the roles of admins and owners from sessions that were
	// not proved with two factors.
	RequireSecondFactor bool
	// CampusAdmins bounds the rights of each admin to the university of their profile.
	CampusAdmins bool
	AuditKeep    time.Duration // how long audit entries are stored at least; 0: for ever
	Rules        LimitRules
	Providers    []identity.Provider // at which people may sign in, in the order of the buttons
}

// LimitRules are the rate limits. A client is an IPv4 address or an IPv6 /64 network.
type LimitRules struct {
	SignInFailures  limit.Rule // failures for one address from one client
	AccountFailures limit.Rule // failures for one address from all clients
	SignIns         limit.Rule // from one client
	SignUps         limit.Rule // from one client
	MailRequests    limit.Rule // resends and resets requested by one client
	Codes           limit.Rule // codes entered by one client
	// TotpFailures limits the wrong codes of an authenticator app for one account from all
	// unknown clients together. With SignInFailures alone, somebody who knows the password
	// could guess from many addresses.
	TotpFailures limit.Rule
	SignUpMails  []limit.Rule // to one address, for sign-ups
	Mails        []limit.Rule // to one address; resends, resets and approvals counted separately
}

// DefaultLimits are generous enough for a lecture hall behind one address.
func DefaultLimits() LimitRules {
	return LimitRules{
		SignInFailures:  limit.Rule{Burst: 10, Period: 15 * time.Minute, MaxWait: time.Hour},
		AccountFailures: limit.Rule{Burst: 100, Period: 24 * time.Hour},
		SignIns:         limit.Rule{Burst: 600, Period: time.Minute},
		SignUps:         limit.Rule{Burst: 1000, Period: time.Hour},
		MailRequests:    limit.Rule{Burst: 300, Period: time.Hour},
		Codes:           limit.Rule{Burst: 300, Period: time.Minute},
		TotpFailures:    limit.Rule{Burst: 25, Period: time.Hour},
		SignUpMails:     []limit.Rule{{Burst: 10, Period: time.Hour}},
		// At most five in any hour: with a period of an hour, the first of them would be
		// available again within that hour. Five in five hours allows five at once and
		// then one an hour.
		Mails: []limit.Rule{{Burst: 1, Period: time.Minute}, {Burst: 5, Period: 5 * time.Hour}},
	}
}

// Validate returns an error that names the first invalid setting.
func (c Config) Validate() error {
	switch {
	case c.CodeKey == challenge.Key{}:
		return errors.New("the key for codes is missing")
	case c.AccessTTL < time.Second || c.AccessTTL > 24*time.Hour:
		return fmt.Errorf("ACCESS_TOKEN_TTL must be 1s to 24h, not %s", c.AccessTTL)
	case c.MaxSessions < 1 || c.MaxSessions > 1000:
		return fmt.Errorf("MAX_SESSIONS_PER_USER must be 1 to 1000, not %d", c.MaxSessions)
	}
	for name, raw := range map[string]string{"BASE_URL": c.BaseURL, "INVITE_URL": c.InviteURL} {
		u, err := url.Parse(raw)
		if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			return fmt.Errorf("%s must be an absolute http or https URL", name)
		}
	}
	return c.Rules.validate()
}

func (l LimitRules) validate() error {
	rules := append(
		[]limit.Rule{l.SignInFailures, l.AccountFailures, l.SignIns, l.SignUps, l.MailRequests, l.Codes, l.TotpFailures}, l.SignUpMails...,
	)
	for _, r := range append(rules, l.Mails...) {
		if r.Burst < 1 || r.Period < time.Duration(r.Burst) || r.MaxWait < 0 {
			return errors.New("every limit needs a burst of at least 1 and a period")
		}
	}
	return nil
}

// NewDeps returns what the rooms share, or an error that names an invalid setting.
func NewDeps(p Ports, c Config) (*Deps, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	return &Deps{p, c, &Hooks{}}, nil
}

// Deps are the ports and settings that the use cases share.
type Deps struct {
	Ports
	Config
	Hooks *Hooks
}

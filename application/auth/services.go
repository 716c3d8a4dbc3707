package auth

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"time"

	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/limit"
)

// Ports are what the use cases need. All must be given but Sweepers.
type Ports struct {
	Clock         Clock
	IDs           IDs
	Random        io.Reader
	Log           *slog.Logger
	Users         UserReader
	Admin         AdminReader
	Links         LinkReader
	Database      Database
	Sessions      SessionStore
	Rotator       TokenRotator
	Revoker       SessionRevoker
	SessionStates SessionStateReader
	Limits        RateLimiter
	Hasher        PasswordHasher
	Tokens        AccessTokens
	UserAgents    UserAgentParser
	Sweepers      []Sweeper // may be none
}

// Config is what an operator decides.
type Config struct {
	CodeKey           challenge.Key // secret, not kept in the database
	BaseURL           string        // what links in mails begin with, without a slash at the end
	InviteURL         string
	AccessTTL         time.Duration // at least a second, at most a day
	MaxSessions       int           // of one user
	AllowRegistration bool
	Rules             LimitRules
}

// LimitRules say how often. A client is an IPv4 address or an IPv6 /64.
type LimitRules struct {
	SignInFailures limit.Rule   // of one address from one client
	SignIns        limit.Rule   // from one client
	SignUps        limit.Rule   // from one client
	MailRequests   limit.Rule   // resends and resets asked for by one client
	Codes          limit.Rule   // codes tried by one client
	SignUpMails    []limit.Rule // to one address, for sign-ups
	Mails          []limit.Rule // to one address; resends and resets each
}

// DefaultLimits are generous for a lecture hall behind one address. Five in five
// hours is five at once and one an hour from then on: never more than five in
// any hour.
func DefaultLimits() LimitRules {
	return LimitRules{
		SignInFailures: limit.Rule{Burst: 10, Period: 15 * time.Minute, MaxWait: time.Hour},
		SignIns:        limit.Rule{Burst: 600, Period: time.Minute},
		SignUps:        limit.Rule{Burst: 1000, Period: time.Hour},
		MailRequests:   limit.Rule{Burst: 300, Period: time.Hour},
		Codes:          limit.Rule{Burst: 300, Period: time.Minute},
		SignUpMails:    []limit.Rule{{Burst: 10, Period: time.Hour}},
		// Five in any hour: what comes back within the hour would be a sixth.
		Mails: []limit.Rule{{Burst: 1, Period: time.Minute}, {Burst: 5, Period: 5 * time.Hour}},
	}
}

// Validate names the first setting that cannot be.
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
	rules := append([]limit.Rule{l.SignInFailures, l.SignIns, l.SignUps, l.MailRequests, l.Codes}, l.SignUpMails...)
	for _, r := range append(rules, l.Mails...) {
		if r.Burst < 1 || r.Period < time.Duration(r.Burst) || r.MaxWait < 0 {
			return errors.New("every limit needs a burst of at least 1 and a period")
		}
	}
	return nil
}

// Services are the use cases of the identity core.
type Services struct {
	Accounts      *Accounts
	Sessions      *Sessions
	Authenticator *Authenticator
	Passwords     *Passwords
	Invitations   *Invitations
	Users         *Users
	Housekeeping  *Housekeeping
}

// New makes the use cases; the error says what is wrong with the settings.
func New(p Ports, c Config) (*Services, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	k := &deps{p, c}
	sessions := &Sessions{deps: k}
	return &Services{
		Accounts:      &Accounts{k},
		Sessions:      sessions,
		Authenticator: &Authenticator{k},
		Passwords:     &Passwords{k},
		Invitations:   &Invitations{k, sessions},
		Users:         &Users{k},
		Housekeeping:  &Housekeeping{k},
	}, nil
}

// deps is what the use cases share.
type deps struct {
	Ports
	Config
}

package config

import (
	"context"
	"crypto/ecdsa"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/clientassertion"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outagelog"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/hashing"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/logout"
	"github.com/octavo-books/octavo/adapters/mail"
	"github.com/octavo-books/octavo/adapters/passkey"
	"github.com/octavo-books/octavo/adapters/seal"
	"github.com/octavo-books/octavo/adapters/telemetry"
	"github.com/octavo-books/octavo/adapters/token"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/user"
	"golang.org/x/term"
)

// Cookies returns the settings of cookies, which Validate has checked.
func (s *Settings) Cookies() httpx.CookieConfig {
	secure, _ := strconv.ParseBool(s.Server.CookieSecure)
	sameSite, _ := httpx.ParseSameSite(s.Server.CookieSameSite)
	return httpx.CookieConfig{Secure: secure, Domain: s.Server.CookieDomain, SameSite: sameSite}
}

// Direct recognises requests that came without a proxy and ask for our own host.
func (s *Settings) Direct() httpx.DirectAccess { return httpx.NewDirectAccess(s.Server.BaseURL) }

// SurrogateKeys returns how responses tell the cache in front what they show.
func (s *Settings) SurrogateKeys() httpx.SurrogateKeys {
	if s.Server.CachePurgeURL == "" {
		return httpx.SurrogateKeys{}
	}
	header, separator := s.CachePurge().Header()
	return httpx.SurrogateKeys{Header: header, Separator: separator}
}

// MailLinks returns the pages to which mails without a link of their own lead, and what precedes the IDs of an order
// and of a conversation in the addresses of their pages.
func (s *Settings) MailLinks(parts Components) (byKind map[message.Kind]string, order, conversation string) {
	byKind = map[message.Kind]string{}
	for _, k := range message.Kinds() {
		if served := !k.Urgent() && parts.Market || k.Urgent() && parts.Identity(); served && k.Page() != "" {
			byKind[k] = s.Server.BaseURL + k.Page()
		}
	}
	if parts.Market {
		order, conversation = s.Server.BaseURL+"/order?id=", s.Server.BaseURL+"/conversation?id="
	}
	return byKind, order, conversation
}

// NewSMTP returns the sender of mails over SMTP.
func (s *Settings) NewSMTP() (*mail.Sender, error) {
	cfg, err := mail.ParseConfig(s.Mail.SMTPURL, s.Mail.MailFrom)
	if err != nil {
		return nil, Errorf("SMTP_URL, MAIL_FROM", "%v", err)
	}
	return mail.New(cfg)
}

// Alerts mail the alerts of the inbox.
type Alerts struct {
	Mail  inbox.MailAlert // nil without ALERT_MAIL
	Close func()
}

// NewAlerts returns what mails alerts. It has its own sender, because webhooks may be served without the components
// that send mail, or with ones that send through a queue. Development stores alerts in its mailbox, as it does all
// mails; box is nil where there is none.
func (s *Settings) NewAlerts(box *outboxstore.Mailbox) (Alerts, error) {
	boxed := box != nil && s.DevMailbox()
	mails := func(sender mailer.Sender) inbox.MailAlert {
		return mail.Alerts(sender, user.Email(s.Webhooks.AlertMail), s.Server.ServiceName)
	}
	switch {
	case s.Webhooks.AlertMail == "":
		return Alerts{Close: func() {}}, nil
	case boxed && s.Mail.SMTPURL == "":
		return Alerts{mails(box), func() {}}, nil
	}
	sender, err := s.NewSMTP()
	switch {
	case err != nil:
		return Alerts{}, err
	case boxed:
		return Alerts{mails(mailer.ChainSenders(box, sender)), sender.Close}, nil
	}
	return Alerts{mails(sender), sender.Close}, nil
}

// NewTokens returns what signs and verifies access tokens.
func (s *Settings) NewTokens(key *ecdsa.PrivateKey) (*token.Tokens, error) {
	previous, err := s.PreviousKeys()
	if err != nil {
		return nil, err
	}
	return token.New(token.Config{Key: key, Previous: previous, Issuer: s.Identity.JWTIssuer, Audience: s.Identity.JWTAudience})
}

// NewSecrets returns what encrypts secrets in the database.
func (s *Settings) NewSecrets(key *ecdsa.PrivateKey) (*seal.Box, error) {
	previous, err := s.PreviousSecretKeys()
	if err != nil {
		return nil, err
	}
	return seal.New(key, "secrets", previous...)
}

// NewLogger makes a logger that writes text to a terminal and JSON to anything else. The
// lines of a request have its ID, and its trace ID if it is traced.
func (s *Settings) NewLogger(w io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(s.Monitoring.LogLevel)) // Validate has checked it
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: s.logAddresses()}
	var h slog.Handler = slog.NewJSONHandler(w, options)
	if s.Monitoring.LogFormat == "text" || s.Monitoring.LogFormat == "" && IsTerminal(w) {
		h = slog.NewTextHandler(w, options)
	}
	return slog.New(outagelog.New(httpx.LogHandler{Handler: telemetry.LogHandler{Handler: h}}))
}

// Listen opens the port before anything else is created, so that a port in use is the
// first error, and derives the addresses that depend on it.
func (s *Settings) Listen(ctx context.Context) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", net.JoinHostPort(s.Server.Host, strconv.Itoa(s.Server.Port)))
	switch {
	case errors.Is(err, fs.ErrPermission): // a restart does not change what the user may do
		return nil, Errorf("HOST, PORT", "cannot listen: %v", err)
	case err != nil:
		return nil, fmt.Errorf("HOST, PORT: cannot listen: %w", err)
	}
	s.DeriveAddresses(l.Addr())
	return l, nil
}

// RequireIDTokenKey returns an error if a client needs ID tokens that nothing can sign. Development
// makes a key when it is needed.
func (s *Settings) RequireIDTokenKey(ctx context.Context, store *authstore.Identity, t *token.IDTokens) error {
	if !s.Production() {
		return nil
	}
	algorithms, err := t.Algorithms()
	if err != nil || slices.Contains(algorithms, openid.RS256) {
		return err
	}
	clients, err := store.ListClients(ctx)
	for _, c := range clients {
		if c.IDTokenAlg == openid.RS256 {
			return Errorf("OIDC_SIGNING_KEY", "the application %q needs ID tokens with RS256; `octavo keys generate --oidc` makes a key", c.Name)
		}
	}
	return err
}

// NewIDTokens returns what signs ID tokens.
func (s *Settings) NewIDTokens(t *token.Tokens) (*token.IDTokens, error) {
	others, err := s.OtherIDTokenKeys()
	if err != nil {
		return nil, err
	}
	return token.NewIDTokens(t, s.CachedIDTokenKey(), others...), nil
}

// NewAssertions returns what verifies the assertions of machines.
func (s *Settings) NewAssertions(now func() time.Time) *clientassertion.Verifier {
	return clientassertion.New(clientassertion.Options{Agent: "Octavo/" + Version(), Development: !s.Production(), Now: now})
}

// NewLogoutSender returns what tells applications of sign-outs.
func (s *Settings) NewLogoutSender() *logout.Sender {
	return logout.New("Octavo/"+Version(), !s.Production())
}

// NewHasher returns what hashes passwords.
func (s *Settings) NewHasher() (*hashing.Hasher, error) {
	return hashing.New(hashing.Config{Cost: s.Identity.BcryptCost, Queue: s.Limits.HashingQueue})
}

// NewPasskeys returns what verifies passkeys.
func (s *Settings) NewPasskeys() (*passkey.Verifier, error) {
	return passkey.New(passkey.Config{
		BaseURL: s.Server.BaseURL, Origins: s.Server.AllowedOrigins, Service: s.Server.ServiceName, Development: !s.Production(),
	})
}

// KeepCurrency refuses a database that holds amounts in another currency: 1,250 pence are not
// 1,250 cents. keep stores the currency, unless there is one, and returns the one that is stored.
func (s *Settings) KeepCurrency(keep func(money.Currency) (kept string, err error)) error {
	kept, err := keep(s.MarketCurrency())
	if err == nil && kept != s.MarketCurrency().Code() {
		err = Errorf("CURRENCY", "%s cannot replace %s: the database holds prices in %s. Set CURRENCY=%s, or use another database", s.Market.Currency, kept, kept, kept)
	}
	return err
}

// PageOptions returns how the pages are set.
func (s *Settings) PageOptions(parts Components) (o web.Options, err error) {
	o = web.Options{
		Cookies: httpx.NewCookies(s.Cookies()), Links: s.HomeLinks(parts), Service: s.Server.ServiceName, Accent: s.Server.AccentColor,
		BaseURL: strings.TrimSuffix(s.Server.BaseURL, "/"), Support: s.Mail.SupportMail, Currency: s.MarketCurrency(), Zone: s.Zone(),
		Origins: append([]string{s.Server.BaseURL}, s.Server.AllowedOrigins...), Loopback: !s.Production(), Keys: s.SurrogateKeys(),
		Setup: s.setup,
	}
	if o.Campus, err = s.Campus(); err == nil {
		o.Texts, err = s.Texts(parts.Market)
	}
	return o, err
}

// setup is what the program knows about its surroundings.
func (s *Settings) setup() web.Setup {
	at, _ := s.LastBackup()
	return web.Setup{SMTP: s.Mail.SMTPURL != "", Backup: at}
}

// IsTerminal reports whether w is a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Package mail sends mails over SMTP.
package mail

import (
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

// TLS says how a connection is protected.
type TLS string

// The ways of protecting a connection.
const (
	TLSRequired TLS = "required" // STARTTLS, or no mail
	TLSOptional TLS = "optional" // STARTTLS where the server has it
	TLSOff      TLS = "off"
	TLSImplicit TLS = "implicit" // from the first byte, smtps://
)

// Config says how to reach the mail server and who the mails are from.
type Config struct {
	Host, Port         string
	Username, Password string // both or none
	TLS                TLS
	From               mail.Address
	Timeout            time.Duration // of each mail, and of connecting
	Idle               int           // connections kept open between mails
}

const (
	defaultTimeout = 10 * time.Second
	defaultIdle    = 4
)

// ParseConfig reads SMTP_URL and MAIL_FROM. The URL is
// smtp://user:password@host:port, with STARTTLS (port 587 if left out), or
// smtps:// with TLS from the start (465). "?tls=optional" or "?tls=off" loosen
// smtp://, which otherwise demands STARTTLS of any host that is not a loopback
// address; a password is never sent in the clear except to such a one. from is
// an address, with or without a name before it. No error quotes the password.
func ParseConfig(smtpURL, from string) (Config, error) {
	c := Config{Timeout: defaultTimeout, Idle: defaultIdle}
	sender, err := mail.ParseAddress(from)
	if err != nil {
		return c, fmt.Errorf("MAIL_FROM must be an address like \"Octavo <octavo@example.edu>\": %w", err)
	}
	c.From = *sender
	u, err := url.Parse(smtpURL)
	if err != nil {
		return c, errors.New("SMTP_URL is not a URL; characters like @ : / in a password must be percent-encoded")
	}
	if u.Hostname() == "" || strings.Trim(u.Path, "/") != "" {
		return c, errors.New("SMTP_URL must be smtp://user:password@host:port or smtps://…")
	}
	c.Host, c.Port, c.Username = u.Hostname(), u.Port(), u.User.Username()
	c.Password, _ = u.User.Password()
	if err := c.protect(u); err != nil {
		return c, err
	}
	return c, c.Validate()
}

func (c *Config) protect(u *url.URL) error {
	port := "587"
	switch {
	case u.Scheme == "smtps":
		port, c.TLS = "465", TLSImplicit
	case u.Scheme != "smtp":
		return errors.New("SMTP_URL must begin with smtp:// or smtps://")
	case u.Query().Has("tls"):
		c.TLS = TLS(u.Query().Get("tls"))
	case isLoopback(c.Host):
		c.TLS = TLSOptional
	default:
		c.TLS = TLSRequired
	}
	if c.Port == "" {
		c.Port = port
	}
	return nil
}

// Validate refuses what could not work or would give the password away.
func (c Config) Validate() error {
	switch {
	case c.TLS != TLSRequired && c.TLS != TLSOptional && c.TLS != TLSOff && c.TLS != TLSImplicit:
		return fmt.Errorf("SMTP_URL: tls=%s is not one of required, optional, off", c.TLS)
	case (c.Username == "") != (c.Password == ""):
		return errors.New("SMTP_URL has a user without a password or the other way round")
	case c.Username != "" && !isLoopback(c.Host) && (c.TLS == TLSOptional || c.TLS == TLSOff):
		return errors.New("SMTP_URL: a password is not sent without TLS; leave out tls=" + string(c.TLS))
	case c.Timeout <= 0 || c.Idle < 0:
		return errors.New("SMTP: the timeout must be positive")
	}
	return nil
}

// Secure reports whether nobody on the way can read the mails.
func (c Config) Secure() bool {
	return c.TLS == TLSRequired || c.TLS == TLSImplicit || isLoopback(c.Host)
}

func (c Config) address() string { return net.JoinHostPort(c.Host, c.Port) }

// domain is what message ids end in.
func (c Config) domain() string {
	return c.From.Address[strings.LastIndexByte(c.From.Address, '@')+1:]
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

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

// TLS is the way in which a connection is encrypted.
type TLS string

// The ways to encrypt a connection.
const (
	TLSRequired TLS = "required" // STARTTLS; without it nothing is sent
	TLSOptional TLS = "optional" // STARTTLS if the server offers it
	TLSOff      TLS = "off"
	TLSImplicit TLS = "implicit" // from the first byte, smtps://
)

// Config is the address of the mail server and the sender of the mails.
type Config struct {
	Host, Port         string
	Username, Password string // both or neither
	TLS                TLS
	From               mail.Address
	Timeout            time.Duration // for each mail, and for connecting
	Idle               int           // maximum of idle connections
}

const (
	defaultTimeout = 10 * time.Second
	defaultIdle    = 4
)

// ParseConfig parses SMTP_URL and MAIL_FROM. The URL is smtp://user:password@host:port for
// STARTTLS (port 587 by default), or smtps:// for TLS from the start (port 465). By default
// smtp:// requires STARTTLS unless the host is a loopback address; "?tls=optional" and
// "?tls=off" relax that. A password is sent without TLS only to a loopback address. from is
// an address with an optional name. No error quotes the password.
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

// Validate returns an error for a configuration that cannot work or would expose the password.
func (c Config) Validate() error {
	switch {
	case c.TLS != TLSRequired && c.TLS != TLSOptional && c.TLS != TLSOff && c.TLS != TLSImplicit:
		return fmt.Errorf("SMTP_URL: tls=%s is not one of required, optional, off", c.TLS)
	case (c.Username == "") != (c.Password == ""):
		return errors.New("SMTP_URL needs both a user and a password, or neither")
	case c.Username != "" && !isLoopback(c.Host) && (c.TLS == TLSOptional || c.TLS == TLSOff):
		return errors.New("SMTP_URL: a password is not sent without TLS; leave out tls=" + string(c.TLS))
	case c.Timeout <= 0 || c.Idle < 0:
		return errors.New("SMTP: the timeout must be positive")
	}
	return nil
}

// Secure reports whether the connection to the mail server is always encrypted or local.
func (c Config) Secure() bool {
	return c.TLS == TLSRequired || c.TLS == TLSImplicit || isLoopback(c.Host)
}

func (c Config) address() string { return net.JoinHostPort(c.Host, c.Port) }

// domain returns the part of message IDs after the @.
func (c Config) domain() string {
	return c.From.Address[strings.LastIndexByte(c.From.Address, '@')+1:]
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

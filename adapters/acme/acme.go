// Package acme gets and renews the certificate of HTTPS=auto from a certificate authority that speaks
// ACME, such as Let's Encrypt.
package acme

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"
)

// Config says for what and from whom.
type Config struct {
	Domain    string         // in ASCII and small letters
	Directory string         // the address of the authority's directory
	Mail      string         // to which the authority may write; may be empty
	CAs       *x509.CertPool // who vouches for the authority's own address; nil: those of the system
	Folder    string         // of the account's key and the certificate
	Agent     string         // User-Agent
}

// Certificates holds the certificate of one domain.
type Certificates struct {
	domain  string
	manager *autocert.Manager
	log     *slog.Logger
	current atomic.Pointer[x509.Certificate]
}

// requestTimeout bounds one request to the authority.
const requestTimeout = 30 * time.Second

// New returns the certificates of a domain. Nothing is requested before Keep runs.
func New(cfg Config, log *slog.Logger) *Certificates {
	transport := &http.Transport{
		Proxy: http.ProxyFromEnvironment, TLSClientConfig: &tls.Config{RootCAs: cfg.CAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout: requestTimeout, IdleConnTimeout: time.Minute,
	}
	return &Certificates{domain: cfg.Domain, log: log, manager: &autocert.Manager{
		Prompt: autocert.AcceptTOS, Cache: autocert.DirCache(cfg.Folder), HostPolicy: autocert.HostWhitelist(cfg.Domain), Email: cfg.Mail,
		Client: &acme.Client{
			DirectoryURL: cfg.Directory, UserAgent: cfg.Agent,
			HTTPClient: &http.Client{Timeout: requestTimeout, Transport: refusals{transport, log}},
		},
	}}
}

// TLS returns how the HTTPS port shakes hands. It also answers challenges of the authority.
func (c *Certificates) TLS() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get, NextProtos: []string{"h2", "http/1.1", acme.ALPNProto}}
}

var (
	errOtherName = errors.New("there is a certificate for DOMAIN alone")
	errNoneYet   = errors.New("there is no certificate yet")
)

// get does not let visitors start a request for a certificate: authorities count failures, and refuse
// for hours those who have too many.
func (c *Certificates) get(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	switch {
	case slices.Equal(hello.SupportedProtos, []string{acme.ALPNProto}):
		return c.manager.GetCertificate(hello)
	case !strings.EqualFold(strings.TrimSuffix(hello.ServerName, "."), c.domain):
		return nil, errOtherName
	case c.current.Load() == nil:
		return nil, errNoneYet
	}
	return c.manager.GetCertificate(c.modern())
}

// modern is the handshake of a client that knows ECDSA. Others would get a second certificate, and all
// of the last ten years know it.
func (c *Certificates) modern() *tls.ClientHelloInfo {
	return &tls.ClientHelloInfo{ServerName: c.domain, CipherSuites: []uint16{tls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}}
}

// Plain answers challenges at the HTTP port, and sends everybody else on to the address of the site.
func (c *Certificates) Plain(site string) http.Handler {
	next := c.manager.HTTPHandler(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path := r.URL.RequestURI()
		if !strings.HasPrefix(path, "/") {
			path = "/"
		}
		w.Header().Set("Connection", "close")
		http.Redirect(w, r, site+path, http.StatusPermanentRedirect) //nolint:gosec // the path begins with /, so it stays on the site
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if host, _, err := net.SplitHostPort(r.Host); err == nil {
			r.Host = host
		}
		next.ServeHTTP(w, r)
	})
}

// The time between two looks at the certificate, and between two attempts to get the first one.
const (
	lookEvery    = time.Minute
	longestPause = time.Hour
)

// Keep gets the certificate, and watches its renewal, until ctx ends.
func (c *Certificates) Keep(ctx context.Context) {
	pause := lookEvery
	for {
		err := c.look(ctx)
		switch {
		case ctx.Err() != nil:
			return
		case err == nil:
			pause = lookEvery
		default:
			c.log.Warn("there is no certificate: check that the name leads to this machine, and that the ports 80 and 443 are reachable",
				"domain", c.domain, "again_in", pause.String(), "error", err)
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return
		}
		if err != nil {
			pause = min(2*pause, longestPause)
		}
	}
}

// look gets the certificate that is used now. The manager knows no context, so it is left alone at
// the end.
func (c *Certificates) look(ctx context.Context) error {
	failed := make(chan error, 1)
	go func() {
		got, err := c.manager.GetCertificate(c.modern())
		if err == nil {
			c.note(got.Leaf)
		}
		failed <- err
	}()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// note keeps a certificate in mind and logs it if it is a new one.
func (c *Certificates) note(leaf *x509.Certificate) {
	if leaf == nil {
		return
	}
	if before := c.current.Swap(leaf); before == nil || !before.Equal(leaf) {
		c.log.Info("certificate", "domain", c.domain, "issuer", leaf.Issuer.CommonName, "expires", leaf.NotAfter)
	}
}

// Validity returns from when to when the certificate is valid; false if there is none.
func (c *Certificates) Validity() (from, to time.Time, known bool) {
	leaf := c.current.Load()
	if leaf == nil {
		return time.Time{}, time.Time{}, false
	}
	return leaf.NotBefore, leaf.NotAfter, true
}

// ErrNone means that a folder has no certificate.
var ErrNone = errors.New("no certificate yet")

// Stored is the stored certificate of a domain: from when to when it is valid.
type Stored struct{ From, Until time.Time }

// Late reports whether the certificate should have been renewed: that is done when a third of its time is left. OctavoCertificateExpires
// in deploy/alerts.yaml has the same bound.
func (s Stored) Late(now time.Time) bool { return s.Until.Sub(now) < s.Until.Sub(s.From)/5 }

// ReadStored reads the certificate of a domain, or ErrNone.
func ReadStored(ctx context.Context, folder, domain string) (Stored, error) {
	text, err := autocert.DirCache(folder).Get(ctx, domain)
	if errors.Is(err, autocert.ErrCacheMiss) {
		return Stored{}, ErrNone
	}
	if err != nil {
		return Stored{}, err
	}
	pair, err := tls.X509KeyPair(text, text)
	if err != nil {
		return Stored{}, fmt.Errorf("the certificate in %s: %w", folder, err)
	}
	return Stored{pair.Leaf.NotBefore, pair.Leaf.NotAfter}, nil
}

package config

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/idna"

	"github.com/octavo-books/octavo/adapters/acme"
	"github.com/octavo-books/octavo/domain/user"
)

// AutoHTTPS reports whether the program serves HTTPS itself.
func (s *Settings) AutoHTTPS() bool { return s.Server.HTTPS == "auto" }

// checkHTTPS checks what HTTPS=auto needs, and fills in BASE_URL. Otherwise DOMAIN and the rest are not
// looked at.
func (s *Settings) checkHTTPS() error {
	v := &s.Server
	if v.HTTPS == "" {
		v.HTTPS = "off"
	}
	if err := oneOf("HTTPS", v.HTTPS, "off", "auto"); err != nil || !s.AutoHTTPS() {
		return err
	}
	errs := []error{s.checkDomain(), s.checkPublicPorts(), s.checkAuthority()}
	return Together(errs...)
}

func (s *Settings) checkDomain() error {
	v := &s.Server
	if v.Domain == "" {
		return Errorf("DOMAIN", "HTTPS=auto needs the name for its certificate, such as DOMAIN=books.example.edu")
	}
	ascii, err := idna.Lookup.ToASCII(v.Domain)
	_, number := netip.ParseAddr(v.Domain)
	if err != nil || number == nil || !strings.Contains(v.Domain, ".") || strings.ContainsAny(v.Domain, ":/* ") {
		return Errorf("DOMAIN", "%q is not a name such as books.example.edu", v.Domain)
	}
	v.Domain = ascii
	if v.BaseURL == "" {
		v.BaseURL = s.Site()
		return nil
	}
	if base, err := url.Parse(v.BaseURL); err == nil && (base.Scheme != "https" || !strings.EqualFold(base.Hostname(), v.Domain)) {
		return Errorf("BASE_URL", "%s is not at https://%s, for which HTTPS=auto gets a certificate", v.BaseURL, v.Domain)
	}
	return nil
}

// Site returns the address of HTTPS=auto.
func (s *Settings) Site() string {
	if s.Server.HTTPSPort == 443 {
		return "https://" + s.Server.Domain
	}
	return "https://" + net.JoinHostPort(s.Server.Domain, strconv.Itoa(s.Server.HTTPSPort))
}

func (s *Settings) checkPublicPorts() error {
	v := &s.Server
	errs := []error{between("HTTPS_PORT", v.HTTPSPort, 1, 65535), between("HTTP_PORT", v.HTTPPort, 1, 65535)}
	if v.HTTPSPort == v.HTTPPort || v.Port != 0 && (v.Port == v.HTTPSPort || v.Port == v.HTTPPort) {
		errs = append(errs, Errorf("HTTPS_PORT, HTTP_PORT, PORT", "three different ports are needed, not %d, %d and %d",
			v.HTTPSPort, v.HTTPPort, v.Port))
	}
	return Together(errs...)
}

func (s *Settings) checkAuthority() error {
	v := &s.Server
	var errs []error
	if u, err := url.Parse(v.ACMEDirectory); err != nil || u.Scheme != "https" || u.Host == "" || u.User != nil {
		errs = append(errs, Errorf("ACME_DIRECTORY", "%q is not an address such as https://acme-v02.api.letsencrypt.org/directory", v.ACMEDirectory))
	}
	if v.ACMEMail != "" {
		if _, err := user.ParseEmail(v.ACMEMail); err != nil {
			errs = append(errs, Errorf("ACME_MAIL", "%q is not an address", v.ACMEMail))
		}
	}
	_, err := s.authorityCAs()
	return Together(append(errs, err)...)
}

const maxCAFile = 1 << 20 // bytes

// authorityCAs returns who vouches for the address of the authority; nil: those of the system.
func (s *Settings) authorityCAs() (*x509.CertPool, error) {
	if s.Server.ACMECAFile == "" {
		return nil, nil //nolint:nilnil // that is what x509 takes for those of the system
	}
	text, err := readUpTo(s.Server.ACMECAFile, maxCAFile)
	if err != nil {
		return nil, FileError("ACME_CA_FILE", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(text)) {
		return nil, Errorf("ACME_CA_FILE", "%s has no certificate in PEM", s.Server.ACMECAFile)
	}
	return pool, nil
}

// AskAuthority asks ACME_DIRECTORY for its directory, and returns the time there.
func (s *Settings) AskAuthority(ctx context.Context) (time.Time, error) {
	pool, err := s.authorityCAs()
	if err != nil {
		return time.Time{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.Server.ACMEDirectory, nil)
	if err != nil {
		return time.Time{}, err
	}
	client := http.Client{Transport: &http.Transport{
		Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true,
		TLSClientConfig: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12},
	}}
	resp, err := client.Do(req)
	if err != nil {
		return time.Time{}, err
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return time.Time{}, fmt.Errorf("%s answers %s", s.Server.ACMEDirectory, resp.Status)
	}
	return http.ParseTime(resp.Header.Get("Date"))
}

// CertificateFolder returns where the certificate is. Each authority has a folder of its own: a
// certificate of one for tests must not count once the real one is set.
func (s *Settings) CertificateFolder() string {
	authority := "acme"
	if u, err := url.Parse(s.Server.ACMEDirectory); err == nil {
		authority = strings.ReplaceAll(u.Host, ":", "-")
	}
	return filepath.Join(s.Storage.DataDir, "certificates", authority)
}

// NewCertificates returns what gets the certificate of HTTPS=auto.
func (s *Settings) NewCertificates(log *slog.Logger) (*acme.Certificates, error) {
	pool, err := s.authorityCAs()
	if err != nil {
		return nil, err
	}
	return acme.New(acme.Config{
		Domain: s.Server.Domain, Directory: s.Server.ACMEDirectory, Mail: s.Server.ACMEMail, CAs: pool, Folder: s.CertificateFolder(),
		Agent: "Octavo/" + Version(),
	}, log), nil
}

// PublicPorts are the listeners of HTTPS=auto; both are nil without it.
type PublicPorts struct{ HTTPS, HTTP net.Listener }

// Close closes what the server has not closed already.
func (p PublicPorts) Close() {
	for _, l := range []net.Listener{p.HTTPS, p.HTTP} {
		if l != nil {
			_ = l.Close()
		}
	}
}

// ListenPublicly opens the ports of HTTPS=auto, at all addresses of this machine. A mailer alone has none.
func (s *Settings) ListenPublicly(ctx context.Context, parts Components) (PublicPorts, error) {
	if !s.AutoHTTPS() || !parts.Identity() && !parts.Webhooks {
		return PublicPorts{}, nil
	}
	var p PublicPorts
	var err error
	if p.HTTPS, err = listenAt(ctx, "HTTPS_PORT", s.Server.HTTPSPort); err != nil {
		return PublicPorts{}, err
	}
	if p.HTTP, err = listenAt(ctx, "HTTP_PORT", s.Server.HTTPPort); err != nil {
		p.Close()
		return PublicPorts{}, err
	}
	return p, nil
}

func listenAt(ctx context.Context, setting string, port int) (net.Listener, error) {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", ":"+strconv.Itoa(port))
	switch {
	case errors.Is(err, fs.ErrPermission):
		return nil, Errorf(setting, "cannot listen: %v. Ports below 1024 need root, the capability CAP_NET_BIND_SERVICE, which the systemd unit has, or `sysctl net.ipv4.ip_unprivileged_port_start=80`", err)
	case err != nil:
		return nil, fmt.Errorf("%s: cannot listen: %w", setting, err)
	}
	return l, nil
}

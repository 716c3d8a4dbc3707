package mail_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/mail"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/test/must"
)

func TestAPasswordGoesOverSTARTTLSToATrustedServerOnly(t *testing.T) {
	secure, pool := certificate(t)
	server := &sink{}
	address := serve(t, server, secure)
	s := open(t, "smtp://octavo:p%40ss%3Aword@"+address+"?tls=required")
	if err := s.Check(t.Context()); err == nil || server.signedIn != 0 {
		t.Errorf("an unknown certificate was trusted: %v", err)
	}
	s.Trust(pool)
	if err := s.Check(t.Context()); err != nil {
		t.Error(err)
	}
	if err := s.SendMails(t.Context(), []mailer.Mail{letter(1, "a@x.edu")})[0]; err != nil || server.signedIn != 2 {
		t.Errorf("%v, signed in %d times; want 2", err, server.signedIn)
	}
}

func TestNothingIsSentWithoutTheRequiredSTARTTLS(t *testing.T) {
	server := &sink{}
	s := open(t, "smtp://"+serve(t, server, nil)+"?tls=required")
	if err := s.SendMails(t.Context(), []mailer.Mail{letter(1, "a@x.edu")})[0]; err == nil || len(server.mails) != 0 {
		t.Errorf("sent without encryption: %v", err)
	}
}

func TestAWrongPasswordIsReportedWithoutQuotingIt(t *testing.T) {
	s := open(t, "smtp://octavo:wr0ng@"+serve(t, &sink{}, nil))
	err := s.Check(t.Context())
	if err == nil || !strings.Contains(err.Error(), "user name or password") || strings.Contains(err.Error(), "wr0ng") {
		t.Errorf("err = %v", err)
	}
}

func TestImplicitTLSWorksFromTheFirstByte(t *testing.T) {
	secure, pool := certificate(t)
	server := &sink{}
	plain := serve(t, server, nil)
	listener := must.Get(tls.Listen("tcp", "127.0.0.1:0", secure))(t)
	t.Cleanup(func() { _ = listener.Close() })
	go unwrap(listener, plain)
	s := open(t, "smtps://octavo:p%40ss%3Aword@"+listener.Addr().String())
	s.Trust(pool)
	if err := s.SendMails(t.Context(), []mailer.Mail{letter(1, "a@x.edu")})[0]; err != nil || server.signedIn != 1 {
		t.Errorf("%v, signed in %d times; want 1", err, server.signedIn)
	}
}

// unwrap decrypts connections and forwards them, as a server of smtps does.
func unwrap(listener net.Listener, target string) {
	p := &proxy{}
	for {
		in, err := listener.Accept()
		if err != nil {
			return
		}
		p.join(in, target)
	}
}

func certificate(t *testing.T) (*tls.Config, *x509.CertPool) {
	t.Helper()
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))(t)
	parsed := must.Get(x509.ParseCertificate(der))(t)
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, pool
}

func TestSettingsAreReadAndBadOnesRefused(t *testing.T) {
	const from = "Octavo <octavo@example.edu>"
	for url, want := range map[string]mail.TLS{
		"smtp://mail.example.edu":                   mail.TLSRequired,
		"smtp://u:p@mail.example.edu:25":            mail.TLSRequired,
		"smtp://sink:1025?tls=off":                  mail.TLSOff,
		"smtp://sink:1025?tls=optional":             mail.TLSOptional,
		"smtp://127.0.0.1:1025":                     mail.TLSOptional,
		"smtp://[::1]:1025":                         mail.TLSOptional,
		"smtp://localhost":                          mail.TLSOptional,
		"smtps://u:p%40@mail.example.edu":           mail.TLSImplicit,
		"smtp://u:p@mail.example.edu/?tls=required": mail.TLSRequired,
	} {
		if c, err := mail.ParseConfig(url, from); err != nil || c.TLS != want || c.Port == "" {
			t.Errorf("%s: %+v, %v", url, c, err)
		}
	}
	for _, url := range []string{
		"", "mail.example.edu:25", "http://mail.example.edu", "smtp://", "smtp://u@mail.example.edu", "smtp://u:s3cret@mail.example.edu?tls=off",
		"smtp://u:s3cret@mail.example.edu?tls=optional", "smtp://mail.example.edu?tls=maybe", "smtp://mail.example.edu/path", "smtp://u:s3cret@:25", "smtp://u:s3cret%zz@h",
	} {
		if _, err := mail.ParseConfig(url, from); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", url, err)
		}
	}
	for _, bad := range []string{"", "Octavo", "octavo@example.edu\r\nBcc: eve@x.edu", "a@x.edu, b@x.edu"} {
		if _, err := mail.ParseConfig("smtp://h", bad); err == nil {
			t.Errorf("the sender %q is accepted", bad)
		}
	}
}

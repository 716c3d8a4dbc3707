package e2e_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/http2"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
)

const bookName = "books.example.edu"

// site speaks to a server at a port of this machine as to the one of a name.
type site struct {
	name, port string
	roots      *x509.CertPool
}

func (s site) dial(ctx context.Context, protocols ...string) (*tls.Conn, error) {
	d := tls.Dialer{Config: &tls.Config{ServerName: s.name, RootCAs: s.roots, NextProtos: protocols, MinVersion: tls.VersionTLS12}}
	c, err := d.DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", s.port))
	if err != nil {
		return nil, err
	}
	return c.(*tls.Conn), nil
}

// old and modern are clients over HTTP/1.1 and HTTP/2.
func (s site) old() *http.Client {
	return &http.Client{Transport: &http.Transport{DialTLSContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return s.dial(ctx) }}}
}

func (s site) modern() *http.Client {
	return &http.Client{Transport: &http2.Transport{ //nolint:staticcheck // these tests are built without net/http's own HTTP/2
		DialTLSContext: func(ctx context.Context, _, _ string, _ *tls.Config) (net.Conn, error) { return s.dial(ctx, "h2") }, //nolint:staticcheck // as above
	}}
}

// serial returns that of the certificate; "" if there is none.
func (s site) serial(t *testing.T) string {
	t.Helper()
	c, err := s.dial(t.Context())
	if err != nil {
		return ""
	}
	defer func() { _ = c.Close() }()
	return c.ConnectionState().PeerCertificates[0].SerialNumber.String()
}

var certificateGauges = regexp.MustCompile(`(?m)^octavo_certificate_(?:lifetime|expires)_seconds 7\.7\d+e\+06$`)

// TestAServerGetsItsCertificateByItself is about all of HTTPS=auto, because an authority has to be built for it.
func TestAServerGetsItsCertificateByItself(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	secure, plain := servers.Port(t), servers.Port(t)
	authority := startPebble(t, secure, plain)
	s := e2e.StartWith(t, append(authority.settings(), "HTTPS=auto", "DOMAIN="+bookName, "ACME_MAIL=ops@example.edu",
		fmt.Sprintf("HTTPS_PORT=%d", secure), fmt.Sprintf("HTTP_PORT=%d", plain)), "market")
	books := site{bookName, strconv.Itoa(secure), authority.roots(t)}
	poll.For(t, "the certificate", func() bool { return books.serial(t) != "" })
	address := fmt.Sprintf("https://%s:%d", bookName, secure)

	for client, want := range map[*http.Client]int{books.old(): 1, books.modern(): 2} {
		resp := must.Get(client.Get(address + "/"))(t)
		body := must.Get(io.ReadAll(resp.Body))(t)
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK || resp.ProtoMajor != want || !strings.Contains(string(body), "</html>") {
			t.Errorf("%s %d: %s", resp.Proto, resp.StatusCode, body)
		}
	}
	if _, err := (site{"www.example.edu", books.port, books.roots}).dial(t.Context()); err == nil {
		t.Error("another name has a certificate, too")
	}
	redirects(t, plain, address)
	streams(t, s, books, address)
	if found := certificateGauges.FindAllString(scrape(t, s.URL), -1); len(found) != 2 {
		t.Errorf("the metrics do not tell that the certificate is valid for 90 days: %q", found)
	}

	before := books.serial(t)
	s.Stop()
	s.Restart()
	poll.For(t, "the certificate", func() bool { return books.serial(t) != "" })
	if books.serial(t) != before {
		t.Error("a restart gets another certificate")
	}
}

// redirects checks that the plain port sends people to the same page of the site.
func redirects(t *testing.T, port int, site string) {
	t.Helper()
	req := must.Get(http.NewRequestWithContext(t.Context(), "GET", fmt.Sprintf("http://127.0.0.1:%d/book?id=1", port), nil))(t)
	req.Host = bookName
	resp := must.Get(http.DefaultTransport.RoundTrip(req))(t)
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusPermanentRedirect || resp.Header.Get("Location") != site+"/book?id=1" {
		t.Errorf("the plain port answers %d %q", resp.StatusCode, resp.Header.Get("Location"))
	}
}

// streams checks that notifications arrive over HTTP/2, too: ann hears of the book that she looks for.
func streams(t *testing.T, s *e2e.Server, books site, address string) {
	t.Helper()
	ann, bob := studentAt(t, s, address, "ann"), studentAt(t, s, address, "bob")
	req := must.Get(http.NewRequestWithContext(t.Context(), "GET", address+"/api/user/notifications/stream", nil))(t)
	req.Header.Set("Authorization", "Bearer "+ann.Token)
	resp := must.Get(books.modern().Do(req))(t)
	defer func() { _ = resp.Body.Close() }()
	lines := bufio.NewScanner(resp.Body)
	if !lines.Scan() || lines.Text() != ": connected" || resp.ProtoMajor != 2 {
		t.Fatalf("%s %d: %s", resp.Proto, resp.StatusCode, lines.Text())
	}
	ann.Must(t, http.StatusCreated, "POST", "/api/books/requestBook", map[string]any{"name": "Topology", "course": "MATH 440"})
	bob.Post(t, "Topology", "MATH 440")
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "data: ") {
			return
		}
	}
	t.Errorf("the stream ended: %v", lines.Err())
}

// studentAt is Server.Student where BASE_URL is not the address at which the tests reach the server.
func studentAt(t *testing.T, s *e2e.Server, address, name string) e2e.Client {
	t.Helper()
	email, anyone := name+"@campus.edu", e2e.Client{URL: s.URL}
	anyone.Must(t, http.StatusCreated, "POST", "/api/auth/signup", map[string]any{
		"email": email, "password": e2e.Password, "firstName": name, "lastName": "Tester",
		"university": "University of Rochester", "campusMailbox": "270001", "paymentUsername": "pay-" + name,
	})
	link := s.Mail(email, "verification").Link
	if link == nil || !strings.HasPrefix(*link, address+"/api/auth/confirm/") {
		t.Fatalf("the link is %v", link)
	}
	anyone.Must(t, http.StatusOK, "POST", strings.TrimPrefix(*link, address), nil)
	return s.Login(email)
}

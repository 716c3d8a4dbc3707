package outbound

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

// Web makes the HTTP client of one service, without proxies and redirects, which would bypass the
// check of addresses.
type Web struct {
	Agent       string // User-Agent
	Private     bool   // the service may be in a private network
	Development bool   // allows http at loopback addresses
	Named       bool   // strangers have named the addresses: see Dialer
	Timeout     time.Duration
	MaxBody     int64 // of an answer, in bytes
}

// Client returns a client. Each has connections of its own.
func (w Web) Client() *http.Client {
	return &http.Client{
		Timeout:       w.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &transport{w, &http.Transport{
			Proxy:                  nil,
			DialContext:            Dialer{Private: w.Private, Named: w.Named}.DialContext,
			ForceAttemptHTTP2:      true,
			MaxIdleConnsPerHost:    2,
			IdleConnTimeout:        90 * time.Second,
			TLSHandshakeTimeout:    w.Timeout,
			MaxResponseHeaderBytes: 64 << 10,
		}},
	}
}

// transport checks the addresses of requests, which the service may have named, and limits the
// answers.
type transport struct {
	Web
	next *http.Transport
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := checkURL(r.URL, t.Development); err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", t.Agent)
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = &limitedBody{resp.Body, t.MaxBody}
	return resp, nil
}

// CloseIdleConnections makes http.Client.CloseIdleConnections work.
func (t *transport) CloseIdleConnections() { t.next.CloseIdleConnections() }

var errTooLarge = errors.New("the answer is too large")

// limitedBody fails after left bytes.
type limitedBody struct {
	io.ReadCloser
	left int64
}

func (b *limitedBody) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLarge
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.ReadCloser.Read(p)
	b.left -= int64(n)
	return n, err
}

// CheckAddress returns an error for an address at which no service for sign-ins may be: anything but
// https, except http at a literal loopback address in development.
func CheckAddress(address string, development bool) error {
	u, err := url.Parse(address)
	if err != nil {
		return errors.New("it is not an address such as https://login.example.edu")
	}
	return checkURL(u, development)
}

func checkURL(u *url.URL, development bool) error {
	switch {
	case u.Host == "" || u.User != nil || u.Fragment != "":
		return fmt.Errorf("%.100q is not an address such as https://login.example.edu", u.Redacted())
	case u.Scheme == "https":
		return nil
	case u.Scheme == "http" && development && namesThisMachine(u.Hostname()):
		return nil
	case u.Scheme == "http" && development:
		return fmt.Errorf("%.100q must use https; http is for loopback addresses", u.Redacted())
	}
	return fmt.Errorf("%.100q must use https", u.Redacted())
}

func namesThisMachine(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

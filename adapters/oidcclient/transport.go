package oidcclient

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"time"

	"github.com/octavo-books/octavo/adapters/outbound"
)

const (
	requestTimeout = 10 * time.Second
	maxBody        = 512 << 10 // of an answer, in bytes
)

// newHTTPClient returns the client of one provider, without proxies and redirects, which
// would bypass the check of addresses.
func newHTTPClient(p Provider, o Options) *http.Client {
	return &http.Client{
		Timeout:       requestTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &transport{agent: o.Agent, development: o.Development, next: &http.Transport{
			Proxy:                  nil,
			DialContext:            outbound.Dialer{Private: p.Private}.DialContext,
			ForceAttemptHTTP2:      true,
			MaxIdleConnsPerHost:    2,
			IdleConnTimeout:        90 * time.Second,
			TLSHandshakeTimeout:    requestTimeout,
			MaxResponseHeaderBytes: 64 << 10,
		}},
	}
}

// transport checks the addresses of requests, which discovery may have named, and limits
// the answers.
type transport struct {
	agent       string
	development bool
	next        *http.Transport
}

func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := checkURL(r.URL, t.development); err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", t.agent)
	resp, err := t.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = &limitedBody{resp.Body, maxBody}
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

// CheckAddress returns an error for an address at which no provider may be: anything but
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
	case u.Scheme == "http" && development && isLoopback(u.Hostname()):
		return nil
	case u.Scheme == "http" && development:
		return fmt.Errorf("%.100q must use https; http is for loopback addresses", u.Redacted())
	}
	return fmt.Errorf("%.100q must use https", u.Redacted())
}

func isLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}

// Package forward sends deliveries to the targets of forwarding rules over HTTP.
//
// Whoever writes rules decides where requests go from inside the network, so
// every address is checked when the connection is made, after the name was
// resolved: a name cannot be one address for the check and another for the
// connection. Redirects are not followed and proxies not asked, because both
// would lead round the check.
package forward

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
)

// Client fills the port inbox.Sender.
type Client struct {
	public, private *http.Client
	agent           string
	now             func() time.Time
}

// New makes a client that introduces itself as agent, for example
// "Octavo-Webhooks/1.0".
func New(agent string) *Client {
	return &Client{public: client(false), private: client(true), agent: agent, now: time.Now}
}

// Through sends everything through what around makes of a transport. It comes
// before the first Send.
func (c *Client) Through(around func(http.RoundTripper) http.RoundTripper) {
	c.public.Transport, c.private.Transport = around(c.public.Transport), around(c.private.Transport)
}

// Close ends idle connections.
func (c *Client) Close() {
	c.public.CloseIdleConnections()
	c.private.CloseIdleConnections()
}

func client(private bool) *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                  nil,
			DialContext:            guard{private}.dial,
			ForceAttemptHTTP2:      true,
			MaxIdleConnsPerHost:    64,
			MaxIdleConns:           256,
			IdleConnTimeout:        90 * time.Second,
			TLSHandshakeTimeout:    10 * time.Second,
			MaxResponseHeaderBytes: 64 << 10,
			DisableCompression:     true,
		},
	}
}

// maxAnswer is how much of an answer's body is read so that its connection can
// be used again.
const maxAnswer = 64 << 10

// Send posts a shipment with the sender's headers, a signature of ours, the
// number of the attempt and, where somebody asked for it again, a mark.
func (c *Client) Send(ctx context.Context, s inbox.Shipment) (inbox.Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.URL, bytes.NewReader(s.Payload))
	if err != nil {
		return inbox.Answer{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", c.agent)
	req.Header.Set("X-Host-Event", string(s.Event))
	req.Header.Set("X-Host-Delivery", s.ID)
	req.Header.Set("X-Host-Signature-256", s.Signature)
	req.Header.Set("X-Host-Attempt", strconv.Itoa(s.Attempt))
	if s.Redelivery {
		req.Header.Set("X-Host-Redelivery", "1")
	}
	answer, err := c.client(s.Private).Do(req)
	if err != nil {
		return inbox.Answer{}, plain(err)
	}
	defer answer.Body.Close()
	// What a target says beside its status is of no use; that it breaks off
	// while saying it does not undo the status.
	_, _ = io.CopyN(io.Discard, answer.Body, maxAnswer)
	return inbox.Answer{Status: answer.StatusCode, RetryAfter: retryAfter(answer.Header.Get("Retry-After"), c.now())}, nil
}

func (c *Client) client(private bool) *http.Client {
	if private {
		return c.private
	}
	return c.public
}

// plain drops the URL from an error, which stands in the rule already, and says
// in words that a deadline has passed.
func plain(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		if wrapped.Timeout() {
			return fmt.Errorf("no answer in time: %w", wrapped.Err)
		}
		return wrapped.Err
	}
	return err
}

// retryAfter reads seconds or a date; 0 for anything else and for the past.
func retryAfter(text string, now time.Time) time.Duration {
	text = strings.TrimSpace(text)
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil && at.After(now) {
		return at.Sub(now)
	}
	return 0
}

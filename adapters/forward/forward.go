// Package forward sends deliveries to the targets of forwarding rules over HTTP.
//
// Package outbound checks every address. Redirects are not followed and proxies are not
// used, because both would bypass the check.
package forward

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/octavo-books/octavo/adapters/outbound"
	"github.com/octavo-books/octavo/application/inbox"
)

// Client implements the port inbox.Forwarder.
type Client struct {
	public, private *http.Client
	agent           string
	now             func() time.Time
}

// New makes a client with a User-Agent, for example "Octavo-Webhooks/1.0".
func New(agent string) *Client {
	return &Client{public: client(false), private: client(true), agent: agent, now: time.Now}
}

// WrapTransport wraps the transports, for example with tracing. Call it before the
// first ForwardDelivery.
func (c *Client) WrapTransport(wrap func(http.RoundTripper) http.RoundTripper) {
	c.public.Transport, c.private.Transport = wrap(c.public.Transport), wrap(c.private.Transport)
}

// Close closes idle connections.
func (c *Client) Close() {
	c.public.CloseIdleConnections()
	c.private.CloseIdleConnections()
}

func client(private bool) *http.Client {
	return &http.Client{
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			Proxy:                  nil,
			DialContext:            outbound.Dialer{Private: private}.DialContext,
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

// maxResponse is how much of a response's body is read so that its connection can be
// reused.
const maxResponse = 64 << 10

// maxAnswer is how much of it is returned: twice what is stored, because text.Block makes one
// byte of each line break of two.
const maxAnswer = 2*inbox.MaxAnswer + utf8.UTFMax

// ForwardDelivery posts a delivery with the sender's headers, those of Standard Webhooks and
// those that say where it comes from. Without headers of the sender, they are those of
// webhook.Host.
func (c *Client) ForwardDelivery(ctx context.Context, r inbox.ForwardRequest) (inbox.ForwardResponse, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.URL, bytes.NewReader(r.Payload))
	if err != nil {
		return inbox.ForwardResponse{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("User-Agent", c.agent)
	for name, value := range r.Header {
		req.Header.Set(name, value)
	}
	for name, value := range r.RuleHeader {
		req.Header.Set(name, value)
	}
	sign(req.Header, r)
	mark(req.Header, r)
	response, err := c.client(r.Private).Do(req)
	if err != nil {
		return inbox.ForwardResponse{}, withoutURL(err)
	}
	defer response.Body.Close()
	return inbox.ForwardResponse{
		Status: response.StatusCode, Answer: readAnswer(response),
		RetryAfter: outbound.RetryAfter(response.Header.Get("Retry-After"), c.now()),
	}, nil
}

// sign sets the headers of the signature.
func sign(header http.Header, r inbox.ForwardRequest) {
	switch {
	case r.Header == nil:
		header.Set("X-Host-Event", string(r.Event))
		header.Set("X-Host-Delivery", r.ID)
		header.Set("X-Host-Signature-256", r.Signature)
	case r.Signature != "":
		header.Set("Webhook-Id", r.ID)
		header.Set("Webhook-Timestamp", r.Timestamp)
		header.Set("Webhook-Signature", r.Signature)
	}
}

// mark sets the headers that say which delivery it is and which attempt.
func mark(header http.Header, r inbox.ForwardRequest) {
	if r.Source != "" {
		header.Set("X-Octavo-Source", r.Source)
		header.Set("X-Octavo-Event", string(r.Event))
	}
	header.Set("X-Octavo-Attempt", strconv.Itoa(r.Attempt))
	header.Set("X-Host-Attempt", strconv.Itoa(r.Attempt))
	if r.Redelivery {
		header.Set("X-Host-Redelivery", "1")
	}
}

// readAnswer returns the beginning of a body, unpacked: the sender's Accept-Encoding is
// forwarded. It reads further, so that the connection can be reused. It ignores errors, because
// the status alone decides the outcome of the delivery.
func readAnswer(response *http.Response) []byte {
	body := io.LimitReader(response.Body, maxResponse)
	answer, err := io.ReadAll(io.LimitReader(unpacked(response.Header.Get("Content-Encoding"), body), maxAnswer))
	if err == nil && len(answer) == maxAnswer {
		_, _ = io.Copy(io.Discard, body)
	}
	return answer
}

func unpacked(encoding string, body io.Reader) io.Reader {
	if !strings.EqualFold(encoding, "gzip") {
		return body
	}
	plain, err := gzip.NewReader(body)
	if err != nil {
		return strings.NewReader("")
	}
	return plain
}

func (c *Client) client(private bool) *http.Client {
	if private {
		return c.private
	}
	return c.public
}

// withoutURL removes the URL from an error, because it may contain a secret and the
// rule shows it anyway, and words a timeout plainly.
func withoutURL(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		if wrapped.Timeout() {
			return fmt.Errorf("no answer in time: %w", wrapped.Err)
		}
		return wrapped.Err
	}
	return err
}

// Package webpush sends notifications to push services: encrypted for the browser (RFC 8291), and in the name of this
// installation (VAPID, RFC 8292).
package webpush

import (
	"context"
	"crypto/ecdh"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/SherClockHolmes/webpush-go"
	"github.com/octavo-books/octavo/adapters/outbound"
	"github.com/octavo-books/octavo/application/market/pushing"
	"github.com/octavo-books/octavo/domain/push"
)

const (
	timeout = 10 * time.Second
	maxBody = 4 << 10 // of an answer, in bytes
)

// Config has the settings of a Sender.
type Config struct {
	Agent string // User-Agent
	// Secrets are 32 random bytes each, from which the keys follow by which push services know this installation. Browsers
	// subscribe for the first; the others are of earlier subscriptions.
	Secrets     [][]byte
	Subject     string // an https or mailto address of the operator, for push services
	Development bool   // allows push services on this machine, without TLS too
}

// Sender implements pushing.Pusher.
type Sender struct {
	http    *http.Client
	public  string
	private map[string]string // keys by their public ones, in base64url
	cfg     Config
}

// New returns a Sender.
func New(c Config) *Sender {
	s := &Sender{private: map[string]string{}, cfg: c, http: outbound.Web{
		Agent: c.Agent, Development: c.Development, Named: !c.Development, Timeout: timeout, MaxBody: maxBody,
	}.Client()}
	for i, secret := range c.Secrets {
		key := keyOf(secret)
		public := base64.RawURLEncoding.EncodeToString(key.PublicKey().Bytes())
		s.private[public] = base64.RawURLEncoding.EncodeToString(key.Bytes())
		if i == 0 {
			s.public = public
		}
	}
	return s
}

// keyOf returns the key that follows from a secret. Of 2³² secrets one is no key, but its hash is.
func keyOf(secret []byte) *ecdh.PrivateKey {
	for {
		if key, err := ecdh.P256().NewPrivateKey(secret); err == nil {
			return key
		}
		sum := sha256.Sum256(secret)
		secret = sum[:]
	}
}

// Close closes idle connections.
func (s *Sender) Close() { s.http.CloseIdleConnections() }

// PublicKey implements pushing.Pusher.
func (s *Sender) PublicKey() string { return s.public }

// CheckEndpoint implements pushing.Pusher. Package outbound checks the addresses again when it connects.
func (s *Sender) CheckEndpoint(endpoint string) error {
	if err := outbound.CheckAddress(endpoint, s.cfg.Development); err != nil {
		return err
	}
	u, err := url.Parse(endpoint)
	if err != nil {
		return err
	}
	return outbound.Dialer{Named: !s.cfg.Development}.CheckHost(u.Hostname())
}

// errKey fails a message to a browser that has subscribed for a key which this process does not have: another one may.
var errKey = errors.New("the browser has subscribed for another key than this process has")

// Push implements pushing.Pusher.
func (s *Sender) Push(ctx context.Context, to push.Subscription, m pushing.Message) error {
	private, known := s.private[to.ServerKey]
	if !known {
		return errKey
	}
	answer, err := webpush.SendNotificationWithContext(ctx, m.Payload, &webpush.Subscription{
		Endpoint: to.Endpoint, Keys: webpush.Keys{Auth: to.Auth, P256dh: to.P256dh},
	}, &webpush.Options{
		HTTPClient: s.http, TTL: int(m.TTL / time.Second), Topic: m.Topic, Urgency: webpush.Urgency(m.Urgency),
		Subscriber:     strings.TrimPrefix(s.cfg.Subject, "mailto:"), // the library adds it again
		VAPIDPublicKey: to.ServerKey, VAPIDPrivateKey: private,
	})
	if err != nil {
		return withoutURL(err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body) // so that the connection can be used again
	return outcome(answer)
}

// outcome returns what the answer of a push service means (RFC 8030, section 5).
func outcome(answer *http.Response) error {
	err := fmt.Errorf("the push service answers %s", answer.Status)
	switch code := answer.StatusCode; {
	case code/100 == 2:
		return nil
	case code == http.StatusNotFound || code == http.StatusGone:
		return pushing.ErrGone
	case code == http.StatusTooManyRequests || code == http.StatusRequestTimeout || code/100 == 5:
		return pushing.BusyError{After: outbound.RetryAfter(answer.Header.Get("Retry-After"), time.Now()), Err: err}
	}
	return errors.Join(pushing.ErrRefused, err)
}

// withoutURL removes the address from an error: whoever knows it may send messages.
func withoutURL(err error) error {
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

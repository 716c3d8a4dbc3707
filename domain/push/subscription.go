// Package push describes web push: which browsers of a person show notifications, and when.
package push

import (
	"crypto/ecdh"
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// ID identifies a subscription.
type ID int64

// String returns the form on the wire.
func (i ID) String() string { return id.Format(int64(i)) }

// MaxSubscriptions is how many browsers of a person get notifications: the ones that subscribed last.
const MaxSubscriptions = 10

// MaxEndpoint bounds the length of an endpoint.
const MaxEndpoint = 1024

// ErrInvalid refuses a subscription. Its fields say what is wrong.
var ErrInvalid = fault.New(fault.Invalid, "push_invalid", "This is no subscription of a browser.")

// Draft is what a browser says about its subscription.
type Draft struct {
	Endpoint string
	Keys
	Kinds []string // of notifications; nil: all
}

// Subscription returns the subscription. isEndpoint reports whether a push service may be at an address. An error is
// ErrInvalid with every field that is wrong.
func (d Draft) Subscription(isEndpoint func(string) bool) (Subscription, error) {
	s, c := Subscription{Endpoint: d.Endpoint}, fault.CheckFields(ErrInvalid)
	c.Must(len(d.Endpoint) <= MaxEndpoint && isEndpoint(d.Endpoint),
		"endpoint", "Must be the https address of a public push service, of at most 1024 characters.")
	point, err := decode(d.P256dh)
	if err == nil {
		_, err = ecdh.P256().NewPublicKey(point) // refuses compressed points and those that are not on the curve
	}
	c.Must(err == nil, "keys.p256dh", "Must be a public key: an uncompressed point of the curve P-256 in base64url.")
	secret, err := decode(d.Auth)
	c.Must(err == nil && len(secret) == secretBytes, "keys.auth", "Must be 16 bytes in base64url.")
	var known bool
	s.Kinds, known = parseKinds(d.Kinds)
	c.Must(known, "kinds", "Must be kinds of notifications. Leave it out for all of them.")
	if err := c.Err(); err != nil {
		return Subscription{}, err
	}
	s.Keys = Keys{encode(point), encode(secret)}
	return s, nil
}

// Keys are those of a browser for one subscription (RFC 8291), in base64url: stored ones without padding.
type Keys struct {
	P256dh string // its public key
	Auth   string // a secret that it shares with the sender
}

// secretBytes is the length of Keys.Auth.
const secretBytes = 16

// decode reads base64url with or without padding.
func decode(text string) ([]byte, error) {
	return base64.RawURLEncoding.Strict().DecodeString(strings.TrimRight(text, "="))
}

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }

// Subscription is a browser to which notifications of its user are pushed.
type Subscription struct {
	ID   ID
	User user.ID
	// Session is the one in which the user subscribed: when it ends, so does the subscription. Token says that it is a
	// personal access token.
	Session  user.SessionID
	Token    bool
	Endpoint string // where the push service takes messages; whoever knows it may send some
	Keys
	ServerKey string // the public key of ours for which the browser subscribed
	Kinds     Kinds
	CreatedAt time.Time
	RenewedAt time.Time // when the browser last subscribed
	Failures  int       // since a message was last accepted
	RetryAt   time.Time // no message is sent before; zero: after a success
}

// Kinds are the kinds of notifications that are pushed; nil: all of them.
type Kinds []notification.Kind

// parseKinds reads the names of kinds; nil are all, and none are not known. The welcome is never pushed.
func parseKinds(names []string) (kinds Kinds, known bool) {
	if names == nil {
		return nil, true
	}
	all := notification.Kinds()
	for _, name := range names {
		if !slices.Contains(all, notification.Kind(name)) {
			return nil, false
		}
		kinds = append(kinds, notification.Kind(name))
	}
	slices.Sort(kinds)
	kinds = slices.Compact(kinds)
	return kinds, len(kinds) > 0
}

// Has reports whether notifications of a kind are pushed.
func (k Kinds) Has(kind notification.Kind) bool {
	return kind != notification.Welcome && (k == nil || slices.Contains(k, kind))
}

// maxFailures is after how many failures in a row a subscription is given up: its push service has then failed whenever it
// was asked, for ten days or more.
const maxFailures = 50

// Fail returns what becomes of a subscription whose push service did not take a message: it waits as a job does, and
// as long as the service asks for, but not beyond the life of a message. What waits meanwhile is tried again while
// Tried is true. lost says that the subscription is given up.
func (s Subscription) Fail(after time.Duration, now time.Time) (failed Subscription, lost bool) {
	next := job.Job{Attempts: min(s.Failures, job.MaxAttempts-2)}.Fail("", 0, now).DueAt
	if asked := now.Add(min(after, TTL)); asked.After(next) {
		next = asked
	}
	s.Failures++
	s.RetryAt = next
	return s, s.Failures >= maxFailures
}

// Succeed returns a subscription whose push service took a message.
func (s Subscription) Succeed() Subscription {
	s.Failures, s.RetryAt = 0, time.Time{}
	return s
}

// Paused reports whether a failure is too recent for another attempt.
func (s Subscription) Paused(now time.Time) bool { return s.RetryAt.After(now) }

// Tried reports whether messages still wait for the next attempt. After as many failures as a job may have they do not: the
// next notification is the next attempt.
func (s Subscription) Tried() bool { return s.Failures < job.MaxAttempts }

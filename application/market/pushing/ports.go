// Package pushing is the room of the market that shows notifications in browsers which are not open, by web push.
package pushing

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/push"
	"github.com/octavo-books/octavo/domain/user"
)

// Store is what one transaction may change of subscriptions.
type Store interface {
	// SaveSubscription stores a subscription and returns its ID. One with the same endpoint is replaced, and has a new ID
	// if it was another user's. Of its user the newest by RenewedAt remain, at most as many as max, also if several are saved at
	// once.
	SaveSubscription(ctx context.Context, s push.Subscription, max int) (push.ID, error)
	// RemoveEndpoint removes a user's subscription with an endpoint, if there is one.
	RemoveEndpoint(ctx context.Context, of user.ID, endpoint string) error
	// RemoveSubscriptions removes subscriptions that are as they were read. Those for which a browser has subscribed
	// again since, by RenewedAt, stay.
	RemoveSubscriptions(ctx context.Context, all ...push.Subscription) error
	// ForgetSubscriber deletes the subscriptions and the quiet hours of a user.
	ForgetSubscriber(ctx context.Context, of user.ID) error
	// RemoveSubscriptionsOf removes the subscriptions of a user.
	RemoveSubscriptionsOf(ctx context.Context, of user.ID) error
	// ListSubscribers lists the subscriptions of users, in ascending order. It locks nothing.
	ListSubscribers(ctx context.Context, of []user.ID) ([]Subscriber, error)
	// SaveAttempt stores Failures and RetryAt of a subscription that is as it was read, as in RemoveSubscriptions.
	SaveAttempt(ctx context.Context, s push.Subscription) error
	// SaveQuiet stores the quiet hours of a user.
	SaveQuiet(ctx context.Context, of user.ID, q push.Quiet) error
}

// Subscriber is what decides whether a notification is pushed.
type Subscriber struct {
	ID    push.ID
	User  user.ID
	Kinds push.Kinds
}

// Recipient is a subscription with what its user has chosen.
type Recipient struct {
	push.Subscription
	Lang  user.Lang
	Quiet push.Quiet
}

// Reader reads subscriptions, and the notifications that are pushed.
type Reader interface {
	// FindRecipient finds a subscription; false if there is none.
	FindRecipient(ctx context.Context, id push.ID) (Recipient, bool, error)
	// ListSubscriptions lists the subscriptions of a user, in ascending order.
	ListSubscriptions(ctx context.Context, of user.ID) ([]push.Subscription, error)
	// ListAllSubscriptions lists at most n subscriptions with ids above after, in ascending order.
	ListAllSubscriptions(ctx context.Context, after push.ID, n int) ([]push.Subscription, error)
	// FindQuiet returns the quiet hours of a user, the zero value for none.
	FindQuiet(ctx context.Context, of user.ID) (push.Quiet, error)

	market.NotificationReader
}

// Message is a message for a browser.
type Message struct {
	Payload []byte // JSON, encrypted for the browser
	Topic   string // see push.Subscription.TopicOf; empty: none
	Urgency push.Urgency
	TTL     time.Duration
}

// The outcomes of Pusher.Push besides success and failures that may pass.
var (
	// ErrGone says that the push service knows no such subscription any more.
	ErrGone = errors.New("the subscription is gone")
	// ErrRefused says that the service will never take this message.
	ErrRefused = errors.New("the push service refuses the message")
)

// BusyError is a failure after which the push service names a time to wait.
type BusyError struct {
	After time.Duration
	Err   error
}

// Error implements error.
func (b BusyError) Error() string { return b.Err.Error() }

// Unwrap returns the failure.
func (b BusyError) Unwrap() error { return b.Err }

// Pusher sends messages to push services.
type Pusher interface {
	// PublicKey returns the key for which browsers subscribe, in base64url. Every process has the same.
	PublicKey() string
	// CheckEndpoint refuses addresses at which no push service can be. What a name stands for is checked by Push.
	CheckEndpoint(endpoint string) error
	// Push sends a message. Its errors are ErrGone, ErrRefused, BusyError or failures that may pass. None holds the
	// endpoint.
	Push(ctx context.Context, to push.Subscription, m Message) error
}

// EndedSessions returns those of the callers' sessions that are not active any more.
type EndedSessions func(ctx context.Context, of []user.Caller) ([]user.SessionID, error)

// Words are the texts of messages in the languages of their receivers.
type Words interface {
	// Sentence says what a notification reports.
	Sentence(lang user.Lang, n notification.Notification) string
	// Held says how many notifications waited for the end of the quiet hours.
	Held(lang user.Lang, n int) string
}

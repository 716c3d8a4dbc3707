package receiver

import (
	"cmp"
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
)

// Transform makes the event that one handler gets out of the event that came. It
// runs once for each handler registered with On, at the same time as for others.
type Transform func(context.Context, webhook.Event) (webhook.Event, error)

// Receiver verifies deliveries and runs the handlers registered for them. Make
// one with New. All its methods are safe for concurrent use, also from handlers.
type Receiver struct {
	ring         atomic.Pointer[keyring]
	handlers     registry
	transform    Transform
	verified     func(context.Context, webhook.Event, string)
	allowUnknown bool
	reporting    chan struct{} // one element for each error handler that is running
	log          *slog.Logger
	now          func() time.Time
}

// Option changes what New makes.
type Option func(*settings)

type settings struct {
	receiver *Receiver
	sender   *webhook.Sender
	secrets  []Secret
}

// WithSender makes the receiver one for another sender than webhook.Host: secrets, names of
// events and the dispatch of actions follow its rules. Only Host has a closed list of events.
func WithSender(sender *webhook.Sender) Option {
	return func(s *settings) { s.sender = sender }
}

// WithTransform runs fn before each handler registered with On; OnAny and
// OnError handlers see the event as it came. A failure of fn counts as a failure
// of the handler it ran for.
func WithTransform(fn Transform) Option {
	return func(s *settings) { s.receiver.transform = fn }
}

// WithLogger logs to log instead of slog's default logger, which nil stands for.
// Only warnings and errors are logged.
func WithLogger(log *slog.Logger) Option {
	return func(s *settings) { s.receiver.log = cmp.Or(log, s.receiver.log) }
}

// WithAdditionalSecrets accepts signatures made with these secrets too. An empty
// one makes New fail.
func WithAdditionalSecrets(secrets ...string) Option {
	return func(s *settings) {
		for _, secret := range secrets {
			s.secrets = append(s.secrets, Secret{Value: secret})
		}
	}
}

// WithVerified calls fn for each delivery whose signature VerifyAndReceive has found
// right, with the name of the secret that it was made with, before any handler runs.
// So a rotation can be seen to be complete. fn must return at once and not panic.
func WithVerified(fn func(ctx context.Context, e webhook.Event, secret string)) Option {
	return func(s *settings) { s.receiver.verified = fn }
}

// WithClock takes the time, by which secrets expire, from now.
func WithClock(now func() time.Time) Option {
	return func(s *settings) { s.receiver.now = now }
}

// AllowUnknownEvents makes registering a handler for a name outside the table of
// events a logged warning instead of an error. Of an event outside the table every
// action is dispatched, of one in the table only those of its list.
func AllowUnknownEvents() Option {
	return func(s *settings) { s.receiver.allowUnknown = true }
}

// New makes a receiver that signs with secret and verifies with it. An empty
// secret is webhook.ErrNoSecret; one that the sender could not have made is
// webhook.ErrSecretForm.
func New(secret string, opts ...Option) (*Receiver, error) {
	r := &Receiver{
		reporting: make(chan struct{}, maxReporting),
		log:       slog.Default(),
		now:       time.Now,
	}
	s := &settings{receiver: r, secrets: []Secret{{Value: secret}}}
	for _, opt := range opts {
		opt(s)
	}
	if err := r.setKeys(s.sender, s.secrets); err != nil {
		return nil, err
	}
	return r, nil
}

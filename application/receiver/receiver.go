package receiver

import (
	"cmp"
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
)

// Transform converts a received event into the event that a handler gets. It runs
// once for each handler registered with On, concurrently with the others.
type Transform func(context.Context, webhook.Event) (webhook.Event, error)

// Receiver verifies deliveries and runs the handlers registered for them. Make one
// with New. All its methods are safe for concurrent use, also from handlers.
type Receiver struct {
	ring         atomic.Pointer[keyring]
	handlers     registry
	transform    Transform
	verified     func(context.Context, webhook.Event, string)
	allowUnknown bool
	store        atomic.Pointer[func(context.Context, webhook.Event, string) error] // nil: handlers run at once
	vendor       *vendor                                                            // what is fetched of the sender
	reporting    chan struct{}                                                      // one element for each error handler that is running
	log          *slog.Logger
	now          func() time.Time
}

// Option configures a Receiver.
type Option func(*settings)

type settings struct {
	receiver *Receiver
	sender   *webhook.Sender
	secrets  []Secret
}

// WithSender makes a receiver for a sender other than webhook.Host. The sender defines
// the form of secrets and event names and which actions are dispatched. Only Host has a
// closed list of events.
func WithSender(sender *webhook.Sender) Option {
	return func(s *settings) { s.sender = sender }
}

// WithTransform runs fn before each handler registered with On; OnAny and OnError
// handlers get the event as received. An error of fn counts as the handler's error.
func WithTransform(fn Transform) Option {
	return func(s *settings) { s.receiver.transform = fn }
}

// WithLogger logs to log instead of slog.Default, which nil also selects. Only
// warnings and errors are logged.
func WithLogger(log *slog.Logger) Option {
	return func(s *settings) { s.receiver.log = cmp.Or(log, s.receiver.log) }
}

// WithAdditionalSecrets also accepts signatures made with these secrets. An empty
// secret makes New fail.
func WithAdditionalSecrets(secrets ...string) Option {
	return func(s *settings) {
		for _, secret := range secrets {
			s.secrets = append(s.secrets, Secret{Value: secret})
		}
	}
}

// WithVerified calls fn for each delivery that VerifyAndReceive has verified, with the
// name of the secret that signed it, before any handler runs. This shows when a
// rotation is complete. fn must return quickly and not panic.
func WithVerified(fn func(ctx context.Context, e webhook.Event, secret string)) Option {
	return func(s *settings) { s.receiver.verified = fn }
}

// WithFetcher sets how the certificates of senders that sign with one are fetched. Package
// webhookhttp fetches them over https.
func WithFetcher(f Fetcher) Option {
	return func(s *settings) { s.receiver.vendor.set(f) }
}

// WithClock sets the clock for the expiry of secrets and the age of signatures.
func WithClock(now func() time.Time) Option {
	return func(s *settings) { s.receiver.now = now }
}

// AllowUnknownEvents turns the error for registering a name outside the table of
// events into a logged warning. Every action of an event outside the table is
// dispatched; of an event in the table only the listed actions are.
func AllowUnknownEvents() Option {
	return func(s *settings) { s.receiver.allowUnknown = true }
}

// New makes a receiver that verifies and signs with secret. The error for an empty
// secret is webhook.ErrNoSecret, and for one in the wrong form for the sender
// webhook.ErrSecretForm.
func New(secret string, opts ...Option) (*Receiver, error) {
	r := &Receiver{
		reporting: make(chan struct{}, maxReporting),
		vendor:    &vendor{},
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

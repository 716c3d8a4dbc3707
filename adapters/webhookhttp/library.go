package webhookhttp

import (
	"context"
	"log/slog"
	"time"

	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/application/receiver/payload"
	"github.com/octavo-books/octavo/domain/webhook"
)

// Aliases for what a program needs of packages receiver and webhook, so that it imports
// only this package. Each is documented where it is defined.

//nolint:revive // documented together
type (
	Receiver    = receiver.Receiver    // verifies deliveries and runs handlers
	Option      = receiver.Option      // of New and Must
	Delivery    = receiver.Delivery    // an event with its signature
	Secret      = receiver.Secret      // one of several, see Receiver.SetSecrets
	Error       = receiver.Error       // why a delivery failed
	PanicError  = receiver.PanicError  // the failure of a handler that panicked
	StatusError = receiver.StatusError // see WithStatus
	Event       = webhook.Event        // a delivery as received
	EventName   = webhook.EventName    // "issues" or "issues.opened"
	Sender      = webhook.Sender       // how a service signs: one of those below, or a CustomSender

	CustomSender   = webhook.CustomSender   // a sender that is not predefined, and its parts:
	SignaturePlace = webhook.SignaturePlace // where its signature is
	TimestampPlace = webhook.TimestampPlace // where the time of the signature is
	Place          = webhook.Place          // where event and ID are
	KeyForm        = webhook.KeyForm        // how its secrets are written
	Certificate    = webhook.Certificate    // where its certificate is
	Challenge      = webhook.Challenge      // a request with which it checks the URL
	Condition      = webhook.Condition      // by which a challenge is recognised
	Answer         = webhook.Answer         // to a challenge
	SenderOptions  = webhook.Options        // what some senders need besides a secret

	TypedEvent[T any] = receiver.TypedEvent[T] // an event with its payload decoded into a T
)

// The payloads of the most common events, for HandleTyped.

//nolint:revive // documented together
type (
	Envelope                        = payload.Envelope // what nearly all payloads have, for events without a type here
	PushPayload                     = payload.Push
	IssuesPayload                   = payload.Issues
	IssueCommentPayload             = payload.IssueComment
	PullRequestPayload              = payload.PullRequest
	PullRequestReviewPayload        = payload.PullRequestReview
	PullRequestReviewCommentPayload = payload.PullRequestReviewComment
	ReleasePayload                  = payload.Release
	CheckRunPayload                 = payload.CheckRun
	WorkflowRunPayload              = payload.WorkflowRun
	WorkflowJobPayload              = payload.WorkflowJob
)

// The senders, for WithSender and Options.Sender. Host is the default.
var (
	Host        = webhook.Host
	GitHub      = webhook.GitHub
	Gitea       = webhook.Gitea
	Forgejo     = webhook.Forgejo
	Gogs        = webhook.Gogs
	GitLab      = webhook.GitLab
	Bitbucket   = webhook.Bitbucket
	Stripe      = webhook.Stripe
	Slack       = webhook.Slack
	Shopify     = webhook.Shopify
	Standard    = webhook.Standard // Standard Webhooks
	Svix        = webhook.Svix
	Zoom        = webhook.Zoom
	Paddle      = webhook.Paddle
	Calendly    = webhook.Calendly
	Square      = webhook.Square
	HubSpot     = webhook.HubSpot
	Twilio      = webhook.Twilio
	SendGrid    = webhook.SendGrid
	Discord     = webhook.Discord
	Mailgun     = webhook.Mailgun
	PayPal      = webhook.PayPal
	SNS         = webhook.SNS
	Graph       = webhook.Graph
	Meta        = webhook.Meta
	Vercel      = webhook.Vercel
	Intercom    = webhook.Intercom
	Trello      = webhook.Trello
	Paystack    = webhook.Paystack
	PagerDuty   = webhook.PagerDuty
	Linear      = webhook.Linear
	WooCommerce = webhook.WooCommerce
	Razorpay    = webhook.Razorpay
	Sentry      = webhook.Sentry
	Typeform    = webhook.Typeform
	Octavo      = webhook.Octavo // what Octavo forwards
)

// ErrSignatureMismatch refuses a delivery that none of the secrets signed.
var ErrSignatureMismatch = receiver.ErrSignatureMismatch

// New is receiver.New.
func New(secret string, opts ...Option) (*Receiver, error) { return receiver.New(secret, opts...) }

// Must is receiver.Must: New that panics on an error.
func Must(secret string, opts ...Option) *Receiver { return receiver.Must(secret, opts...) }

// HandleTyped is receiver.HandleTyped: r.Handle for a function that takes the payload
// decoded into a T.
func HandleTyped[T any](r *Receiver, name EventName, fn func(context.Context, TypedEvent[T]) error) {
	receiver.HandleTyped(r, name, fn)
}

// WithSender is receiver.WithSender: deliveries come from a sender other than Host.
func WithSender(s *Sender) Option { return receiver.WithSender(s) }

// WithLogger is receiver.WithLogger.
func WithLogger(log *slog.Logger) Option { return receiver.WithLogger(log) }

// WithAdditionalSecrets is receiver.WithAdditionalSecrets.
func WithAdditionalSecrets(secrets ...string) Option {
	return receiver.WithAdditionalSecrets(secrets...)
}

// WithVerified is receiver.WithVerified: fn gets the name of the secret that signed a
// delivery.
func WithVerified(fn func(ctx context.Context, e Event, secret string)) Option {
	return receiver.WithVerified(fn)
}

// WithTransform is receiver.WithTransform.
func WithTransform(fn func(context.Context, Event) (Event, error)) Option {
	return receiver.WithTransform(fn)
}

// AllowUnknownEvents is receiver.AllowUnknownEvents.
func AllowUnknownEvents() Option { return receiver.AllowUnknownEvents() }

// Retry is receiver.Retry: an error with which a handler asks for the delivery again later.
func Retry(after time.Duration) error { return receiver.Retry(after) }

// WithStatus is receiver.WithStatus: an error that sets the status of the answer.
func WithStatus(err error, status int) error { return receiver.WithStatus(err, status) }

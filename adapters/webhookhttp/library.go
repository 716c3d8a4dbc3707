package webhookhttp

import (
	"context"
	"log/slog"
	"time"

	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/application/receiver/githubpayload"
	"github.com/octavo-books/octavo/domain/webhook"
)

// Receiver verifies deliveries and runs handlers. Its methods are those of [receiver.Receiver]:
//
//   - [receiver.Receiver.Handle], HandleAny and HandleError register a function and panic on a
//     mistake; HandleTyped does for a function that takes the payload decoded.
//   - [receiver.Receiver.On], OnFunc, OnAny and OnError return an error instead;
//     [receiver.Receiver.RemoveListener] removes a handler.
//   - [receiver.Receiver.Sign], SignJSON, [receiver.Receiver.Verify] and VerifyJSON are for a
//     signature by itself.
//   - [receiver.Receiver.VerifyAndReceive] and VerifyAndReceiveRequest are for deliveries that
//     arrive in another way than over HTTP; [receiver.Receiver.Receive] is for verified ones.
//   - [receiver.Receiver.SetSecrets] replaces the secrets while deliveries arrive.
type Receiver = receiver.Receiver

// Option is an option of New and Must: WithSender, WithLogger, WithAdditionalSecrets,
// WithVerified, WithTransform or AllowUnknownEvents.
type Option = receiver.Option

// Delivery is an event with its ID, Name, Payload and Signature, for
// [receiver.Receiver.VerifyAndReceive]; DeliveryFrom makes one.
type Delivery = receiver.Delivery

// Secret is one of several secrets, with a Name and the time until which it counts; see
// [receiver.Receiver.SetSecrets].
type Secret = receiver.Secret

// Error says why a delivery failed: Event, and Errs with one error for each handler that failed.
// errors.Is and errors.As examine each ([receiver.Error.Unwrap]).
type Error = receiver.Error

// PanicError is the error of a handler that panicked: Value and Stack.
type PanicError = receiver.PanicError

// StatusError is an error that sets the status of the answer; WithStatus makes one.
type StatusError = receiver.StatusError

// Event is a delivery as it was received: ID, Name, Payload (the bytes that were verified) and
// Header. [webhook.Event.Action] is the payload's action, [webhook.Event.Source] the source at the
// Octavo that has forwarded it.
type Event = webhook.Event

// EventName is an event such as "issues" or one with an action, "issues.opened". There is a
// constant for each event of GitHub and Host, such as EventIssuesOpened.
type EventName = webhook.EventName

// TypedEvent is an event with its payload decoded into a T, for HandleTyped. Raw has the bytes that
// were verified, Header those of the event.
type TypedEvent[T any] = receiver.TypedEvent[T]

// Sender describes how a service signs: one of the variables of this package, such as GitHub, or
// what [webhook.CustomSender.NewSender] makes. [webhook.Sender.WithTolerance] accepts older
// signatures, [webhook.Sender.WithOptions] adds what some senders need besides a secret,
// [webhook.Sender.EventNames] lists the events that are known here.
type Sender = webhook.Sender

// CustomSender describes a sender that is not predefined: what it signs, with which algorithm, and
// where it has event, ID, time and signature. [webhook.CustomSender.NewSender] makes the Sender.
type CustomSender = webhook.CustomSender

// SignaturePlace is where a CustomSender has its signature and how it is written: Header or JSON,
// Format, Prefix, Encoding.
type SignaturePlace = webhook.SignaturePlace

// TimestampPlace is where a CustomSender has the time of the signature: Header, JSON or Pair, Unit.
type TimestampPlace = webhook.TimestampPlace

// Place is where a CustomSender has event or ID: Header, JSON or Form, and where Else.
type Place = webhook.Place

// KeyForm is how the secrets of a CustomSender are written: Encoding and Prefix.
type KeyForm = webhook.KeyForm

// Certificate is where a CustomSender has the URL of its certificate, and at which Hosts alone it is
// fetched.
type Certificate = webhook.Certificate

// Challenge is a request with which a CustomSender checks a URL, When, and its Answer.
type Challenge = webhook.Challenge

// Condition is by what a Challenge is recognised.
type Condition = webhook.Condition

// Answer is what a Challenge is answered: Status, Type and Body.
type Answer = webhook.Answer

// SenderOptions is what some senders need besides a secret, for [webhook.Sender.WithOptions]:
// VerifyToken (Meta), WebhookID (PayPal), ClientState (Graph).
type SenderOptions = webhook.Options

// The payloads of the most common events, for HandleTyped. Package githubpayload has those of all.
//
//nolint:revive // documented together
type (
	PushPayload                     = githubpayload.PushEvent
	IssuesPayload                   = githubpayload.IssuesEvent
	IssueCommentPayload             = githubpayload.IssueCommentEvent
	PullRequestPayload              = githubpayload.PullRequestEvent
	PullRequestReviewPayload        = githubpayload.PullRequestReviewEvent
	PullRequestReviewCommentPayload = githubpayload.PullRequestReviewCommentEvent
	ReleasePayload                  = githubpayload.ReleaseEvent
	CheckRunPayload                 = githubpayload.CheckRunEvent
	WorkflowRunPayload              = githubpayload.WorkflowRunEvent
	WorkflowJobPayload              = githubpayload.WorkflowJobEvent
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

var (
	// ErrSignatureMismatch refuses a delivery that none of the secrets signed.
	ErrSignatureMismatch = receiver.ErrSignatureMismatch
	// ErrTimestamp refuses a delivery that a secret signed too long ago, or in the future. It is an
	// ErrSignatureMismatch, too.
	ErrTimestamp = receiver.ErrTimestamp
	// ErrUnknownEvent refuses the name of an unknown event; the error suggests a known one.
	ErrUnknownEvent = receiver.ErrUnknownEvent
)

// New is receiver.New.
func New(secret string, opts ...Option) (*Receiver, error) { return receiver.New(secret, opts...) }

// Must is receiver.Must: New that panics on an error.
func Must(secret string, opts ...Option) *Receiver { return receiver.Must(secret, opts...) }

// HandleTyped is receiver.HandleTyped: r.Handle for a function that takes the payload
// decoded into a T.
func HandleTyped[T any](r *Receiver, name EventName, fn func(context.Context, TypedEvent[T]) error) *receiver.Handler {
	return receiver.HandleTyped(r, name, fn)
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

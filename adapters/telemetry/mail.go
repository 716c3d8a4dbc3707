package telemetry

import (
	"context"
	"strconv"

	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/message"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

// The names of the spans from the outbox to the mail server. Each span continues
// the trace in its message and stores its own context there for the next one.
const (
	publish = "publish octavo.mail"
	process = "process octavo.mail"
	send    = "send mail"
)

// Publisher wraps a publisher to the queue with a span for each message.
func (t *Tracing) Publisher(next mailer.Publisher) mailer.Publisher {
	return t.publisher(next, publish, trace.SpanKindProducer)
}

// Processor wraps a consumer's delivery with a span for each message.
func (t *Tracing) Processor(next mailer.Publisher) mailer.Publisher {
	return t.publisher(next, process, trace.SpanKindConsumer)
}

// Sender wraps a mail sender with a span for each mail.
func (t *Tracing) Sender(next mailer.Sender) mailer.Sender {
	if t == nil {
		return next
	}
	return sender{t, next}
}

func (t *Tracing) publisher(next mailer.Publisher, name string, kind trace.SpanKind) mailer.Publisher {
	if t == nil {
		return next
	}
	return publisher{t, next, name, kind}
}

type publisher struct {
	*Tracing
	next mailer.Publisher
	name string
	kind trace.SpanKind
}

// PublishMessages implements mailer.Publisher.
func (c publisher) PublishMessages(ctx context.Context, messages []message.Message) []error {
	traced := make([]message.Message, len(messages))
	copy(traced, messages)
	spans := make([]messageSpan, len(messages))
	for i := range traced {
		spans[i] = c.startSpan(ctx, &traced[i], c.name, c.kind)
	}
	return endSpans(spans, c.next.PublishMessages(contextOf(ctx, spans), traced))
}

type sender struct {
	*Tracing
	next mailer.Sender
}

// SendMails implements mailer.Sender.
func (s sender) SendMails(ctx context.Context, mails []mailer.Mail) []error {
	traced := make([]mailer.Mail, len(mails))
	copy(traced, mails)
	spans := make([]messageSpan, len(mails))
	for i := range traced {
		spans[i] = s.startSpan(ctx, &traced[i].Message, send, trace.SpanKindClient)
	}
	return endSpans(spans, s.next.SendMails(contextOf(ctx, spans), traced))
}

// messageSpan is the span of one message.
type messageSpan struct {
	ctx  context.Context //nolint:containedctx // lives as long as the call
	span trace.Span
}

func (t *Tracing) startSpan(ctx context.Context, m *message.Message, name string, kind trace.SpanKind) messageSpan {
	ctx, span := t.tracer.Start(resume(ctx, m.Trace), name, trace.WithSpanKind(kind), trace.WithAttributes(
		attribute.String("messaging.message.id", strconv.FormatInt(m.ID, 10)), attribute.String("octavo.mail.kind", string(m.Kind))))
	m.Trace = t.Traceparent(ctx)
	return messageSpan{ctx, span}
}

// contextOf returns the context of a single message's span. Work for several
// messages at once belongs to no particular one, so it gets ctx itself.
func contextOf(ctx context.Context, spans []messageSpan) context.Context {
	if len(spans) == 1 {
		return spans[0].ctx
	}
	return ctx
}

func endSpans(spans []messageSpan, errs []error) []error {
	for i, s := range spans {
		endSpan(s.span, errs[i])
	}
	return errs
}

package telemetry

import (
	"context"
	"strconv"

	"github.com/octavo-books/octavo/application/courier"
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
func (t *Tracing) Publisher(next courier.Carrier) courier.Carrier {
	return t.carrier(next, publish, trace.SpanKindProducer)
}

// Processor wraps a consumer's delivery with a span for each message.
func (t *Tracing) Processor(next courier.Carrier) courier.Carrier {
	return t.carrier(next, process, trace.SpanKindConsumer)
}

// Sender wraps a mail sender with a span for each mail.
func (t *Tracing) Sender(next courier.Sender) courier.Sender {
	if t == nil {
		return next
	}
	return sender{t, next}
}

func (t *Tracing) carrier(next courier.Carrier, name string, kind trace.SpanKind) courier.Carrier {
	if t == nil {
		return next
	}
	return carrier{t, next, name, kind}
}

type carrier struct {
	*Tracing
	next courier.Carrier
	name string
	kind trace.SpanKind
}

// Carry implements courier.Carrier.
func (c carrier) Carry(ctx context.Context, messages []message.Message) []error {
	traced := make([]message.Message, len(messages))
	copy(traced, messages)
	spans := make([]messageSpan, len(messages))
	for i := range traced {
		spans[i] = c.startSpan(ctx, &traced[i], c.name, c.kind)
	}
	return endSpans(spans, c.next.Carry(contextOf(ctx, spans), traced))
}

type sender struct {
	*Tracing
	next courier.Sender
}

// Send implements courier.Sender.
func (s sender) Send(ctx context.Context, mails []courier.Mail) []error {
	traced := make([]courier.Mail, len(mails))
	copy(traced, mails)
	spans := make([]messageSpan, len(mails))
	for i := range traced {
		spans[i] = s.startSpan(ctx, &traced[i].Message, send, trace.SpanKindClient)
	}
	return endSpans(spans, s.next.Send(contextOf(ctx, spans), traced))
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

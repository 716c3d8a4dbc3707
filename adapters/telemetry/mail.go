package telemetry

import (
	"context"
	"strconv"

	"github.com/octavo-books/octavo/application/courier"
	"github.com/octavo-books/octavo/domain/message"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

// What follows messages from the outbox to people. Each step goes on with the
// trace that the message brings along, and hands its own on.
const (
	publish = "publish octavo.mail"
	process = "process octavo.mail"
	send    = "send mail"
)

// Publisher follows a carrier that puts messages on the queue.
func (t *Tracing) Publisher(next courier.Carrier) courier.Carrier {
	return t.carrier(next, publish, trace.SpanKindProducer)
}

// Processor follows a carrier that has messages sent.
func (t *Tracing) Processor(next courier.Carrier) courier.Carrier {
	return t.carrier(next, process, trace.SpanKindConsumer)
}

// Sender follows what hands mails over to a mail server.
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
	followed := make([]message.Message, len(messages))
	copy(followed, messages)
	steps := make([]step, len(messages))
	for i := range followed {
		steps[i] = c.step(ctx, &followed[i], c.name, c.kind)
	}
	return finish(steps, c.next.Carry(only(ctx, steps), followed))
}

type sender struct {
	*Tracing
	next courier.Sender
}

// Send implements courier.Sender.
func (s sender) Send(ctx context.Context, mails []courier.Mail) []error {
	followed := make([]courier.Mail, len(mails))
	copy(followed, mails)
	steps := make([]step, len(mails))
	for i := range followed {
		steps[i] = s.step(ctx, &followed[i].Message, send, trace.SpanKindClient)
	}
	return finish(steps, s.next.Send(only(ctx, steps), followed))
}

// step is what is done with one message.
type step struct {
	ctx  context.Context //nolint:containedctx // lives as long as the call
	span trace.Span
}

func (t *Tracing) step(ctx context.Context, m *message.Message, name string, kind trace.SpanKind) step {
	ctx, span := t.tracer.Start(resume(ctx, m.Trace), name, trace.WithSpanKind(kind), trace.WithAttributes(
		attribute.String("messaging.message.id", strconv.FormatInt(m.ID, 10)), attribute.String("octavo.mail.kind", string(m.Kind))))
	m.Trace = t.Traceparent(ctx)
	return step{ctx, span}
}

// only is the context of a message that is alone: what is done for several at
// once is none's in particular.
func only(ctx context.Context, steps []step) context.Context {
	if len(steps) == 1 {
		return steps[0].ctx
	}
	return ctx
}

func finish(steps []step, errs []error) []error {
	for i, s := range steps {
		end(s.span, errs[i])
	}
	return errs
}

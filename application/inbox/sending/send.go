package sending

import (
	"context"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/text"
)

// unsent is the outcome of a task that is not to be sent now: its rule is paused, it has
// no payload, its lease is about to expire or its target's circuit is open.
func (p *Pool) unsent(t inbox.Task, begin time.Time) (o inbox.Outcome, ok bool) {
	if p.paused.Load() {
		return p.returned(t, t.DueAt), true // which keeps its place in the order
	}
	if t.Payload == nil {
		why := inbox.ErrPayloadGone // pruned during a redelivery
		if t.Damaged {
			why = inbox.ErrPayloadDamaged
		}
		p.Attempts.add(inbox.AttemptReport{Rule: t.Rule, DiedAt: begin})
		return inbox.Outcome{Job: t.ID, Attempts: t.Attempts, State: inbox.Dead, Error: why.Msg, At: begin}, true
	}
	if t.LeaseUntil.Sub(begin) < p.Rule.Timeout {
		return p.returned(t, begin), true
	}
	if wait := p.circuit.tryAfter(begin); wait > 0 {
		return p.returned(t, begin.Add(wait)), true
	}
	return inbox.Outcome{}, false
}

// attempt sends a task, unless it is not to be sent now.
func (p *Pool) attempt(sending context.Context, t inbox.Task) inbox.Outcome {
	begin := p.Ports.Clock.Now()
	if o, ok := p.unsent(t, begin); ok {
		p.rate.cancel()
		return o
	}
	p.rate.begin(begin)
	ctx, cancel := context.WithTimeout(sending, p.Rule.Timeout)
	defer cancel()
	response, err := p.forward(ctx, t, begin)
	now := p.Ports.Clock.Now()
	if err != nil && sending.Err() != nil {
		return p.returned(t, now) // aborted by the shutdown, not by the target
	}
	o, outcome := p.classify(t, response, err, now)
	o.Attempt = newAttempt(t, p.Target, begin, response, o)
	answered := outcome == "delivered" || outcome == "gone"
	change := p.circuit.record(answered, now)
	p.Attempts.add(p.reportOf(o, outcome == "delivered", answered))
	p.Ports.Meter.ObserveForward(p.Label(), outcome, now.Sub(begin))
	p.logAttempt(t, o, change, p.failures.record(answered, now))
	return o
}

func (p *Pool) forward(ctx context.Context, t inbox.Task, now time.Time) (inbox.ForwardResponse, error) {
	request, err := newRequest(p.Rule, p.signers, t, p.SenderOf(t.Source), now)
	if err != nil {
		return inbox.ForwardResponse{}, err
	}
	return p.Ports.Forwarder.ForwardDelivery(ctx, request)
}

// maxError bounds a stored error, part of which a target may have written.
const maxError = 500

// failure says why a request did not deliver, "" if it did.
func failure(response inbox.ForwardResponse, err error) string {
	switch {
	case err != nil:
		return text.Line(err.Error(), maxError)
	case response.Status < 200 || response.Status >= 300:
		return fmt.Sprintf("answered %d", response.Status)
	}
	return ""
}

// classify turns the target's response into the job's outcome, and into the
// outcome label of the metrics.
func (p *Pool) classify(t inbox.Task, response inbox.ForwardResponse, err error, now time.Time) (o inbox.Outcome, label string) {
	o = inbox.Outcome{Job: t.ID, Attempts: t.Attempts, Status: response.Status, Error: failure(response, err), At: now, State: inbox.Dead}
	switch {
	case o.Error == "":
		o.State = inbox.Delivered
		return o, "delivered"
	case err == nil && response.Status == 410:
		o.Error += ": the target is gone"
		return o, "gone"
	case t.Attempts >= p.Rule.MaxTries:
		return o, "dead"
	}
	o.State, o.DueAt = inbox.Open, now.Add(Backoff(t.Attempts, Jitter(p.Ports.Random), response.RetryAfter))
	return o, "failed"
}

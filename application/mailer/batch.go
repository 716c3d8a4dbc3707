package mailer

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/octavo-books/octavo/domain/message"
)

// relayBatch claims, publishes and settles one batch and returns its size, and next if it is
// empty. An error means that no message can be sent at present.
func (r *Relay) relayBatch(ctx context.Context) (n int, next time.Time, err error) {
	// A shutdown must not interrupt claiming and settling: a claimed message that is
	// not settled blocks until its lease ends.
	storeCtx := context.WithoutCancel(ctx)
	claimed, next, err := r.claim(storeCtx)
	if err != nil || len(claimed) == 0 {
		return 0, next, err
	}
	if len(claimed) == r.config.BatchSize { // there may be more, for another worker
		r.outbox.WakeWaiting()
	}
	publishCtx, cancel := r.publishContext(ctx)
	defer cancel()
	stopRenewing := r.renewLeases(storeCtx, claimed)
	results, unreachable := r.publish(publishCtx, claimed)
	stopRenewing()
	if err := r.settle(storeCtx, results); err != nil {
		return 0, next, err
	}
	return len(claimed), next, unreachable
}

// storeTimeout bounds each call of the outbox.
const storeTimeout = 10 * time.Second

func (r *Relay) claim(ctx context.Context) ([]ClaimedMessage, time.Time, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	now := r.Clock.Now()
	return r.outbox.ClaimMessages(ctx, now, now.Add(r.config.Lease), r.config.BatchSize)
}

// renewLeases extends the leases of claimed messages until stop is called. Leases are
// short, so that after a crash messages do not wait long.
func (r *Relay) renewLeases(ctx context.Context, claimed []ClaimedMessage) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() {
		for sleep(ctx, r.config.Lease/3); ctx.Err() == nil; sleep(ctx, r.config.Lease/3) {
			now := r.Clock.Now()
			results := make([]Result, len(claimed))
			for i, c := range claimed {
				results[i] = Result{Message: c, Outcome: Retry, RetryAt: now.Add(r.config.Lease), Attempt: c.Attempt}
			}
			if err := r.outbox.SettleMessages(ctx, now, results); err != nil && ctx.Err() == nil {
				r.Log.Warn("renew the leases of messages", "error", err)
			}
		}
	})
	return func() { cancel(); renewing.Wait() }
}

// publishContext outlives ctx by the shutdown grace and ends after batchTimeout.
func (r *Relay) publishContext(ctx context.Context) (context.Context, func()) {
	publishCtx, cancel := context.WithTimeout(context.WithoutCancel(ctx), batchTimeout)
	stop := context.AfterFunc(ctx, func() {
		sleep(publishCtx, r.config.ShutdownGrace)
		cancel()
	})
	return publishCtx, func() { stop(); cancel() }
}

// publish returns the results of claimed messages. Its error is ErrUnreachable, or why
// the opt-outs could not be read.
func (r *Relay) publish(ctx context.Context, claimed []ClaimedMessage) ([]Result, error) {
	results, deliverable, err := r.splitUndeliverable(ctx, claimed)
	if err != nil {
		return r.retryAll(claimed, err), err
	}
	if len(deliverable) == 0 {
		return results, nil
	}
	messages := make([]message.Message, len(deliverable))
	for i, c := range deliverable {
		messages[i] = c.Message
	}
	var unreachable error
	for i, err := range r.publisher.PublishMessages(ctx, messages) {
		results = append(results, r.resultOf(ctx, deliverable[i], err))
		if errors.Is(err, ErrUnreachable) {
			unreachable = err
		}
	}
	return results, unreachable
}

// splitUndeliverable settles messages that must not be sent, because they cannot be
// read, have expired, or their recipient has opted out. It returns the others with
// their links.
func (r *Relay) splitUndeliverable(
	ctx context.Context, claimed []ClaimedMessage,
) (undeliverable []Result, deliverable []ClaimedMessage, err error) {
	optedOut, err := r.unsubscriber.findOptOuts(ctx, claimed)
	if err != nil {
		return nil, nil, err
	}
	now := r.Clock.Now()
	for _, c := range claimed {
		switch {
		case c.Err != nil:
			undeliverable = append(undeliverable, Result{Message: c, Outcome: Dead, Reason: c.Err.Error()})
		case c.Expired(now):
			undeliverable = append(undeliverable, Result{Message: c, Outcome: Dead, Reason: "expired before it could be sent"})
		case c.Kind.Optional() && optedOut[c.To]:
			undeliverable = append(undeliverable, Result{Message: c, Outcome: OptedOut})
		default:
			if c.Message, err = r.unsubscriber.addLink(c.Message); err != nil {
				return nil, nil, err
			}
			if c.Link == "" {
				c.Link = r.defaultLink(c.Message)
			}
			deliverable = append(deliverable, c)
		}
	}
	return undeliverable, deliverable, nil
}

// defaultLink returns the link of a message that has none of its own: to its order or
// conversation, or the one of its kind.
func (r *Relay) defaultLink(m message.Message) string {
	if id := m.Params[message.ParamOrder]; id != "" && r.OrderLink != "" {
		return r.OrderLink + id
	}
	if id := m.Params[message.ParamConversation]; id != "" && r.ConversationLink != "" {
		return r.ConversationLink + id
	}
	return r.DefaultLinks[m.Kind]
}

// resultOf does not count an attempt that failed through no fault of the message:
// because the receiver was unreachable or the relay is shutting down.
func (r *Relay) resultOf(ctx context.Context, c ClaimedMessage, err error) Result {
	now := r.Clock.Now()
	switch {
	case err == nil:
		return Result{Message: c, Outcome: Sent}
	case errors.Is(err, ErrUnreachable) || errors.Is(ctx.Err(), context.Canceled):
		return Result{Message: c, Outcome: Retry, RetryAt: now, Attempt: c.Attempt - 1, Reason: err.Error()}
	case errors.Is(err, ErrPermanent) || c.Attempt >= MaxAttempts:
		return Result{Message: c, Outcome: Dead, Reason: err.Error()}
	}
	return Result{Message: c, Outcome: Retry, RetryAt: now.Add(Backoff(c.Attempt, r.Jitter())), Attempt: c.Attempt, Reason: err.Error()}
}

func (r *Relay) retryAll(claimed []ClaimedMessage, err error) []Result {
	results := make([]Result, len(claimed))
	for i, c := range claimed {
		results[i] = Result{Message: c, Outcome: Retry, RetryAt: r.Clock.Now(), Attempt: c.Attempt - 1, Reason: err.Error()}
	}
	return results
}

// settle records the results. If that fails, the leases end and messages that were
// sent are sent again: delivery is at least once.
func (r *Relay) settle(ctx context.Context, results []Result) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	if err := r.outbox.SettleMessages(ctx, r.Clock.Now(), results); err != nil {
		return err
	}
	for _, result := range results {
		m := result.Message
		r.Meter.CountOutcome(m.Kind, result.Outcome)
		if result.Outcome == Dead {
			r.Log.Error("message became a dead letter", "id", m.ID, "kind", m.Kind, "attempts", m.Attempt, "reason", result.Reason)
		}
	}
	return nil
}

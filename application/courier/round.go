package courier

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/octavo-books/octavo/domain/message"
)

// round claims, carries and settles once, and says how many messages got
// somewhere. An error means that none can at present.
func (r *Relay) round(ctx context.Context) (int, error) {
	// The stop of the process waits for a round: what was claimed must be
	// settled, or nobody gets it until the lease runs out.
	whole := context.WithoutCancel(ctx)
	claimed, err := r.claim(whole)
	if err != nil || len(claimed) == 0 {
		return 0, err
	}
	flight, land := r.flight(ctx)
	defer land()
	release := r.hold(whole, claimed)
	outcomes, unreachable := r.deliver(flight, claimed)
	release()
	if err := r.settle(whole, outcomes); err != nil {
		return 0, err
	}
	return len(claimed), unreachable
}

// storeTimeout bounds each step in the database.
const storeTimeout = 10 * time.Second

func (r *Relay) claim(ctx context.Context) ([]Claimed, error) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	now := r.Clock.Now()
	return r.outbox.Claim(ctx, now, now.Add(r.config.Lease), r.config.Batch)
}

// hold renews the lease of what is in flight until it is released. The lease
// itself is short, so that after a crash nobody waits long.
func (r *Relay) hold(ctx context.Context, claimed []Claimed) (release func()) {
	ctx, cancel := context.WithCancel(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() {
		for sleep(ctx, r.config.Lease/3); ctx.Err() == nil; sleep(ctx, r.config.Lease/3) {
			now := r.Clock.Now()
			outcomes := make([]Outcome, len(claimed))
			for i, c := range claimed {
				outcomes[i] = Outcome{Claimed: c, Verdict: Wait, Due: now.Add(r.config.Lease), Try: c.Try}
			}
			if err := r.outbox.Settle(ctx, now, outcomes); err != nil && ctx.Err() == nil {
				r.Log.Warn("renew the lease of messages", "error", err)
			}
		}
	})
	return func() { cancel(); renewing.Wait() }
}

// flight outlives ctx by the grace, and ends when it takes too long.
func (r *Relay) flight(ctx context.Context) (context.Context, func()) {
	flight, cancel := context.WithTimeout(context.WithoutCancel(ctx), longestFlight)
	stop := context.AfterFunc(ctx, func() {
		sleep(flight, r.config.Grace)
		cancel()
	})
	return flight, func() { stop(); cancel() }
}

// deliver carries what is still worth it. The error is that nobody was there.
func (r *Relay) deliver(ctx context.Context, claimed []Claimed) ([]Outcome, error) {
	outcomes, rest, err := r.sort(ctx, claimed)
	if err != nil {
		return r.allWait(claimed, err), err
	}
	if len(rest) == 0 {
		return outcomes, nil
	}
	messages := make([]message.Message, len(rest))
	for i, c := range rest {
		messages[i] = c.Message
	}
	var unreachable error
	for i, err := range r.carrier.Carry(ctx, messages) {
		outcomes = append(outcomes, r.judge(ctx, rest[i], err))
		if errors.Is(err, ErrUnreachable) {
			unreachable = err
		}
	}
	return outcomes, unreachable
}

// sort takes out what must not be sent: expired, unreadable, declined.
func (r *Relay) sort(ctx context.Context, claimed []Claimed) (done []Outcome, rest []Claimed, err error) {
	declined, err := r.optouts.declined(ctx, claimed)
	if err != nil {
		return nil, nil, err
	}
	now := r.Clock.Now()
	for _, c := range claimed {
		switch {
		case c.Err != nil:
			done = append(done, Outcome{Claimed: c, Verdict: Dead, Reason: c.Err.Error()})
		case c.Expired(now):
			done = append(done, Outcome{Claimed: c, Verdict: Dead, Reason: "expired before it could be sent"})
		case c.Kind.Optional() && declined[c.To]:
			done = append(done, Outcome{Claimed: c, Verdict: Declined})
		default:
			if c.Message, err = r.optouts.addLink(c.Message); err != nil {
				return nil, nil, err
			}
			if c.Link == "" {
				c.Link = r.Pages[c.Kind]
			}
			rest = append(rest, c)
		}
	}
	return done, rest, nil
}

// judge counts no try when the message is not to blame: nobody was there, or we
// stopped.
func (r *Relay) judge(ctx context.Context, c Claimed, err error) Outcome {
	now := r.Clock.Now()
	switch {
	case err == nil:
		return Outcome{Claimed: c, Verdict: Sent}
	case errors.Is(err, ErrUnreachable) || errors.Is(ctx.Err(), context.Canceled):
		return Outcome{Claimed: c, Verdict: Wait, Due: now, Try: c.Try - 1, Reason: err.Error()}
	case errors.Is(err, ErrHopeless) || c.Try >= MaxTries:
		return Outcome{Claimed: c, Verdict: Dead, Reason: err.Error()}
	}
	return Outcome{Claimed: c, Verdict: Wait, Due: now.Add(Backoff(c.Try, r.Luck())), Try: c.Try, Reason: err.Error()}
}

func (r *Relay) allWait(claimed []Claimed, err error) []Outcome {
	outcomes := make([]Outcome, len(claimed))
	for i, c := range claimed {
		outcomes[i] = Outcome{Claimed: c, Verdict: Wait, Due: r.Clock.Now(), Try: c.Try - 1, Reason: err.Error()}
	}
	return outcomes
}

// settle notes what became of messages. When it fails, the lease runs out and
// what was sent is sent again: at least once.
func (r *Relay) settle(ctx context.Context, outcomes []Outcome) error {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	if err := r.outbox.Settle(ctx, r.Clock.Now(), outcomes); err != nil {
		return err
	}
	for _, o := range outcomes {
		r.Meter.Settled(o.Claimed.Kind, o.Verdict)
		if o.Verdict == Dead {
			r.Log.Error("a message is dead", "id", o.Claimed.ID, "kind", o.Claimed.Kind, "tries", o.Claimed.Try, "reason", o.Reason)
		}
	}
	return nil
}

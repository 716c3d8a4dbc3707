package inbox

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/webhook"
)

// lane sends the jobs of one rule. A job is in at most one lane's hands: it holds
// a place from when it is reserved or claimed until its outcome is on its way.
type lane struct {
	rule    Rule
	order   path
	key     *webhook.Key
	circuit *circuit
	ports   Ports
	mem     *memory
	report  func(Outcome)
	log     *slog.Logger

	places  chan struct{} // taken places
	tasks   chan Task     // as many as places, so that handing over never waits
	wakeUp  chan struct{}
	number  atomic.Int32 // the rule's, from 1
	trouble trouble
	backlog atomic.Bool // there is more in the store than places
	ended   atomic.Bool
	stop    context.CancelFunc
}

// start begins to send, on goroutines that running counts. ctx ends claiming,
// sending ends what is being sent.
func (l *lane) start(ctx, sending context.Context, every time.Duration, running *sync.WaitGroup) {
	ctx, l.stop = context.WithCancel(ctx)
	for range l.rule.Concurrency {
		running.Go(func() { l.work(ctx, sending) })
	}
	running.Go(func() { l.feed(ctx, every) })
}

// laneWait is how long a job may wait in a lane before it is given back.
const laneWait = 10 * time.Second

// lease is how long a job is ours: a wait in the lane, then one try.
func (l *lane) lease() time.Duration { return laneWait + l.rule.Timeout }

// reserve takes a place for a job that is about to be stored.
func (l *lane) reserve(now time.Time, size int) bool {
	if l.ended.Load() || l.backlog.Load() || l.circuit.limit(1, now) == 0 || !l.mem.take(size) {
		return false
	}
	select {
	case l.places <- struct{}{}:
		return true
	default:
		l.mem.give(size)
		l.backlog.Store(true)
		return false
	}
}

// release lets go of a reserved place.
func (l *lane) release(size int) {
	l.mem.give(size)
	<-l.places
}

// hand passes a stored job to the workers. It never waits: the job has a place.
func (l *lane) hand(t Task) {
	l.tasks <- t
	if l.ended.Load() { // nobody may be there to take it
		go l.giveBackAll()
	}
}

// wake makes the lane look into the store soon.
func (l *lane) wake() {
	select {
	case l.wakeUp <- struct{}{}:
	default:
	}
}

// feed claims what is due, at first, when woken and every so often.
func (l *lane) feed(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		l.claim(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-l.wakeUp:
		}
	}
}

// claim fills the free places from the store.
func (l *lane) claim(ctx context.Context) {
	now := l.ports.Clock.Now()
	places := l.hold(l.circuit.limit(cap(l.places), now))
	if places == 0 {
		return
	}
	tasks, err := l.ports.Queue.Claim(ctx, Claim{Rule: l.rule.Key(), Now: now, LeaseUntil: now.Add(l.lease()), Limit: places})
	if err != nil && ctx.Err() == nil {
		l.log.Error("claiming jobs failed", "rule", l.label(), "error", err)
	}
	l.backlog.Store(len(tasks) == places)
	for _, t := range tasks {
		l.mem.used.Add(int64(len(t.Payload))) // bounded by the places
		l.tasks <- t
	}
	for range places - len(tasks) {
		<-l.places
	}
	if l.ended.Load() { // the workers may have gone while the store was asked
		l.giveBackAll()
	}
}

// hold takes up to n free places and tells how many it got.
func (l *lane) hold(n int) int {
	for i := range n {
		select {
		case l.places <- struct{}{}:
		default:
			return i
		}
	}
	return n
}

// work sends one task after another; at the end it gives back what is left.
func (l *lane) work(ctx, sending context.Context) {
	for {
		select {
		case <-ctx.Done():
			l.ended.Store(true)
			l.giveBackAll()
			return
		case t := <-l.tasks:
			if ctx.Err() != nil {
				l.finish(t, l.untried(t, l.ports.Clock.Now()))
				continue
			}
			l.finish(t, l.try(sending, t))
		}
	}
}

func (l *lane) giveBackAll() {
	for {
		select {
		case t := <-l.tasks:
			l.finish(t, l.untried(t, l.ports.Clock.Now()))
		default:
			return
		}
	}
}

// finish reports the outcome and frees the task's place.
func (l *lane) finish(t Task, o Outcome) {
	if t.OrderKey != "" {
		o.stored = l.wake // the next in order can be claimed from then on
	}
	l.report(o)
	l.release(len(t.Payload))
	if l.backlog.Load() {
		l.wake()
	}
}

// untried gives a task back, to be due at that time.
func (l *lane) untried(t Task, due time.Time) Outcome {
	return Outcome{Job: t.ID, Attempts: t.Attempts, State: Open, DueAt: due, Untried: true, Status: t.Status, Error: t.Error, At: l.ports.Clock.Now()}
}

// try sends a task, unless its lease is too short by now or its target dead.
func (l *lane) try(sending context.Context, t Task) Outcome {
	begin := l.ports.Clock.Now()
	if t.Payload == nil {
		why := ErrPayloadGone // pruned while somebody asked for it again
		if t.Damaged {
			why = ErrPayloadDamaged
		}
		return Outcome{Job: t.ID, Attempts: t.Attempts, State: Dead, Error: why.Msg, At: begin}
	}
	if t.LeaseUntil.Sub(begin) < l.rule.Timeout {
		return l.untried(t, begin)
	}
	if wait := l.circuit.wait(begin); wait > 0 {
		return l.untried(t, begin.Add(wait))
	}
	ctx, cancel := context.WithTimeout(sending, l.rule.Timeout)
	defer cancel()
	answer, err := l.ports.Sender.Send(ctx, Shipment{
		URL: l.rule.URL, Private: l.rule.Private, ID: t.DeliveryID, Event: t.Event, Payload: t.Payload,
		Signature: l.key.Sign(t.Payload).String(), Attempt: t.Attempts, Redelivery: t.Redelivery,
	})
	now := l.ports.Clock.Now()
	if err != nil && sending.Err() != nil {
		return l.untried(t, now) // we left, the target is not to blame
	}
	o, word := l.judge(t, answer, err, now)
	answered := word == "delivered" || word == "gone"
	turned := l.circuit.note(answered, now)
	l.ports.Meter.Forwarded(l.label(), word, now.Sub(begin))
	l.tell(t, o, turned, l.trouble.note(answered, now))
	return o
}

// maxError bounds what an error may take in the store. A target writes part of it.
const maxError = 500

// judge decides what the target's answer means for the job, in a word for the
// meter too.
func (l *lane) judge(t Task, answer Answer, err error, now time.Time) (o Outcome, word string) {
	o = Outcome{Job: t.ID, Attempts: t.Attempts, Status: answer.Status, At: now, State: Dead}
	if err != nil {
		o.Error = text.Line(err.Error(), maxError)
	} else {
		o.Error = fmt.Sprintf("answered %d", answer.Status)
	}
	switch {
	case err == nil && answer.Status >= 200 && answer.Status < 300:
		o.State, o.Error = Delivered, ""
		return o, "delivered"
	case err == nil && answer.Status == 410:
		o.Error = "answered 410: the target is gone"
		return o, "gone"
	case t.Attempts >= l.rule.MaxTries:
		return o, "dead"
	}
	o.State, o.DueAt = Open, now.Add(backoff(t.Attempts, chance(l.ports.Random), answer.RetryAfter))
	return o, "failed"
}

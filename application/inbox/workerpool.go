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

// workerPool sends the jobs of one rule. Each job in the pool occupies a slot from
// the moment it is reserved or claimed until its outcome is reported.
type workerPool struct {
	rule     Rule
	target   string // of rule
	orderBy  jsonPath
	where    Expression // nil if the rule has none
	signers  signers
	circuit  *circuit
	ports    Ports
	buffered *memoryBudget
	report   func(Outcome)
	senderOf func(source string) *webhook.Sender
	attempts *attemptLog
	log      *slog.Logger

	rate       *limiter      // nil if the rule has none
	rateTimer  *time.Timer   // of claimLater
	slots      chan struct{} // one element per occupied slot
	tasks      chan Task     // with the capacity of slots, so that submit never blocks
	wakeSignal chan struct{}
	ruleNumber atomic.Int32 // position among the rules, from 1
	failures   failureLog
	hasBacklog atomic.Bool // the store may hold more due jobs than the pool has slots
	paused     atomic.Bool // by the file of rules or an operator
	stopped    atomic.Bool
	stop       context.CancelFunc
}

// start starts the goroutines and adds them to running. Cancelling ctx stops
// claiming; cancelling sending aborts the running sends.
func (p *workerPool) start(ctx, sending context.Context, running *sync.WaitGroup) {
	ctx, p.stop = context.WithCancel(ctx)
	for range p.rule.Concurrency {
		running.Go(func() { p.work(ctx, sending) })
	}
	running.Go(func() { p.claim(ctx) })
}

// maxQueueTime is how long a job may wait for a worker before it is returned to
// the store.
const maxQueueTime = 10 * time.Second

// leaseTime covers the wait for a worker and one attempt.
func (p *workerPool) leaseTime() time.Duration { return maxQueueTime + p.rule.Timeout }

// reserveSlot takes a slot, and size bytes of memory, for a job that is about to be
// stored. It refuses while the store holds a backlog, so that older jobs go first.
func (p *workerPool) reserveSlot(now time.Time, size int) bool {
	if p.paused.Load() || p.stopped.Load() || p.hasBacklog.Load() || p.circuit.claimLimit(1, now) == 0 || !p.buffered.reserve(size) {
		return false
	}
	if p.rate.reserve(1, now) == 0 {
		p.buffered.release(size)
		p.hasBacklog.Store(true)
		return false
	}
	select {
	case p.slots <- struct{}{}:
		return true
	default:
		p.rate.cancel()
		p.buffered.release(size)
		p.hasBacklog.Store(true)
		return false
	}
}

// releaseUnused frees the slot, memory and rate of a job that was not stored.
func (p *workerPool) releaseUnused(size int) {
	p.rate.cancel()
	p.releaseSlot(size)
}

// releaseSlot frees the slot and memory of a job.
func (p *workerPool) releaseSlot(size int) {
	p.buffered.release(size)
	<-p.slots
}

// submit passes a stored job to the workers. It never blocks: the job has a slot.
func (p *workerPool) submit(t Task) {
	p.tasks <- t
	if p.stopped.Load() { // the workers may have returned already
		go p.returnQueued()
	}
}

// wake makes the pool claim the due jobs that it has slots for.
func (p *workerPool) wake() { signal(p.wakeSignal) }

// claim claims due jobs at start and when woken.
func (p *workerPool) claim(ctx context.Context) {
	for {
		p.claimJobs(ctx)
		select {
		case <-ctx.Done():
			return
		case <-p.wakeSignal:
		}
	}
}

// claimJobs fills the free slots from the store.
func (p *workerPool) claimJobs(ctx context.Context) {
	if p.paused.Load() {
		return
	}
	now := p.ports.Clock.Now()
	slots := p.acquireClaims(now)
	if slots == 0 {
		return
	}
	tasks, err := p.ports.Store.ClaimJobs(ctx, Claim{Rule: p.rule.Key(), Now: now, LeaseUntil: now.Add(p.leaseTime()), Limit: slots})
	if err != nil && ctx.Err() == nil {
		p.log.Error("claiming jobs failed", "rule", p.label(), "error", err)
	}
	p.hasBacklog.Store(len(tasks) == slots)
	for _, t := range tasks {
		p.buffered.used.Add(int64(len(t.Payload))) // not refused: the slots bound these
		p.tasks <- t
	}
	for range slots - len(tasks) {
		<-p.slots
		p.rate.cancel()
	}
	if p.stopped.Load() { // the workers may have returned during the claim
		p.returnQueued()
	}
}

// acquireClaims takes the slots for as many jobs as the circuit and the rate let through.
func (p *workerPool) acquireClaims(now time.Time) int {
	slots := p.acquireSlots(p.circuit.claimLimit(cap(p.slots), now))
	granted := p.rate.reserve(slots, now)
	for range slots - granted {
		<-p.slots
	}
	if granted < slots {
		p.hasBacklog.Store(true)
		p.claimLater(now)
	}
	return granted
}

// acquireSlots takes up to n free slots and returns how many it got.
func (p *workerPool) acquireSlots(n int) int {
	for i := range n {
		select {
		case p.slots <- struct{}{}:
		default:
			return i
		}
	}
	return n
}

// work sends one task after another; when ctx ends it returns the queued ones.
func (p *workerPool) work(ctx, sending context.Context) {
	for {
		select {
		case <-ctx.Done():
			p.stopped.Store(true)
			p.returnQueued()
			return
		case t := <-p.tasks:
			if ctx.Err() != nil {
				p.returnUnsent(t)
				continue
			}
			p.complete(t, p.attempt(sending, t))
		}
	}
}

// returnQueued returns the queued tasks to the store unsent.
func (p *workerPool) returnQueued() {
	for {
		select {
		case t := <-p.tasks:
			p.returnUnsent(t)
		default:
			return
		}
	}
}

func (p *workerPool) returnUnsent(t Task) {
	p.rate.cancel()
	p.complete(t, p.returned(t, p.ports.Clock.Now()))
}

// complete reports the outcome and frees the task's slot.
func (p *workerPool) complete(t Task, o Outcome) {
	if t.OrderKey != "" {
		o.onStored = p.wake // then the next job of the order key can be claimed
	}
	p.report(o)
	p.releaseSlot(len(t.Payload))
	if p.hasBacklog.Load() {
		p.wake()
	}
}

// returned is the outcome of a task that goes back to the store unsent, due at due.
func (p *workerPool) returned(t Task, due time.Time) Outcome {
	return Outcome{
		Job: t.ID, Attempts: t.Attempts, State: Open, DueAt: due, Returned: true, Status: t.Status, Error: t.Error, At: p.ports.Clock.Now(),
	}
}

// unsent is the outcome of a task that is not to be sent now: its rule is paused, it has
// no payload, its lease is about to expire or its target's circuit is open.
func (p *workerPool) unsent(t Task, begin time.Time) (o Outcome, ok bool) {
	if p.paused.Load() {
		return p.returned(t, t.DueAt), true // which keeps its place in the order
	}
	if t.Payload == nil {
		why := ErrPayloadGone // pruned during a redelivery
		if t.Damaged {
			why = ErrPayloadDamaged
		}
		p.attempts.add(AttemptReport{Rule: t.Rule, DiedAt: begin})
		return Outcome{Job: t.ID, Attempts: t.Attempts, State: Dead, Error: why.Msg, At: begin}, true
	}
	if t.LeaseUntil.Sub(begin) < p.rule.Timeout {
		return p.returned(t, begin), true
	}
	if wait := p.circuit.tryAfter(begin); wait > 0 {
		return p.returned(t, begin.Add(wait)), true
	}
	return Outcome{}, false
}

// attempt sends a task, unless it is not to be sent now.
func (p *workerPool) attempt(sending context.Context, t Task) Outcome {
	begin := p.ports.Clock.Now()
	if o, ok := p.unsent(t, begin); ok {
		p.rate.cancel()
		return o
	}
	p.rate.begin(begin)
	ctx, cancel := context.WithTimeout(sending, p.rule.Timeout)
	defer cancel()
	response, err := p.forward(ctx, t, begin)
	now := p.ports.Clock.Now()
	if err != nil && sending.Err() != nil {
		return p.returned(t, now) // aborted by the shutdown, not by the target
	}
	o, outcome := p.classify(t, response, err, now)
	o.Attempt = newAttempt(t, p.target, begin, response, o)
	answered := outcome == "delivered" || outcome == "gone"
	change := p.circuit.record(answered, now)
	p.attempts.add(p.reportOf(o, outcome == "delivered", answered))
	p.ports.Meter.ObserveForward(p.label(), outcome, now.Sub(begin))
	p.logAttempt(t, o, change, p.failures.record(answered, now))
	return o
}

func (p *workerPool) forward(ctx context.Context, t Task, now time.Time) (ForwardResponse, error) {
	request, err := newRequest(p.rule, p.signers, t, p.senderOf(t.Source), now)
	if err != nil {
		return ForwardResponse{}, err
	}
	return p.ports.Forwarder.ForwardDelivery(ctx, request)
}

// maxError bounds a stored error, part of which a target may have written.
const maxError = 500

// failure says why a request did not deliver, "" if it did.
func failure(response ForwardResponse, err error) string {
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
func (p *workerPool) classify(t Task, response ForwardResponse, err error, now time.Time) (o Outcome, label string) {
	o = Outcome{Job: t.ID, Attempts: t.Attempts, Status: response.Status, Error: failure(response, err), At: now, State: Dead}
	switch {
	case o.Error == "":
		o.State = Delivered
		return o, "delivered"
	case err == nil && response.Status == 410:
		o.Error += ": the target is gone"
		return o, "gone"
	case t.Attempts >= p.rule.MaxTries:
		return o, "dead"
	}
	o.State, o.DueAt = Open, now.Add(backoff(t.Attempts, jitter(p.ports.Random), response.RetryAfter))
	return o, "failed"
}

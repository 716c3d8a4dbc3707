// Package sending sends the jobs of an inbox: a pool of workers a rule, which spare a target that fails
// and keep to the rule's rate.
package sending

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/webhook"
)

// Pool sends the jobs of one rule. Each job in the pool occupies a slot from
// the moment it is reserved or claimed until its outcome is reported.
type Pool struct {
	*Shared
	Rule    inbox.Rule
	Target  string // of rule
	OrderBy inbox.JSONPath
	Where   inbox.Expression // nil if the rule has none
	signers signers
	circuit *circuit

	rate       *limiter        // nil if the rule has none
	rateTimer  *time.Timer     // of claimLater
	slots      chan struct{}   // one element per occupied slot
	tasks      chan inbox.Task // with the capacity of slots, so that submit never blocks
	wakeSignal chan struct{}
	ruleNumber atomic.Int32 // position among the rules, from 1
	failures   failureLog
	hasBacklog atomic.Bool // the store may hold more due jobs than the pool has slots
	paused     atomic.Bool // by the file of rules or an operator
	stopped    atomic.Bool
	stop       context.CancelFunc
}

// Shared is what the pools of a service have in common. It makes one pool at a time.
type Shared struct {
	Ports    inbox.Ports
	Buffered *Budget
	Report   func(o inbox.Outcome, onStored func()) // onStored is called after the commit; nil for none
	SenderOf func(source string) *webhook.Sender
	Attempts AttemptLog
	Log      *slog.Logger

	circuits map[string]*circuit // by target
	limiters map[string]*limiter // by rule
}

// NewPool makes the pool of a rule.
func (s *Shared) NewPool(rule inbox.Rule, paused bool) (*Pool, error) {
	signers, err := newSigners(rule.Secret)
	if err != nil {
		return nil, err
	}
	order, err := inbox.ParseJSONPath(rule.OrderBy)
	if err != nil {
		return nil, err
	}
	where, err := rule.CompileWhere(s.Ports.Compile)
	if err != nil {
		return nil, err
	}
	if s.circuits == nil {
		s.circuits, s.limiters = map[string]*circuit{}, map[string]*limiter{}
	}
	if s.circuits[rule.URL] == nil {
		s.circuits[rule.URL] = &circuit{}
	}
	slots := 2 * rule.Concurrency
	pool := &Pool{
		Shared: s, Rule: rule, Target: rule.Target(), OrderBy: order, Where: where, signers: signers, circuit: s.circuits[rule.URL],
		rate: s.limiterOf(rule), slots: make(chan struct{}, slots), tasks: make(chan inbox.Task, slots), wakeSignal: make(chan struct{}, 1),
	}
	pool.paused.Store(paused)
	return pool, nil
}

// IsPaused reports whether the file of rules or an operator has paused the rule.
func (p *Pool) IsPaused() bool { return p.paused.Load() }

// SetNumber sets the rule's position among the rules, from 1.
func (p *Pool) SetNumber(n int) { p.ruleNumber.Store(int32(n)) }

// End ends the workers after their running sends.
func (p *Pool) End() { p.stop() }

// Start starts the goroutines and adds them to running. Cancelling ctx stops
// claiming; cancelling sending aborts the running sends.
func (p *Pool) Start(ctx, sending context.Context, running *sync.WaitGroup) {
	ctx, p.stop = context.WithCancel(ctx)
	for range p.Rule.Concurrency {
		running.Go(func() { p.work(ctx, sending) })
	}
	running.Go(func() { p.claim(ctx) })
}

// MaxQueueTime is how long a job may wait for a worker before it is returned to
// the store.
const MaxQueueTime = 10 * time.Second

// LeaseTime covers the wait for a worker and one attempt.
func (p *Pool) LeaseTime() time.Duration { return MaxQueueTime + p.Rule.Timeout }

// ReserveSlot takes a slot, and size bytes of memory, for a job that is about to be
// stored. It refuses while the store holds a backlog, so that older jobs go first.
func (p *Pool) ReserveSlot(now time.Time, size int) bool {
	if p.paused.Load() || p.stopped.Load() || p.hasBacklog.Load() || p.circuit.claimLimit(1, now) == 0 || !p.Buffered.Reserve(size) {
		return false
	}
	if p.rate.reserve(1, now) == 0 {
		p.Buffered.Release(size)
		p.hasBacklog.Store(true)
		return false
	}
	select {
	case p.slots <- struct{}{}:
		return true
	default:
		p.rate.cancel()
		p.Buffered.Release(size)
		p.hasBacklog.Store(true)
		return false
	}
}

// ReleaseUnused frees the slot, memory and rate of a job that was not stored.
func (p *Pool) ReleaseUnused(size int) {
	p.rate.cancel()
	p.releaseSlot(size)
}

// releaseSlot frees the slot and memory of a job.
func (p *Pool) releaseSlot(size int) {
	p.Buffered.Release(size)
	<-p.slots
}

// Submit passes a stored job to the workers. It never blocks: the job has a slot.
func (p *Pool) Submit(t inbox.Task) {
	p.tasks <- t
	if p.stopped.Load() { // the workers may have returned already
		go p.returnQueued()
	}
}

// Wake makes the pool claim the due jobs that it has slots for.
func (p *Pool) Wake() { Signal(p.wakeSignal) }

// claim claims due jobs at start and when woken.
func (p *Pool) claim(ctx context.Context) {
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
func (p *Pool) claimJobs(ctx context.Context) {
	if p.paused.Load() {
		return
	}
	now := p.Ports.Clock.Now()
	slots := p.acquireClaims(now)
	if slots == 0 {
		return
	}
	tasks, err := p.Ports.Store.ClaimJobs(ctx, inbox.Claim{Rule: p.Rule.Key(), Now: now, LeaseUntil: now.Add(p.LeaseTime()), Limit: slots})
	if err != nil && ctx.Err() == nil {
		p.Log.Error("claiming jobs failed", "rule", p.Label(), "error", err)
	}
	p.hasBacklog.Store(len(tasks) == slots)
	for _, t := range tasks {
		p.Buffered.used.Add(int64(len(t.Payload))) // not refused: the slots bound these
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
func (p *Pool) acquireClaims(now time.Time) int {
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
func (p *Pool) acquireSlots(n int) int {
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
func (p *Pool) work(ctx, sending context.Context) {
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
func (p *Pool) returnQueued() {
	for {
		select {
		case t := <-p.tasks:
			p.returnUnsent(t)
		default:
			return
		}
	}
}

func (p *Pool) returnUnsent(t inbox.Task) {
	p.rate.cancel()
	p.complete(t, p.returned(t, p.Ports.Clock.Now()))
}

// complete reports the outcome and frees the task's slot.
func (p *Pool) complete(t inbox.Task, o inbox.Outcome) {
	var onStored func()
	if t.OrderKey != "" {
		onStored = p.Wake // then the next job of the order key can be claimed
	}
	p.Report(o, onStored)
	p.releaseSlot(len(t.Payload))
	if p.hasBacklog.Load() {
		p.Wake()
	}
}

// returned is the outcome of a task that goes back to the store unsent, due at due.
func (p *Pool) returned(t inbox.Task, due time.Time) inbox.Outcome {
	return inbox.Outcome{
		Job: t.ID, Attempts: t.Attempts, State: inbox.Open, DueAt: due, Returned: true,
		Status: t.Status, Error: t.Error, At: p.Ports.Clock.Now(),
	}
}

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

// SetPaused pauses or resumes the pool. After a pause the store holds older jobs, which
// go before new ones.
func (p *Pool) SetPaused(paused bool) {
	if p.paused.Load() == paused {
		return
	}
	p.hasBacklog.Store(true)
	p.paused.Store(paused)
	if paused {
		p.Log.Warn("a forwarding rule is paused", "rule", p.Label())
		return
	}
	p.Log.Info("a forwarding rule is resumed", "rule", p.Label())
	p.Wake()
}

// Signal tells whoever waits, if nobody has yet. It never blocks.
func Signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

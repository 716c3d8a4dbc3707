package sending

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
)

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

package sending

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
)

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

package inboxstore

import (
	"context"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/wakeup"
	"github.com/octavo-books/octavo/application/inbox"
)

// WaitFor implements inbox.Store.
func (i *Inbox) WaitFor(ctx context.Context, c inbox.Change, due time.Time) {
	i.db.Wakeups().Wait(ctx, string(c), due)
}

// Wakeups returns the hub of WaitFor.
func (i *Inbox) Wakeups() *wakeup.Hub { return i.db.Wakeups() }

func notify(c rawsql.Conn, change inbox.Change) { gormstore.Notify(c.Pool, string(change)) }

// leasesInterval is the minimum time between two notifications of leases.
const leasesInterval = time.Second

// notifyLeases tells other processes that this one leases jobs, so that they look whether it
// lives.
func (i *Inbox) notifyLeases(c rawsql.Conn) {
	gormstore.OnCommit(c.Pool, func() {
		now, last := time.Now().UnixNano(), i.leasesNotified.Load()
		if now-last >= int64(leasesInterval) && i.leasesNotified.CompareAndSwap(last, now) {
			i.db.Wakeups().Notify(string(inbox.LeasesTaken))
		}
	})
}

// notifyBatch tells of the jobs that a batch stores or puts off.
func (i *Inbox) notifyBatch(c rawsql.Conn, b inbox.Batch, fresh []bool) {
	leased, open := false, slices.ContainsFunc(b.Outcomes, func(o inbox.Outcome) bool { return o.State == inbox.Open })
	for n, d := range b.Deliveries {
		if !fresh[n] {
			continue
		}
		for _, j := range d.Jobs {
			leased, open = leased || !j.LeaseUntil.IsZero(), open || j.LeaseUntil.IsZero()
		}
	}
	if leased {
		i.notifyLeases(c)
	}
	if open {
		notify(c, inbox.JobsChanged)
	}
}

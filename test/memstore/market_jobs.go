package memstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/wakeup"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/id"
)

type jobTable struct {
	table
	wakeups *wakeup.Hub
}

// WaitForJobs implements market.JobWaiter.
func (m *Market) WaitForJobs(ctx context.Context, now time.Time) {
	var next time.Time
	_, _ = rows(ctx, m, func(t *marketTables) []market.Job {
		for _, j := range t.jobs {
			if j.State(now) == market.JobWaiting && (next.IsZero() || j.DueAt.Before(next)) {
				next = j.DueAt
			}
		}
		return nil
	})
	m.s.wakeups.Wait(ctx, jobsTopic, next)
}

func (t jobTable) AddJob(_ context.Context, j market.Job) error {
	t.wakeups.Notify(jobsTopic)
	t.jobs[j.ID] = j
	return nil
}

func (t jobTable) TakeJob(_ context.Context, now time.Time) (market.Job, bool, error) {
	due := pick(t.jobs, 1, byID, func(j market.Job) bool { return j.State(now) == market.JobDue })
	if len(due) == 0 {
		return market.Job{}, false, nil
	}
	delete(t.jobs, due[0].ID)
	return due[0], true, nil
}

func (t jobTable) FailJob(_ context.Context, j market.Job) error {
	if known, ok := t.jobs[j.ID]; ok && known.Attempts < j.Attempts {
		t.jobs[j.ID] = j
	}
	return nil
}

func byID(a, b market.Job) int { return cmp.Compare(a.ID, b.ID) }

// ListJobs implements market.JobAdmin.
func (m *Market) ListJobs(ctx context.Context, n int) ([]market.Job, error) {
	return rows(ctx, m, func(t *marketTables) []market.Job {
		dead := pick(t.jobs, n, byID, func(j market.Job) bool { return j.Dead })
		return append(dead, pick(t.jobs, n-len(dead), byID, func(j market.Job) bool { return !j.Dead })...)
	})
}

// CountDeadJobs implements market.JobAdmin.
func (m *Market) CountDeadJobs(ctx context.Context) (int, error) {
	c, err := m.CountJobs(ctx, time.Time{})
	return c.Dead, err
}

// CountJobs implements market.JobAdmin.
func (m *Market) CountJobs(ctx context.Context, now time.Time) (c market.JobCounts, err error) {
	all, err := m.ListJobs(ctx, 1_000_000)
	for _, j := range all {
		switch j.State(now) {
		case market.JobDead:
			c.Dead++
		case market.JobWaiting:
			c.Waiting++
		case market.JobDue:
			if c.Due++; j.Attempts == 0 && c.Oldest.IsZero() {
				c.Oldest = id.Time(j.ID)
			}
		}
	}
	return c, err
}

// RetryJobs implements market.JobAdmin.
func (m *Market) RetryJobs(ctx context.Context, ids ...int64) (n int, err error) {
	err = m.s.atomically(ctx, func() error {
		t := &m.s.tables.market
		n = 0
		for number, j := range maps.Clone(t.jobs) {
			if slices.Contains(ids, number) || len(ids) == 0 && j.Dead {
				t.jobs[number] = market.Job{ID: j.ID, Kind: j.Kind, Subject: j.Subject, Key: j.Key, After: j.After}
				n++
			}
		}
		return nil
	})
	m.s.wakeups.Notify(jobsTopic)
	return n, err
}

// DropJobs implements market.JobAdmin.
func (m *Market) DropJobs(ctx context.Context, ids ...int64) (n int, err error) {
	err = m.s.atomically(ctx, func() error {
		t := &m.s.tables.market
		n = len(t.jobs)
		maps.DeleteFunc(t.jobs, func(number int64, _ market.Job) bool { return slices.Contains(ids, number) })
		n -= len(t.jobs)
		return nil
	})
	return n, err
}

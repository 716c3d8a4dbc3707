// Package meminbox is the webhook inbox in memory: maps under one mutex and naive
// scans. It is the test double for use cases and the model for the contract suites.
package meminbox

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/wakeup"
	"github.com/octavo-books/octavo/application/inbox"
)

// Inbox implements inbox.Store.
// RuleStates, Maintenance and Feed. Use New.
type Inbox struct {
	mu         sync.Mutex
	deliveries map[int64]inbox.Delivery // without their jobs
	seqByID    map[[2]string]int64      // source and sender's id to Seq
	jobs       map[int64]inbox.Job
	attempts   []attempt // in the order of storing
	stored     int       // attempts that were ever stored
	hashes     map[[32]byte]time.Time
	positions  map[int64]int64 // of the deliveries, by Seq
	position   int64           // the last one
	rules      []inbox.Rule
	states     map[string]inbox.RuleState // without the numbers of attempts and jobs
	reports    []inbox.AttemptReport
	alerts     []alert
	wakeups    *wakeup.Hub
}

// New makes an empty inbox.
func New() *Inbox {
	return &Inbox{
		deliveries: map[int64]inbox.Delivery{}, seqByID: map[[2]string]int64{},
		jobs: map[int64]inbox.Job{}, hashes: map[[32]byte]time.Time{}, states: map[string]inbox.RuleState{}, positions: map[int64]int64{},
		wakeups: newWakeups(),
	}
}

// newWakeups returns a hub without a net: every wait ends by a notification or when a job is due.
func newWakeups() *wakeup.Hub {
	h := wakeup.New()
	h.SetNet(1000 * time.Hour)
	h.SetArriving(true)
	return h
}

// WaitFor implements inbox.Store.
func (i *Inbox) WaitFor(ctx context.Context, c inbox.Change, due time.Time) {
	i.wakeups.Wait(ctx, string(c), due)
}

// CommitBatch stores a batch.
func (i *Inbox) CommitBatch(ctx context.Context, b inbox.Batch) ([]bool, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	fresh := make([]bool, len(b.Deliveries))
	for n, d := range b.Deliveries {
		if b.Replays != nil && !b.Replays[n].Until.IsZero() && i.replayed(b.Replays[n], d.ReceivedAt) {
			continue
		}
		fresh[n] = i.add(d)
	}
	i.addToFeed(b.Deliveries, fresh)
	for _, o := range b.Outcomes {
		i.recordOutcome(o)
		i.recordAttempt(o.Attempt)
	}
	i.wakeups.Notify(string(inbox.JobsChanged))
	i.wakeups.Notify(string(inbox.LeasesTaken))
	return fresh, nil
}

// replayed stores the hash and reports whether it was stored and has not expired.
func (i *Inbox) replayed(r inbox.Replay, now time.Time) bool {
	if until, known := i.hashes[r.Hash]; known && until.After(now) {
		return true
	}
	i.hashes[r.Hash] = r.Until
	return false
}

func (i *Inbox) add(d inbox.Delivery) bool {
	key := [2]string{d.Source, d.ID}
	if _, known := i.seqByID[key]; known {
		return false
	}
	i.seqByID[key] = d.Seq
	for _, job := range d.Jobs {
		i.jobs[job.ID] = job
	}
	d.Jobs, d.Payload = nil, bytes.Clone(d.Payload)
	i.deliveries[d.Seq] = d
	return true
}

func (i *Inbox) recordOutcome(o inbox.Outcome) {
	job, ok := i.jobs[o.Job]
	if !ok || job.State != inbox.Open || job.Attempts != o.Attempts {
		return
	}
	job.State, job.DueAt, job.LeaseUntil, job.Status, job.Error, job.ChangedAt = o.State, o.DueAt, time.Time{}, o.Status, o.Error, o.At
	if o.Returned {
		job.Attempts--
	}
	i.jobs[job.ID] = job
}

// ClaimJobs leases due jobs.
func (i *Inbox) ClaimJobs(ctx context.Context, c inbox.Claim) ([]inbox.Task, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	due := i.sortedJobs(func(j inbox.Job) bool {
		return j.Rule == c.Rule && j.State == inbox.Open && !j.DueAt.After(c.Now) && !j.LeaseUntil.After(c.Now) && i.isFirst(j)
	})
	slices.SortStableFunc(due, func(a, b inbox.Job) int { return cmp.Or(a.DueAt.Compare(b.DueAt), cmp.Compare(a.Seq, b.Seq)) })
	var tasks []inbox.Task
	for _, job := range due[:min(c.Limit, len(due))] {
		job.Attempts++
		job.LeaseUntil = c.LeaseUntil
		i.jobs[job.ID] = job
		d := i.deliveries[job.Seq]
		tasks = append(tasks, inbox.Task{Job: job, Source: d.Source, DeliveryID: d.ID, Original: d.Original, Event: d.Event, Header: d.Header, Payload: bytes.Clone(d.Payload)})
	}
	return tasks, nil
}

// DueRules returns the rules with due jobs.
func (i *Inbox) DueRules(ctx context.Context, now time.Time) (keys []string, next time.Time, err error) {
	if err := ctx.Err(); err != nil {
		return nil, next, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, job := range i.sortedJobs(func(j inbox.Job) bool { return j.State == inbox.Open }) {
		if job.DueAt.After(now) {
			if next.IsZero() || job.DueAt.Before(next) {
				next = job.DueAt
			}
		} else if !slices.Contains(keys, job.Rule) {
			keys = append(keys, job.Rule)
		}
	}
	return keys, next, nil
}

// isFirst reports whether no older open job has the same order key.
func (i *Inbox) isFirst(job inbox.Job) bool {
	if job.OrderKey == "" {
		return true
	}
	for _, other := range i.jobs {
		if other.State == inbox.Open && other.Rule == job.Rule && other.OrderKey == job.OrderKey && other.ID < job.ID {
			return false
		}
	}
	return true
}

// sortedJobs returns the selected jobs in the order of their ids.
func (i *Inbox) sortedJobs(selected func(inbox.Job) bool) []inbox.Job {
	var jobs []inbox.Job
	for _, job := range i.jobs {
		if selected(job) {
			jobs = append(jobs, job)
		}
	}
	slices.SortFunc(jobs, func(a, b inbox.Job) int { return cmp.Compare(a.ID, b.ID) })
	return jobs
}

// RequeueJobs makes all open jobs due and ends their leases.
func (i *Inbox) RequeueJobs(ctx context.Context, now time.Time) error {
	i.mu.Lock()
	defer i.mu.Unlock()
	for id, job := range i.jobs {
		if job.State == inbox.Open {
			job.LeaseUntil = time.Time{}
			if job.DueAt.After(now) {
				job.DueAt = now
			}
			i.jobs[id] = job
		}
	}
	return ctx.Err()
}

// ReclaimLeases finds nothing, because no other process shares this memory.
func (i *Inbox) ReclaimLeases(ctx context.Context) (jobs int, left bool, err error) {
	return 0, false, ctx.Err()
}

// DeadLetterJobs marks the open jobs of other rules as dead.
func (i *Inbox) DeadLetterJobs(ctx context.Context, rules []string, reason string, now time.Time) (int, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	lost := i.sortedJobs(func(j inbox.Job) bool {
		return j.State == inbox.Open && !j.LeaseUntil.After(now) && !slices.Contains(rules, j.Rule)
	})
	for _, job := range lost {
		job.State, job.Error, job.ChangedAt = inbox.Dead, reason, now
		i.jobs[job.ID] = job
	}
	return len(lost), ctx.Err()
}

// SaveRules replaces the rules.
func (i *Inbox) SaveRules(ctx context.Context, rules []inbox.Rule) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.rules = nil
	for _, r := range rules {
		i.rules = append(i.rules, inbox.Rule{Name: r.Key(), Source: r.Source, Match: r.Match, Where: r.Where, OrderBy: r.OrderBy, Rate: r.Rate, URL: r.Target(), Paused: r.Paused})
	}
	return nil
}

// LoadRules returns the rules.
func (i *Inbox) LoadRules(ctx context.Context) ([]inbox.Rule, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return slices.Clone(i.rules), ctx.Err()
}

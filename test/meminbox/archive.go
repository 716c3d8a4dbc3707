package meminbox

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
)

// ListDeliveries returns deliveries, newest first.
func (i *Inbox) ListDeliveries(ctx context.Context, q inbox.Query) (page []inbox.Delivery, next int64, err error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, d := range i.newestFirst() {
		d = i.withJobs(d)
		d.Payload = nil
		if !matches(d, q) {
			continue
		}
		if page = append(page, d); len(page) == q.Limit {
			return page, d.Seq, nil
		}
	}
	return page, 0, nil
}

func matches(d inbox.Delivery, q inbox.Query) bool {
	return (q.State == "" || d.State() == q.State) && (q.Source == "" || d.Source == q.Source) && (q.Event == "" || d.Event == q.Event) && (q.Before == 0 || d.Seq < q.Before) &&
		(q.From.IsZero() || !d.ReceivedAt.Before(q.From)) && (q.To.IsZero() || d.ReceivedAt.Before(q.To))
}

// CountDeliveries counts the deliveries of each step.
func (i *Inbox) CountDeliveries(ctx context.Context, q inbox.Query, step time.Duration) ([]inbox.Count, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	counts := make([]inbox.Count, q.Steps(step))
	for n := range counts {
		counts[n].At = q.From.Add(time.Duration(n) * step)
	}
	q.Before = 0
	for _, d := range i.deliveries {
		if d = i.withJobs(d); !matches(d, q) {
			continue
		}
		c := &counts[d.ReceivedAt.Sub(q.From)/step]
		switch d.State() {
		case inbox.Open.String():
			c.Pending++
		case inbox.Dead.String():
			c.Dead++
		case inbox.Unmatched:
			c.Unmatched++
		default:
			c.Delivered++
		}
	}
	return counts, ctx.Err()
}

func (i *Inbox) newestFirst() []inbox.Delivery {
	var all []inbox.Delivery
	for _, d := range i.deliveries {
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b inbox.Delivery) int { return cmp.Compare(b.Seq, a.Seq) })
	return all
}

// withJobs returns a copy of the delivery with its jobs.
func (i *Inbox) withJobs(d inbox.Delivery) inbox.Delivery {
	d.Jobs = i.sortedJobs(func(j inbox.Job) bool { return j.Seq == d.Seq })
	d.Payload = bytes.Clone(d.Payload)
	return d
}

// FindDelivery returns a delivery by the sender's id.
func (i *Inbox) FindDelivery(ctx context.Context, source, id string) (inbox.Delivery, error) {
	if err := ctx.Err(); err != nil {
		return inbox.Delivery{}, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	found := i.versions(source, id)
	if first, ok := inbox.FirstVersion(id); ok && len(found) == 0 {
		found = i.selected(func(d inbox.Delivery) bool { return d.ID == first && (source == "" || d.Source == source) })
	}
	if len(found) == 0 {
		return inbox.Delivery{}, inbox.ErrNotFound
	}
	d := found[0]
	d.Attempts = i.attemptsOf(d.Seq)
	for _, other := range i.versions(d.Source, d.SenderID()) {
		switch {
		case other.Seq == d.Seq:
		case other.Original == "":
			d.Others = append(d.Others, other.ID+"~1")
		default:
			d.Others = append(d.Others, other.ID)
		}
	}
	return d, nil
}

// FindVersions returns the newest deliveries with the sender's id.
func (i *Inbox) FindVersions(ctx context.Context, source, id string, limit int) ([]inbox.Delivery, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	found := i.versions(source, id)
	return found[:min(limit, len(found))], ctx.Err()
}

// versions returns the deliveries of a source, or of all for "", with the sender's id, newest
// first.
func (i *Inbox) versions(source, id string) []inbox.Delivery {
	return i.selected(func(d inbox.Delivery) bool {
		return (d.ID == id || d.Original == id) && (source == "" || d.Source == source)
	})
}

// selected returns deliveries with their jobs, newest first.
func (i *Inbox) selected(chosen func(inbox.Delivery) bool) (all []inbox.Delivery) {
	for _, d := range i.newestFirst() {
		if chosen(d) {
			all = append(all, i.withJobs(d))
		}
	}
	return all
}

// AddRepeat adds jobs by rules that have not accepted the delivery.
func (i *Inbox) AddRepeat(ctx context.Context, seq int64, jobs []inbox.Job) ([]inbox.Job, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	d, ok := i.deliveries[seq]
	switch {
	case !ok:
		return nil, inbox.ErrNotFound
	case d.Payload == nil:
		return nil, inbox.ErrPayloadGone
	}
	existing := i.withJobs(d).Jobs
	added := inbox.RepeatedJobs(existing, jobs)
	if len(added) == 0 {
		return nil, nil
	}
	i.wakeups.Notify(string(inbox.JobsChanged))
	for _, job := range existing {
		if job.State == inbox.Dead {
			job.State = inbox.Replaced
			i.jobs[job.ID] = job
		}
	}
	i.limitAttempts(seq)
	for _, job := range added {
		i.jobs[job.ID] = job
	}
	return added, nil
}

// AddRedelivery adds jobs.
func (i *Inbox) AddRedelivery(ctx context.Context, seq int64, jobs []inbox.Job) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	d, ok := i.deliveries[seq]
	switch {
	case !ok:
		return inbox.ErrNotFound
	case d.Payload == nil:
		return inbox.ErrPayloadGone
	}
	i.wakeups.Notify(string(inbox.JobsChanged))
	for id, job := range i.jobs {
		waits := func(again inbox.Job) bool {
			return job.State == inbox.Open && job.Rule == again.Rule && !job.LeaseUntil.After(again.DueAt)
		}
		if job.Seq == seq && (job.State == inbox.Dead || slices.ContainsFunc(jobs, waits)) {
			job.State = inbox.Replaced
			i.jobs[id] = job
		}
	}
	i.limitAttempts(seq)
	for _, job := range jobs {
		i.jobs[job.ID] = job
	}
	return nil
}

// PrepareStorage does nothing.
func (i *Inbox) PrepareStorage(ctx context.Context, _ int) error { return ctx.Err() }

// FindExcess returns the newest finished delivery of those that are too many.
func (i *Inbox) FindExcess(ctx context.Context, most int) (int64, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, d := range i.newestFirst() {
		if i.isOpen(d.Seq) {
			continue
		}
		if most--; most < 0 {
			return d.Seq, ctx.Err()
		}
	}
	return 0, ctx.Err()
}

func (i *Inbox) isOpen(seq int64) bool {
	for _, j := range i.jobs {
		if j.Seq == seq && j.State == inbox.Open {
			return true
		}
	}
	return false
}

// PruneDeliveries deletes everything that exceeds the retention, in one step.
func (i *Inbox) PruneDeliveries(ctx context.Context, p inbox.Retention) (inbox.Retention, bool, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for hash, until := range i.hashes {
		if !until.After(p.Now) {
			delete(i.hashes, hash)
		}
	}
	i.pruneAttempts(p)
	i.pruneRuleStates(p.AttemptsBefore)
	for _, d := range i.newestFirst() {
		jobs := i.withJobs(d).Jobs
		switch {
		case i.isOpen(d.Seq):
		case d.ReceivedAt.Before(p.DeliveriesBefore) || d.Seq <= p.UpTo:
			i.deleteAttempts(func(a attempt) bool { return i.jobs[a.Job].Seq == d.Seq })
			delete(i.deliveries, d.Seq)
			delete(i.seqByID, [2]string{d.Source, d.ID})
			for _, job := range jobs {
				delete(i.jobs, job.ID)
			}
		case d.ReceivedAt.Before(p.PayloadsBefore):
			d.Payload = nil
			i.deliveries[d.Seq] = d
		}
	}
	return p, false, ctx.Err()
}

// CountJobs counts the open and the dead jobs.
func (i *Inbox) CountJobs(ctx context.Context) (inbox.Stats, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	var s inbox.Stats
	for _, job := range i.jobs {
		switch job.State {
		case inbox.Open:
			s.Open++
			if at := i.deliveries[job.Seq].ReceivedAt; s.Oldest.IsZero() || at.Before(s.Oldest) {
				s.Oldest = at
			}
		case inbox.Dead:
			s.Dead++
		}
	}
	return s, ctx.Err()
}

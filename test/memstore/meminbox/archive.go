package meminbox

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/octavo-books/octavo/application/inbox"
)

// List gives deliveries, newest first.
func (i *Inbox) List(ctx context.Context, q inbox.Query) (page []inbox.Delivery, next int64, err error) {
	if err := ctx.Err(); err != nil {
		return nil, 0, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, d := range i.newestFirst() {
		d = i.whole(d)
		d.Payload = nil
		if !chosen(d, q) {
			continue
		}
		if page = append(page, d); len(page) == q.Limit {
			return page, d.Seq, nil
		}
	}
	return page, 0, nil
}

func chosen(d inbox.Delivery, q inbox.Query) bool {
	return (q.State == "" || d.State() == q.State) && (q.Event == "" || d.Event == q.Event) && (q.Before == 0 || d.Seq < q.Before) &&
		(q.From.IsZero() || !d.ReceivedAt.Before(q.From)) && (q.To.IsZero() || d.ReceivedAt.Before(q.To))
}

func (i *Inbox) newestFirst() []inbox.Delivery {
	var all []inbox.Delivery
	for _, d := range i.deliveries {
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b inbox.Delivery) int { return cmp.Compare(b.Seq, a.Seq) })
	return all
}

// whole adds its jobs to a delivery.
func (i *Inbox) whole(d inbox.Delivery) inbox.Delivery {
	d.Jobs = i.sorted(func(j inbox.Job) bool { return j.Seq == d.Seq })
	d.Payload = bytes.Clone(d.Payload)
	return d
}

// Find gives a delivery by the sender's id.
func (i *Inbox) Find(ctx context.Context, id string) (inbox.Delivery, error) {
	if err := ctx.Err(); err != nil {
		return inbox.Delivery{}, err
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	seq, ok := i.bySender[id]
	if !ok {
		return inbox.Delivery{}, inbox.ErrNotFound
	}
	return i.whole(i.deliveries[seq]), nil
}

// Redeliver adds jobs.
func (i *Inbox) Redeliver(ctx context.Context, seq int64, jobs []inbox.Job) error {
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
	for id, job := range i.jobs {
		waits := func(again inbox.Job) bool {
			return job.State == inbox.Open && job.Rule == again.Rule && !job.LeaseUntil.After(again.DueAt)
		}
		if job.Seq == seq && (job.State == inbox.Dead || slices.ContainsFunc(jobs, waits)) {
			job.State = inbox.Replaced
			i.jobs[id] = job
		}
	}
	for _, job := range jobs {
		i.jobs[job.ID] = job
	}
	return nil
}

// Prune drops all that may go, in one step.
func (i *Inbox) Prune(ctx context.Context, p inbox.Retention) (bool, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for hash, until := range i.hashes {
		if !until.After(p.Now) {
			delete(i.hashes, hash)
		}
	}
	for n, d := range i.newestFirst() {
		jobs := i.whole(d).Jobs
		open := slices.ContainsFunc(jobs, func(j inbox.Job) bool { return j.State == inbox.Open })
		switch {
		case open:
		case d.ReceivedAt.Before(p.IDs) || n >= p.Most:
			delete(i.deliveries, d.Seq)
			delete(i.bySender, d.ID)
			for _, job := range jobs {
				delete(i.jobs, job.ID)
			}
		case d.ReceivedAt.Before(p.Bodies):
			d.Payload = nil
			i.deliveries[d.Seq] = d
		}
	}
	return false, ctx.Err()
}

// Stats counts what waits.
func (i *Inbox) Stats(ctx context.Context) (inbox.Stats, error) {
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

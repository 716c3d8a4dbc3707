package inbox

import (
	"context"
	"errors"
	"slices"
)

// MaxPage is the most deliveries that List gives at once.
const MaxPage = 200

// Desk looks deliveries up and sends them again. It works beside a running
// service, also from another process: the service finds new jobs by itself.
type Desk struct {
	archive Archive
	clock   Clock
	ids     IDs
	rules   func(context.Context) ([]Rule, error)
	wake    func(rule string)
}

// NewDesk makes a desk for a program beside the service. It redelivers by the
// rules that the service has, or had when it last ran.
func NewDesk(archive Archive, rules RuleStore, clock Clock, ids IDs) *Desk {
	return &Desk{archive, clock, ids, rules.LoadRules, func(string) {}}
}

// State is the delivery's state as a whole: "dead" while a job is, then "pending"
// while one is open, else "delivered". What waits for somebody counts for more than
// what goes on by itself, perhaps for a day.
func (d Delivery) State() string {
	has := func(s JobState) bool {
		return slices.ContainsFunc(d.Jobs, func(j Job) bool { return j.State == s })
	}
	switch {
	case has(Dead):
		return Dead.String()
	case has(Open):
		return Open.String()
	}
	return Delivered.String()
}

// List gives deliveries with their jobs but without payloads, newest first, at
// most 200 and 50 where no limit is given. next is the Query.Before of the page
// that follows, 0 at the end. A page may be short before that, even empty, where
// few of many deliveries match: what one call looks at is bounded. The error is
// ErrQuery for a state, an event or times that cannot be.
func (d *Desk) List(ctx context.Context, q Query) (page []Delivery, next int64, err error) {
	switch q.State {
	case "", Open.String(), Delivered.String(), Dead.String():
	default:
		return nil, 0, ErrQuery.WithField("state", "is pending, delivered or dead")
	}
	if q.Event != "" && !q.Event.IsEvent() {
		return nil, 0, ErrQuery.WithField("event", "is the name of an event, without an action")
	}
	if !q.From.IsZero() && !q.To.IsZero() && !q.From.Before(q.To) {
		return nil, 0, ErrQuery.WithField("from", "is not before to")
	}
	if q.Limit <= 0 {
		q.Limit = 50
	}
	q.Limit = min(q.Limit, MaxPage) + 1 // one more tells whether there is a next page
	page, next, err = d.archive.List(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	if len(page) == q.Limit {
		page = page[:q.Limit-1]
		next = page[len(page)-1].Seq
	}
	return page, next, nil
}

// Find gives a delivery with its jobs and payload, or ErrNotFound or
// ErrPayloadDamaged.
func (d *Desk) Find(ctx context.Context, id string) (Delivery, error) {
	if !storable(id, maxID) {
		return Delivery{}, ErrNotFound
	}
	return d.archive.Find(ctx, id)
}

// Redeliver sends a delivery again by every rule that matches it now. What is
// sent is marked as a redelivery. jobs is how many targets it goes to; the errors
// are ErrNotFound, ErrPayloadGone, ErrPayloadDamaged and ErrNoTarget, after which
// nothing has changed.
func (d *Desk) Redeliver(ctx context.Context, id string) (jobs int, err error) {
	rules, err := d.rules(ctx)
	if err != nil {
		return 0, err
	}
	return d.redeliver(ctx, id, rules)
}

func (d *Desk) redeliver(ctx context.Context, id string, rules []Rule) (jobs int, err error) {
	delivery, err := d.Find(ctx, id)
	if err != nil {
		return 0, err
	}
	if delivery.Payload == nil {
		return 0, ErrPayloadGone
	}
	again, err := d.jobsFor(delivery, rules)
	if err != nil {
		return 0, err
	}
	if err := d.archive.Redeliver(ctx, delivery.Seq, again); err != nil {
		return 0, err
	}
	for _, job := range again {
		d.wake(job.Rule)
	}
	return len(again), nil
}

// Redelivered counts what RedeliverAll has found.
type Redelivered struct {
	Deliveries int // sent again
	NoTarget   int // left as they are, because no rule forwards them now
	NoPayload  int // left as they are, because their payload is gone or damaged
}

// RedeliverAll sends every delivery again that the query finds, page by page.
// What arrives or is pruned meanwhile is passed over.
func (d *Desk) RedeliverAll(ctx context.Context, q Query) (Redelivered, error) {
	var done Redelivered
	q.Limit = MaxPage
	for {
		page, next, err := d.List(ctx, q)
		if err != nil {
			return done, err
		}
		rules, err := d.rules(ctx)
		if err != nil {
			return done, err
		}
		for _, delivery := range page {
			_, err := d.redeliver(ctx, delivery.ID, rules)
			if err := done.count(err); err != nil {
				return done, err
			}
		}
		if q.Before = next; next == 0 {
			return done, nil
		}
	}
}

// count notes how redelivering one ended and gives back what is no refusal.
func (r *Redelivered) count(err error) error {
	switch {
	case err == nil:
		r.Deliveries++
	case errors.Is(err, ErrNoTarget):
		r.NoTarget++
	case errors.Is(err, ErrPayloadGone), errors.Is(err, ErrPayloadDamaged):
		r.NoPayload++
	case !errors.Is(err, ErrNotFound):
		return err
	}
	return nil
}

// jobsFor makes the jobs that send a delivery again, or ErrNoTarget.
func (d *Desk) jobsFor(delivery Delivery, rules []Rule) ([]Job, error) {
	now := d.clock.Now()
	var jobs []Job
	for _, rule := range rules {
		if !rule.matches(delivery.Event, delivery.Action) {
			continue
		}
		order, err := parsePath(rule.OrderBy)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, Job{
			ID: d.ids.Next(), Seq: delivery.Seq, Rule: rule.Key(), OrderKey: order.find(delivery.Payload), DueAt: now, Redelivery: true, ChangedAt: now,
		})
	}
	if jobs == nil {
		return nil, ErrNoTarget
	}
	return jobs, nil
}

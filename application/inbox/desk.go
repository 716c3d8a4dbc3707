package inbox

import (
	"context"
	"errors"
	"slices"
	"time"
)

// MaxPage is the most deliveries that List gives at once.
const MaxPage = 200

// Desk looks deliveries up and sends them again. It works beside a running
// service, also from another process: the service finds new jobs by itself.
type Desk struct {
	archive Archive
	clock   Clock
	ids     IDs
	rules   func() []Rule
	wake    func(rule string)
}

// NewDesk makes a desk for a program beside the service. Without rules a
// delivery is sent again to where it was sent before.
func NewDesk(archive Archive, clock Clock, ids IDs, rules []Rule) *Desk {
	return &Desk{archive, clock, ids, func() []Rule { return rules }, func(string) {}}
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

// Redeliver sends a delivery again by every rule that matches it now, or, where
// none does, by those that it was sent by before. What is sent is marked as a
// redelivery. jobs is how many targets it goes to; the errors are ErrNotFound,
// ErrPayloadGone, ErrPayloadDamaged and ErrNoTarget.
func (d *Desk) Redeliver(ctx context.Context, id string) (jobs int, err error) {
	delivery, err := d.Find(ctx, id)
	if err != nil {
		return 0, err
	}
	if delivery.Payload == nil {
		return 0, ErrPayloadGone
	}
	again := d.jobsFor(delivery)
	if len(again) == 0 {
		return 0, ErrNoTarget
	}
	if err := d.archive.Redeliver(ctx, delivery.Seq, again); err != nil {
		return 0, err
	}
	for _, job := range again {
		d.wake(job.Rule)
	}
	return len(again), nil
}

// RedeliverAll sends every delivery again that the query finds, page by page, and
// tells how many. Deliveries that cannot be are passed over, and so is what
// arrives meanwhile.
func (d *Desk) RedeliverAll(ctx context.Context, q Query) (deliveries int, err error) {
	q.Limit = MaxPage
	for {
		page, next, err := d.List(ctx, q)
		if err != nil {
			return deliveries, err
		}
		for _, delivery := range page {
			_, err := d.Redeliver(ctx, delivery.ID)
			switch {
			case err == nil:
				deliveries++
			case errors.Is(err, ErrNoTarget), errors.Is(err, ErrPayloadGone), errors.Is(err, ErrPayloadDamaged), errors.Is(err, ErrNotFound):
			default:
				return deliveries, err
			}
		}
		if q.Before = next; next == 0 {
			return deliveries, nil
		}
	}
}

// jobsFor makes the jobs that send a delivery again.
func (d *Desk) jobsFor(delivery Delivery) []Job {
	now := d.clock.Now()
	var jobs []Job
	for _, rule := range d.rules() {
		if rule.matches(delivery.Event, delivery.Action) {
			order, _ := parsePath(rule.OrderBy) // checked when the rule was set
			jobs = append(jobs, d.jobAgain(delivery.Seq, rule.Key(), order.find(delivery.Payload), now))
		}
	}
	if jobs != nil {
		return jobs
	}
	for _, before := range delivery.Jobs {
		if !slices.ContainsFunc(jobs, func(j Job) bool { return j.Rule == before.Rule }) {
			jobs = append(jobs, d.jobAgain(delivery.Seq, before.Rule, before.OrderKey, now))
		}
	}
	return jobs
}

func (d *Desk) jobAgain(seq int64, rule, order string, now time.Time) Job {
	return Job{ID: d.ids.Next(), Seq: seq, Rule: rule, OrderKey: order, DueAt: now, Redelivery: true, ChangedAt: now}
}

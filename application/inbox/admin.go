package inbox

import (
	"context"
	"errors"
	"slices"
)

// MaxPage is the largest page of ListDeliveries.
const MaxPage = 200

// Admin looks up deliveries and redelivers them, and lists, pauses and resumes rules. It also
// works in a process other than the service's: the service finds new jobs in the store.
type Admin struct {
	store       Store
	compile     CompileExpression
	clock       Clock
	ids         IDs
	rules       func(context.Context) ([]Rule, error)
	wakeWorkers func(rule string)
}

// NewAdmin makes an Admin for a process other than the service's, which needs the ports
// Store, Compile, Clock and IDs. Its rules are those that the service
// published last.
func NewAdmin(p Ports) *Admin {
	return NewAdminOf(p, p.Store.LoadRules, func(string) {})
}

// NewAdminOf is NewAdmin for the service itself, with its rules and what wakes the workers of one.
func NewAdminOf(p Ports, rules func(context.Context) ([]Rule, error), wakeWorkers func(rule string)) *Admin {
	return &Admin{p.Store, p.Compile, p.Clock, p.IDs, rules, wakeWorkers}
}

// Unmatched is the state of a delivery that no rule took.
const Unmatched = "unmatched"

// State is Unmatched without jobs and otherwise summarises theirs: "dead" if one is dead,
// otherwise "pending" if one is open, otherwise "delivered". Dead comes first because a dead
// job needs an operator, while an open one may retry for a day by itself.
func (d Delivery) State() string {
	has := func(s JobState) bool {
		return slices.ContainsFunc(d.Jobs, func(j Job) bool { return j.State == s })
	}
	switch {
	case len(d.Jobs) == 0:
		return Unmatched
	case has(Dead):
		return Dead.String()
	case has(Open):
		return Open.String()
	}
	return Delivered.String()
}

// ListDeliveries returns deliveries with their jobs but without payloads, newest
// first, at most MaxPage, and 50 without a limit. next is the Query.Before of the
// next page, 0 at the end. A page before the end may be short, even empty, because
// one call examines a bounded number of deliveries. With q.Text the first page begins with the
// delivery that has it as its id. The error for an invalid state, event, text or time range is
// ErrQuery.
func (a *Admin) ListDeliveries(ctx context.Context, q Query) (page []Delivery, next int64, err error) {
	if err := q.check(); err != nil {
		return nil, 0, err
	}
	if q.Limit <= 0 {
		q.Limit = 50
	}
	if q.Text != "" {
		q.Limit = min(q.Limit, MaxPage)
		return a.search(ctx, q)
	}
	q.Limit = min(q.Limit, MaxPage) + 1 // the extra one shows whether there is a next page
	page, next, err = a.store.ListDeliveries(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	if len(page) == q.Limit {
		page = page[:q.Limit-1]
		next = page[len(page)-1].Seq
	}
	return page, next, nil
}

// FindDelivery returns the newest delivery of a source with that SenderID, or the one with that
// ID or FirstVersion, with its jobs, attempts and payload, or ErrNotFound or ErrPayloadDamaged.
// Without a source it is the newest of all sources.
func (a *Admin) FindDelivery(ctx context.Context, source, id string) (Delivery, error) {
	if !IsStorable(source, MaxSource) || !IsStorable(id, MaxVersionID) {
		return Delivery{}, ErrNotFound
	}
	return a.store.FindDelivery(ctx, source, id)
}

// Redeliver sends the delivery that FindDelivery finds again, marked as a redelivery, by
// every rule that matches it now. jobs is the number of targets. The errors are ErrNotFound,
// ErrPayloadGone, ErrPayloadDamaged and ErrNoTarget; after an error nothing has changed.
func (a *Admin) Redeliver(ctx context.Context, source, id string) (jobs int, err error) {
	rules, err := a.rules(ctx)
	if err != nil {
		return 0, err
	}
	delivery, err := a.FindDelivery(ctx, source, id)
	if err != nil {
		return 0, err
	}
	return a.redeliver(ctx, delivery, rules)
}

// redeliverListed is redeliver for a delivery of a list.
func (a *Admin) redeliverListed(ctx context.Context, listed Delivery, rules []Rule) error {
	delivery, err := a.FindDelivery(ctx, listed.Source, listed.ID)
	if err == nil && delivery.Seq != listed.Seq { // a newer one has the same id
		delivery, err = a.FindDelivery(ctx, listed.Source, listed.ID+"~1")
	}
	if err == nil {
		_, err = a.redeliver(ctx, delivery, rules)
	}
	return err
}

func (a *Admin) redeliver(ctx context.Context, delivery Delivery, rules []Rule) (jobs int, err error) {
	if delivery.Payload == nil {
		return 0, ErrPayloadGone
	}
	again, err := a.JobsFor(delivery, rules)
	if err != nil {
		return 0, err
	}
	if err := a.store.AddRedelivery(ctx, delivery.Seq, again); err != nil {
		return 0, err
	}
	for _, job := range again {
		a.wakeWorkers(job.Rule)
	}
	return len(again), nil
}

// RedeliveryReport counts the deliveries that RedeliverAll found.
type RedeliveryReport struct {
	Deliveries int // sent again
	NoTarget   int // skipped, because no rule forwards them now
	NoPayload  int // skipped, because their payload was pruned or is damaged
}

// RedeliverAll redelivers every delivery that matches the query, page by page.
// Deliveries that arrive or are pruned meanwhile are skipped.
func (a *Admin) RedeliverAll(ctx context.Context, q Query) (RedeliveryReport, error) {
	var done RedeliveryReport
	q.Limit = MaxPage
	for {
		page, next, err := a.ListDeliveries(ctx, q)
		if err != nil {
			return done, err
		}
		rules, err := a.rules(ctx)
		if err != nil {
			return done, err
		}
		for _, delivery := range page {
			if err := done.add(a.redeliverListed(ctx, delivery, rules)); err != nil {
				return done, err
			}
		}
		if q.Before = next; next == 0 {
			return done, nil
		}
	}
}

// add counts the result of one redelivery and returns errors that end the run.
func (r *RedeliveryReport) add(err error) error {
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

// JobsFor makes the jobs of a redelivery, or returns ErrNoTarget.
func (a *Admin) JobsFor(delivery Delivery, rules []Rule) ([]Job, error) {
	now := a.clock.Now()
	facts := NewFacts(delivery)
	var jobs []Job
	for _, rule := range rules {
		if !rule.Matches(delivery.Subject()) {
			continue
		}
		where, err := rule.CompileWhere(a.compile)
		if err != nil {
			return nil, err
		}
		if where != nil && !where.Matches(facts) {
			continue
		}
		order, err := ParseJSONPath(rule.OrderBy)
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, Job{
			ID: a.ids.Next(), Seq: delivery.Seq, Rule: rule.Key(), OrderKey: order.ValueIn(delivery.Payload), DueAt: now, Redelivery: true,
			ChangedAt: now,
		})
	}
	if jobs == nil {
		return nil, ErrNoTarget
	}
	return jobs, nil
}

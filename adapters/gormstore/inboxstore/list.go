package inboxstore

import (
	"context"
	"math"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/inbox"
)

// A list looks at so many deliveries together, and at so many at most.
const (
	walkStep = 500
	maxWalk  = 20 * walkStep
)

// disorder is how much the order of arrival may differ from that of the numbers:
// clocks of replicas do not agree.
const disorder = time.Minute

// List gives deliveries, newest first. It walks down an index that fits the query
// best and looks closer at what it finds there.
func (i *Inbox) List(ctx context.Context, q inbox.Query) (page []inbox.Delivery, next int64, err error) {
	floor, err := i.bound(ctx, &q)
	if err != nil {
		return nil, 0, err
	}
	step := walkStep
	if q.State == "" {
		step = min(step, q.Limit) // nearly all that is found belongs to the page
	}
	for looked := 0; looked < maxWalk; looked += step {
		seqs, err := i.candidates(ctx, q, floor, step)
		if err != nil || len(seqs) == 0 {
			return page, 0, err
		}
		rest := q
		rest.Limit -= len(page)
		more, err := i.among(ctx, rest, seqs)
		if err != nil {
			return nil, 0, err
		}
		if page = append(page, more...); len(page) == q.Limit {
			return page, page[len(page)-1].Seq, nil
		}
		if len(seqs) < step {
			return page, 0, nil
		}
		q.Before = seqs[len(seqs)-1]
	}
	return page, q.Before, nil
}

// bound narrows the query to numbers from floor to q.Before that its times allow.
func (i *Inbox) bound(ctx context.Context, q *inbox.Query) (floor int64, err error) {
	if q.Before == 0 {
		q.Before = math.MaxInt64
	}
	if !q.To.IsZero() {
		ceiling, err := i.firstSince(ctx, q.To.Add(disorder))
		if err != nil {
			return 0, err
		}
		q.Before = min(q.Before, ceiling)
	}
	if q.From.IsZero() {
		return 0, nil
	}
	return i.firstSince(ctx, q.From.Add(-disorder))
}

// firstSince is a number that everything received before is below. Numbers grow
// with time, so it is found by halving.
func (i *Inbox) firstSince(ctx context.Context, at time.Time) (int64, error) {
	low, high := int64(0), int64(math.MaxInt64)
	for low < high {
		middle := low + (high-low)/2
		received, found, err := rawsql.One(ctx, i.read, rawsql.Integer[int64], `SELECT received_at FROM inbox_deliveries WHERE seq >= ? ORDER BY seq LIMIT 1`, middle)
		if err != nil {
			return 0, err
		}
		if !found || received >= rawsql.Micros(at) {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low, nil
}

// byIndex list numbers in a state; each has an index of its own, so that a few of
// a million are found without reading the others.
var byIndex = map[string]string{
	"pending": `SELECT DISTINCT seq FROM inbox_jobs WHERE state = 0 AND `,
	"dead":    `SELECT DISTINCT seq FROM inbox_jobs WHERE state = 2 AND `,
}

const inRange = `seq >= ? AND seq < ? ORDER BY seq DESC LIMIT ?`

// ofEvent compares pairs, which only the index of events can answer in order. With
// event = ? Postgres, once it plans for any event, takes each to be frequent and
// walks down all deliveries.
const ofEvent = `SELECT seq FROM inbox_deliveries WHERE (event, seq) >= (?, ?) AND (event, seq) < (?, ?) ORDER BY event DESC, seq DESC LIMIT ?`

// candidates gives, newest first, numbers among which those of the query are.
func (i *Inbox) candidates(ctx context.Context, q inbox.Query, floor int64, limit int) ([]int64, error) {
	statement, few := byIndex[q.State]
	args := []any{floor, q.Before, limit}
	switch {
	case few:
		statement += inRange
	case q.Event != "":
		statement, args = ofEvent, []any{string(q.Event), floor, string(q.Event), q.Before, limit}
	default:
		statement = `SELECT seq FROM inbox_deliveries WHERE ` + inRange
	}
	return rawsql.Collect(ctx, i.read, rawsql.Integer[int64], statement, args...)
}

const noDeadJob = `NOT EXISTS (SELECT 1 FROM inbox_jobs j WHERE j.seq = d.seq AND j.state = 2)`

// byState are the conditions of Query.State beyond those of byIndex; see
// inbox.Delivery.State.
var byState = map[string]string{
	"pending":   noDeadJob,
	"delivered": noOpenJob + ` AND ` + noDeadJob,
}

// among gives those of the query that have one of the numbers, newest first.
func (i *Inbox) among(ctx context.Context, q inbox.Query, seqs []int64) ([]inbox.Delivery, error) {
	condition, args := in("seq", seqs)
	add := func(wanted bool, more string, values ...any) {
		if wanted {
			condition, args = condition+" AND "+more, append(args, values...)
		}
	}
	add(byState[q.State] != "", byState[q.State])
	add(q.Event != "", "event = ?", string(q.Event))
	add(!q.From.IsZero(), "received_at >= ?", rawsql.Micros(q.From))
	add(!q.To.IsZero(), "received_at < ?", rawsql.Micros(q.To))
	return i.deliveries(ctx, condition+" ORDER BY seq DESC LIMIT ?", append(args, q.Limit)...)
}

// deliveries reads those that the condition chooses, with their jobs.
func (i *Inbox) deliveries(ctx context.Context, condition string, args ...any) ([]inbox.Delivery, error) {
	page, err := rawsql.Collect(ctx, i.read, scanDelivery, `SELECT seq, id, event, action, received_at FROM inbox_deliveries d WHERE `+condition, args...)
	if err != nil || len(page) == 0 {
		return page, err
	}
	seqs, at := make([]int64, len(page)), map[int64]*inbox.Delivery{}
	for n, d := range page {
		seqs[n], at[d.Seq] = d.Seq, &page[n]
	}
	ofPage, args := in("seq", seqs)
	jobs, err := rawsql.Collect(ctx, i.read, scanJob, `SELECT `+jobColumns+` FROM inbox_jobs WHERE `+ofPage+` ORDER BY id`, args...)
	for _, j := range jobs {
		at[j.Seq].Jobs = append(at[j.Seq].Jobs, j)
	}
	return page, err
}

func scanDelivery() ([]any, func() inbox.Delivery) {
	var d inbox.Delivery
	var received int64
	return []any{&d.Seq, &d.ID, &d.Event, &d.Action, &received}, func() inbox.Delivery {
		d.ReceivedAt = rawsql.Time(received)
		return d
	}
}

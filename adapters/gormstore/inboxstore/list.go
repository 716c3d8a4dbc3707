package inboxstore

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/webhook"
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
	statement := i.dialect.rebind(`SELECT received_at FROM inbox_deliveries WHERE seq >= ? ORDER BY seq LIMIT 1`)
	low, high := int64(0), int64(math.MaxInt64)
	for low < high {
		middle := low + (high-low)/2
		var received int64
		switch err := i.read.QueryRowContext(ctx, statement, middle).Scan(&received); {
		case errors.Is(err, sql.ErrNoRows):
			high = middle
		case err != nil:
			return 0, err
		case received >= stamp(at):
			high = middle
		default:
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
	rows, err := i.read.QueryContext(ctx, i.dialect.rebind(statement), args...)
	if err != nil {
		return nil, err
	}
	return numbers(rows)
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
	condition, args := list("seq", seqs)
	add := func(wanted bool, more string, values ...any) {
		if wanted {
			condition, args = condition+" AND "+more, append(args, values...)
		}
	}
	add(byState[q.State] != "", byState[q.State])
	add(q.Event != "", "event = ?", string(q.Event))
	add(!q.From.IsZero(), "received_at >= ?", stamp(q.From))
	add(!q.To.IsZero(), "received_at < ?", stamp(q.To))
	return i.deliveries(ctx, condition+" ORDER BY seq DESC LIMIT ?", append(args, q.Limit)...)
}

// deliveries reads those that the condition chooses, with their jobs.
func (i *Inbox) deliveries(ctx context.Context, condition string, args ...any) ([]inbox.Delivery, error) {
	rows, err := i.read.QueryContext(ctx, i.dialect.rebind(`SELECT seq, id, event, action, received_at FROM inbox_deliveries d WHERE `+condition), args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var page []inbox.Delivery
	at := map[int64]int{}
	for rows.Next() {
		var d inbox.Delivery
		var event string
		var received int64
		if err := rows.Scan(&d.Seq, &d.ID, &event, &d.Action, &received); err != nil {
			return nil, err
		}
		d.Event, d.ReceivedAt = webhook.EventName(event), unstamp(received)
		at[d.Seq] = len(page)
		page = append(page, d)
	}
	if err := rows.Err(); err != nil || len(page) == 0 {
		return page, err
	}
	return page, i.addJobs(ctx, page, at)
}

// addJobs reads the jobs of a page; at tells where each delivery stands in it.
func (i *Inbox) addJobs(ctx context.Context, page []inbox.Delivery, at map[int64]int) error {
	seqs := make([]int64, len(page))
	for n, d := range page {
		seqs[n] = d.Seq
	}
	condition, args := list("seq", seqs)
	rows, err := i.read.QueryContext(ctx, i.dialect.rebind(`SELECT `+jobColumns+` FROM inbox_jobs WHERE `+condition+` ORDER BY id`), args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		job, err := scanJob(rows)
		if err != nil {
			return err
		}
		page[at[job.Seq]].Jobs = append(page[at[job.Seq]].Jobs, job)
	}
	return rows.Err()
}

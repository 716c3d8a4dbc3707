package inboxstore

import (
	"context"
	"math"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/inbox"
)

// ListDeliveries examines scanBatch deliveries at a time and at most maxScanned.
const (
	scanBatch  = 500
	maxScanned = 20 * scanBatch
)

// clockSkew is how far the clocks of replicas may differ, and so how far the order
// of received_at may differ from that of seq.
const clockSkew = time.Minute

// ListDeliveries returns deliveries, newest first. It scans the index that suits the
// query best and filters the candidates that it finds there.
func (i *Inbox) ListDeliveries(ctx context.Context, q inbox.Query) (page []inbox.Delivery, next int64, err error) {
	floor, err := i.resolveBounds(ctx, &q)
	if err != nil {
		return nil, 0, err
	}
	step := scanBatch
	if q.State == "" && q.Source != inbox.DefaultSource && (q.Source == "" || q.Event == "") {
		step = min(step, q.Limit) // nearly every candidate belongs to the page
	}
	for looked := 0; looked < maxScanned; looked += step {
		seqs, err := i.candidateSeqs(ctx, q, floor, step)
		if err != nil || len(seqs) == 0 {
			return page, 0, err
		}
		rest := q
		rest.Limit -= len(page)
		more, err := i.filterDeliveries(ctx, rest, seqs)
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

// resolveBounds narrows the query to the range of seq, from floor to q.Before, that
// its times allow.
func (i *Inbox) resolveBounds(ctx context.Context, q *inbox.Query) (floor int64, err error) {
	if q.Before == 0 {
		q.Before = math.MaxInt64
	}
	if !q.To.IsZero() {
		ceiling, err := i.seqBoundAt(ctx, q.To.Add(clockSkew))
		if err != nil {
			return 0, err
		}
		q.Before = min(q.Before, ceiling)
	}
	if q.From.IsZero() {
		return 0, nil
	}
	return i.seqBoundAt(ctx, q.From.Add(-clockSkew))
}

// seqBoundAt returns a seq that is above that of every delivery received before at.
// Because seq grows with time, a binary search finds it, unless all were received before.
func (i *Inbox) seqBoundAt(ctx context.Context, at time.Time) (int64, error) {
	newest, found, err := rawsql.One(ctx, i.read, scanNewest, `SELECT seq, received_at FROM inbox_deliveries WHERE seq >= 0 ORDER BY seq DESC LIMIT 1`)
	if err != nil || !found || newest[1] < rawsql.Micros(at) {
		return newest[0] + 1, err
	}
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

// scanNewest scans seq and received_at.
func scanNewest() ([]any, func() [2]int64) {
	var n [2]int64
	return []any{&n[0], &n[1]}, func() [2]int64 { return n }
}

// indexedStates are the states with an index of their own, which finds a few of a
// million deliveries without reading the others.
var indexedStates = map[string]string{
	"pending":   `SELECT DISTINCT seq FROM inbox_jobs WHERE state = 0 AND `,
	"dead":      `SELECT DISTINCT seq FROM inbox_jobs WHERE state = 2 AND `,
	"unmatched": `SELECT seq FROM inbox_deliveries WHERE unmatched = 1 AND `,
}

const seqRange = `seq >= ? AND seq < ? ORDER BY seq DESC LIMIT ?`

// byEvent compares pairs, which only the index on (event, seq) answers in order. With
// event = ? and a generic plan, Postgres assumes that every event is frequent and
// scans all deliveries.
const byEvent = `(event, seq) >= (?, ?) AND (event, seq) < (?, ?) ORDER BY event DESC, seq DESC LIMIT ?`

// bySource does the same with the index on (source, seq), which does not have the
// deliveries of the default source.
const bySource = `source <> 'default' AND (source, seq) >= (?, ?) AND (source, seq) < (?, ?) ORDER BY source DESC, seq DESC LIMIT ?`

// candidateSeqs returns, newest first, a superset of the deliveries that match.
func (i *Inbox) candidateSeqs(ctx context.Context, q inbox.Query, floor int64, limit int) ([]int64, error) {
	statement, indexed := indexedStates[q.State]
	condition, args := seqRange, []any{floor, q.Before, limit}
	if !indexed {
		statement = `SELECT seq FROM inbox_deliveries WHERE `
		condition, args = deliveryRange(q, floor, limit)
	}
	return rawsql.Collect(ctx, i.read, rawsql.Integer[int64], statement+condition, args...)
}

// deliveryRange selects the newest deliveries of the query's source or event, or of all,
// with the index for that. Others of its filters are left to the caller.
func deliveryRange(q inbox.Query, floor int64, limit int) (condition string, args []any) {
	switch {
	case q.Source != "" && q.Source != inbox.DefaultSource:
		return bySource, []any{q.Source, floor, q.Source, q.Before, limit}
	case q.Event != "":
		return byEvent, []any{string(q.Event), floor, string(q.Event), q.Before, limit}
	}
	return seqRange, []any{floor, q.Before, limit}
}

const noDeadJob = `NOT EXISTS (SELECT 1 FROM inbox_jobs j WHERE j.seq = d.seq AND j.state = 2)`

// stateConditions are the conditions of Query.State beyond those of indexedStates;
// see inbox.Delivery.State.
var stateConditions = map[string]string{
	"pending":   noDeadJob,
	"delivered": noOpenJob + ` AND ` + noDeadJob + ` AND unmatched = 0`,
}

// filterDeliveries returns the deliveries among seqs that match the query, newest
// first.
func (i *Inbox) filterDeliveries(ctx context.Context, q inbox.Query, seqs []int64) ([]inbox.Delivery, error) {
	condition, args := in("seq", seqs)
	add := func(filter bool, more string, values ...any) {
		if filter {
			condition, args = condition+" AND "+more, append(args, values...)
		}
	}
	add(stateConditions[q.State] != "", stateConditions[q.State])
	add(q.Source != "", "source = ?", q.Source)
	add(q.Event != "", "event = ?", string(q.Event))
	add(!q.From.IsZero(), "received_at >= ?", rawsql.Micros(q.From))
	add(!q.To.IsZero(), "received_at < ?", rawsql.Micros(q.To))
	return i.readDeliveries(ctx, condition+" ORDER BY seq DESC LIMIT ?", append(args, q.Limit)...)
}

// readDeliveries reads the deliveries that meet the condition, with their jobs.
func (i *Inbox) readDeliveries(ctx context.Context, condition string, args ...any) ([]inbox.Delivery, error) {
	page, err := rawsql.Collect(ctx, i.read, scanDelivery, `SELECT `+deliveryColumns+` FROM inbox_deliveries d WHERE `+condition, args...)
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

const deliveryColumns = `d.seq, d.source, d.id, d.original, d.conflict, d.event, d.action, d.header, d.received_at`

// scanDelivery scans a row of deliveryColumns.
func scanDelivery() ([]any, func() inbox.Delivery) {
	var d inbox.Delivery
	var header string
	var conflict, received int64
	return []any{&d.Seq, &d.Source, &d.ID, &d.Original, &conflict, &d.Event, &d.Action, &header, &received}, func() inbox.Delivery {
		d.Conflict, d.Header, d.ReceivedAt = conflict == 1, parseHeader(header), rawsql.Time(received)
		return d
	}
}

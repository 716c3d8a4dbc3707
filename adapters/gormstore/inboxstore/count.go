package inboxstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/inbox"
)

// maxCounted bounds how many deliveries, or jobs of one state, CountDeliveries reads, and
// so its time to a few hundred milliseconds.
const maxCounted = 100_000

// CountDeliveries counts by state with up to four statements. Each reads the range of seq
// from the newest down in an index that ListDeliveries uses, too: the primary key,
// inbox_deliveries_event, inbox_deliveries_source, inbox_deliveries_unmatched, inbox_jobs_open or
// inbox_jobs_dead.
func (i *Inbox) CountDeliveries(ctx context.Context, q inbox.Query, step time.Duration) ([]inbox.Count, error) {
	q.Before = 0
	floor, err := i.resolveBounds(ctx, &q)
	if err != nil {
		return nil, err
	}
	h := histogram{Query: q, floor: floor, step: step, most: i.maxCounted}
	counts := make([]inbox.Count, q.Steps(step))
	for n := range counts {
		counts[n].At = q.From.Add(time.Duration(n) * step)
	}
	all := indexedStates[q.State] == ""
	if all {
		if err := h.count(ctx, i.read, "", func(n, count int) { counts[n].Delivered = count }); err != nil {
			return nil, err
		}
	}
	for state, add := range map[string]func(n, count int){
		inbox.Open.String(): func(n, count int) { counts[n].Pending = count },
		inbox.Dead.String(): func(n, count int) { counts[n].Dead = count },
		inbox.Unmatched:     func(n, count int) { counts[n].Unmatched = count },
	} {
		if all || q.State == state {
			if err := h.count(ctx, i.read, state, add); err != nil {
				return nil, err
			}
		}
	}
	for n := range counts {
		if c := &counts[n]; all {
			c.Delivered = max(0, c.Delivered-c.Pending-c.Dead-c.Unmatched) // a delivery may change its state between the statements
		}
		if q.State == inbox.Delivered.String() {
			counts[n] = inbox.Count{At: counts[n].At, Delivered: counts[n].Delivered}
		}
	}
	return counts[h.first:], nil
}

// histogram counts deliveries in steps of time.
type histogram struct {
	inbox.Query // with Before above the newest
	floor       int64
	step        time.Duration
	most        int // rows that one statement reads
	first       int // the first step that was counted completely
}

// bucket is a row of a histogram: how many deliveries of a step were read, how many of
// them match, and the earliest.
type bucket struct{ number, read, matching, earliest int64 }

func scanBucket() ([]any, func() bucket) {
	var b bucket
	return []any{&b.number, &b.read, &b.matching, &b.earliest}, func() bucket { return b }
}

// count counts the deliveries of a state, or all of them for "", and passes on the numbers
// of the steps that are not empty.
func (h *histogram) count(ctx context.Context, c rawsql.Conn, state string, add func(n, count int)) error {
	candidates, args := h.candidates(state)
	matches, values := h.condition(state)
	from := rawsql.Micros(h.From)
	args = append(append([]any{from, h.step.Microseconds()}, values...), args...)
	rows, err := rawsql.Collect(ctx, c, scanBucket, `SELECT (d.received_at - ?) / ? AS step, COUNT(*), SUM(CASE WHEN `+matches+` THEN 1 ELSE 0 END), MIN(d.received_at)
		FROM (`+candidates+`) AS d GROUP BY step`, args...)
	if err != nil {
		return err
	}
	read, earliest := 0, rawsql.Micros(h.To)
	for _, b := range rows {
		read, earliest = read+int(b.read), min(earliest, b.earliest)
		if b.matching > 0 {
			add(int(b.number), int(b.matching))
		}
	}
	if read < h.most {
		return nil
	}
	for h.first < h.Steps(h.step) && rawsql.Micros(h.From.Add(time.Duration(h.first)*h.step-clockSkew)) < earliest {
		h.first++
	}
	return nil
}

// candidates selects, newest first, a superset of the deliveries of a state.
func (h *histogram) candidates(state string) (statement string, args []any) {
	if jobs, indexed := indexedStates[state]; indexed {
		return `SELECT d.seq, d.source, d.event, d.received_at FROM (` + jobs + seqRange +
			`) AS j JOIN inbox_deliveries d ON d.seq = j.seq`, []any{h.floor, h.Before, h.most}
	}
	statement, args = deliveryRange(h.Query, h.floor, h.most)
	return `SELECT seq, source, event, received_at FROM inbox_deliveries WHERE ` + statement, args
}

// condition selects the deliveries of a state among the candidates.
func (h *histogram) condition(state string) (condition string, args []any) {
	condition, args = "d.received_at >= ? AND d.received_at < ?", []any{rawsql.Micros(h.From), rawsql.Micros(h.To)}
	if h.Source != "" {
		condition, args = condition+" AND d.source = ?", append(args, h.Source)
	}
	if h.Event != "" {
		condition, args = condition+" AND d.event = ?", append(args, string(h.Event))
	}
	if more := stateConditions[state]; more != "" {
		condition += " AND " + more
	}
	return condition, args
}

package inboxstore

import (
	"context"
	"database/sql"
	"errors"
	"math"
	"strings"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/webhook"
)

// byState are the conditions of Query.State; see inbox.Delivery.State.
var byState = map[string]string{
	"dead":      `NOT EXISTS (SELECT 1 FROM inbox_jobs j WHERE j.seq = d.seq AND j.state = 0)`,
	"delivered": `NOT EXISTS (SELECT 1 FROM inbox_jobs j WHERE j.seq = d.seq AND j.state IN (0, 2))`,
}

// candidates give, newest first, the numbers among which those in a state are. Each
// has an index of its own: a few of a million are found without reading the others.
var candidates = map[string]string{
	"pending": `SELECT DISTINCT seq FROM inbox_jobs WHERE state = 0 AND seq < ? ORDER BY seq DESC LIMIT ?`,
	"dead":    `SELECT DISTINCT seq FROM inbox_jobs WHERE state = 2 AND seq < ? ORDER BY seq DESC LIMIT ?`,
}

// candidateStep is how many candidates are looked at together.
const candidateStep = 500

// List gives deliveries, newest first.
func (i *Inbox) List(ctx context.Context, q inbox.Query) ([]inbox.Delivery, error) {
	statement, few := candidates[q.State]
	if !few {
		return i.list(ctx, q)
	}
	if q.Before == 0 {
		q.Before = math.MaxInt64
	}
	var page []inbox.Delivery
	for {
		rows, err := i.read.QueryContext(ctx, i.dialect.rebind(statement), q.Before, candidateStep)
		if err != nil {
			return nil, err
		}
		seqs, err := numbers(rows)
		if err != nil || len(seqs) == 0 {
			return page, err
		}
		step := q
		step.Limit -= len(page)
		more, err := i.list(ctx, step, seqs...)
		page = append(page, more...)
		if err != nil || len(page) == q.Limit || len(seqs) < candidateStep {
			return page, err
		}
		q.Before = seqs[len(seqs)-1]
	}
}

// list gives deliveries, newest first; where numbers are given, only of these.
func (i *Inbox) list(ctx context.Context, q inbox.Query, seqs ...int64) ([]inbox.Delivery, error) {
	conditions, args := []string{"1 = 1"}, []any(nil)
	add := func(wanted bool, condition string, values ...any) {
		if wanted {
			conditions, args = append(conditions, condition), append(args, values...)
		}
	}
	if len(seqs) > 0 {
		condition, numbers := list("seq", seqs)
		add(true, condition, numbers...)
	}
	add(byState[q.State] != "", byState[q.State])
	add(q.Event != "", "event = ?", string(q.Event))
	add(q.Before != 0, "seq < ?", q.Before)
	add(!q.From.IsZero(), "received_at >= ?", stamp(q.From))
	add(!q.To.IsZero(), "received_at < ?", stamp(q.To))
	return i.deliveries(ctx, strings.Join(conditions, " AND ")+" ORDER BY seq DESC LIMIT ?", append(args, q.Limit)...)
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

// Find gives a delivery by the sender's id.
func (i *Inbox) Find(ctx context.Context, id string) (inbox.Delivery, error) {
	page, err := i.deliveries(ctx, "id = ?", id)
	if err != nil {
		return inbox.Delivery{}, err
	}
	if len(page) == 0 {
		return inbox.Delivery{}, inbox.ErrNotFound
	}
	d := page[0]
	var row []byte
	err = i.read.QueryRowContext(ctx, i.dialect.rebind(`SELECT payload FROM inbox_payloads WHERE seq = ?`), d.Seq).Scan(&row)
	if errors.Is(err, sql.ErrNoRows) {
		return d, nil
	}
	if err != nil {
		return d, err
	}
	d.Payload, err = i.dialect.unpack(row)
	return d, err
}

// Redeliver adds jobs and replaces the dead ones.
func (i *Inbox) Redeliver(ctx context.Context, seq int64, jobs []inbox.Job) error {
	return i.atomically(ctx, func(tx *sql.Tx) error {
		// A lock that Prune's delete waits for, taken by a write that changes nothing.
		result, err := tx.ExecContext(ctx, i.dialect.rebind(`UPDATE inbox_payloads SET seq = seq WHERE seq = ?`), seq)
		if err != nil {
			return err
		}
		if there, err := result.RowsAffected(); err != nil || there == 0 {
			return errors.Join(err, i.whyGone(ctx, tx, seq))
		}
		if _, err := tx.ExecContext(ctx, i.dialect.rebind(`UPDATE inbox_jobs SET state = 3 WHERE seq = ? AND state = 2`), seq); err != nil {
			return err
		}
		return insertJobs(ctx, tx, i.dialect, jobs, 0)
	})
}

// whyGone tells a delivery without its payload from none at all.
func (i *Inbox) whyGone(ctx context.Context, tx *sql.Tx, seq int64) error {
	var known bool
	if err := tx.QueryRowContext(ctx, i.dialect.rebind(`SELECT EXISTS (SELECT 1 FROM inbox_deliveries WHERE seq = ?)`), seq).Scan(&known); err != nil {
		return err
	}
	if known {
		return inbox.ErrPayloadGone
	}
	return inbox.ErrNotFound
}

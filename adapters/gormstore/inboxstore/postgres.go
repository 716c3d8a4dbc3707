package inboxstore

import (
	"context"
	"sync/atomic"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/inbox"
)

// postgres inserts many rows with one statement, to save round trips.
type postgres struct {
	instanceLock
	prepared atomic.Int64 // partitions are known to exist up to this position
	taken    atomic.Bool  // this process has taken positions since prepare looked
}

func (*postgres) insertAttempts(ctx context.Context, c rawsql.Conn, attempts []inbox.Attempt) error {
	var jobs, times, durations []int64
	var numbers, statuses []int
	var targets, errors, answers []string
	for _, a := range attempts {
		jobs, numbers, times = append(jobs, a.Job), append(numbers, a.Number), append(times, rawsql.Micros(a.At))
		targets, statuses, errors = append(targets, a.Target), append(statuses, a.Status), append(errors, a.Error)
		durations, answers = append(durations, a.Duration.Microseconds()), append(answers, a.Answer)
	}
	_, err := c.Exec(ctx, `INSERT INTO inbox_attempts (position, job, number, at, target, status, error, duration, answer)
		SELECT d.position, a.job, a.number, a.at, a.target, a.status, a.error, a.duration, a.answer
		FROM unnest(?::bigint[], ?::int[], ?::bigint[], ?::text[], ?::int[], ?::text[], ?::bigint[], ?::text[]) a (job, number, at, target, status, error, duration, answer)
		JOIN inbox_jobs j ON j.id = a.job JOIN inbox_deliveries d ON d.seq = j.seq ON CONFLICT (position, job, number) DO NOTHING`,
		jobs, numbers, times, targets, statuses, errors, durations, answers)
	return err
}

func (*postgres) insertJobs(ctx context.Context, c rawsql.Conn, jobs []inbox.Job, instance int64) error {
	if len(jobs) == 0 {
		return nil
	}
	var ids, seqs, due, leases, owners, changed []int64
	var states, attempts, redeliveries, statuses []int
	var rules, keys, errors []string
	for _, j := range jobs {
		ids, seqs, rules, keys = append(ids, j.ID), append(seqs, j.Seq), append(rules, j.Rule), append(keys, j.OrderKey)
		states, due, leases = append(states, int(j.State)), append(due, rawsql.Micros(j.DueAt)), append(leases, rawsql.Micros(j.LeaseUntil))
		attempts, redeliveries, statuses = append(attempts, j.Attempts), append(redeliveries, rawsql.Flag(j.Redelivery)),
			append(statuses, j.Status)
		errors, changed, owners = append(errors, j.Error), append(changed, rawsql.Micros(j.ChangedAt)),
			append(owners, leaseOwner(j, instance))
	}
	_, err := c.Exec(ctx, `INSERT INTO inbox_jobs (`+jobColumns+`, owner) SELECT * FROM unnest(?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::int[],
		?::bigint[], ?::bigint[], ?::int[], ?::int[], ?::int[], ?::text[], ?::bigint[], ?::int[])`,
		ids, seqs, rules, keys, states, due, leases, attempts, redeliveries, statuses, errors, changed, owners)
	return err
}

// updateJobs locks the jobs in their order before it changes them.
func (*postgres) updateJobs(ctx context.Context, c rawsql.Conn, outcomes []inbox.Outcome) error {
	var ids, due, times []int64
	var states, returned, statuses, attempts []int
	var errors []string
	for _, o := range outcomes {
		ids, attempts, returned = append(ids, o.Job), append(attempts, o.Attempts), append(returned, rawsql.Flag(o.Returned))
		states, due, statuses = append(states, int(o.State)), append(due, rawsql.Micros(o.DueAt)), append(statuses, o.Status)
		errors, times = append(errors, o.Error), append(times, rawsql.Micros(o.At))
	}
	_, err := c.Exec(ctx, `WITH locked AS MATERIALIZED (SELECT id FROM inbox_jobs WHERE id = ANY (?::bigint[]) ORDER BY id FOR UPDATE)
		UPDATE inbox_jobs j SET state = o.state, due_at = o.due, lease_until = 0, owner = 0, attempts = j.attempts - o.returned, status = o.status, error = o.error, changed_at = o.at
		FROM unnest(?::bigint[], ?::int[], ?::int[], ?::int[], ?::bigint[], ?::int[], ?::text[], ?::bigint[]) o (job, attempts, returned, state, due, status, error, at)
		JOIN locked ON locked.id = o.job WHERE j.id = o.job AND j.attempts = o.attempts AND j.state = 0`,
		ids, ids, attempts, returned, states, due, statuses, errors, times)
	return err
}

func (p *postgres) insertDeliveries(
	ctx context.Context, c rawsql.Conn, deliveries []inbox.Delivery, positions []int64, instance int64,
) ([]bool, error) {
	inserted, err := insertNewSeqs(ctx, c, deliveries, positions)
	if err != nil {
		return nil, err
	}
	fresh := make([]bool, len(deliveries))
	var stored, seqs []int64
	var payloads [][]byte
	var jobs []inbox.Job
	var repeated []inbox.Delivery
	for n, one := range deliveries {
		if fresh[n] = inserted[one.Seq]; fresh[n] {
			stored, seqs, payloads, jobs = append(stored, positions[n]), append(seqs, one.Seq),
				append(payloads, compressAlone(one.Payload)), append(jobs, one.Jobs...)
		} else {
			repeated = append(repeated, one)
		}
	}
	if err := lockRepeated(ctx, c, repeated); err != nil {
		return nil, err
	}
	if len(seqs) == 0 {
		return fresh, nil
	}
	if _, err := c.Exec(ctx, `INSERT INTO inbox_payloads (position, seq, payload) SELECT * FROM unnest(?::bigint[], ?::bigint[], ?::bytea[])`, stored, seqs, payloads); err != nil {
		return nil, err
	}
	return fresh, p.insertJobs(ctx, c, jobs, instance)
}

// lockRepeated locks the deliveries that were stored before. A transaction that only reads does not
// wait for a synchronous standby, and a primary that loses its standbys and shuts down shows for a moment
// what none of them has; a duplicate that were acknowledged then would be lost in the failover. The
// lock is written to the log, so that the commit waits. Those who take it do not wait for each other.
func lockRepeated(ctx context.Context, c rawsql.Conn, repeated []inbox.Delivery) error {
	if len(repeated) == 0 {
		return nil
	}
	var sources, ids []string
	for _, d := range repeated {
		sources, ids = append(sources, d.Source), append(ids, d.ID)
	}
	_, err := c.Exec(ctx, `SELECT 1 FROM inbox_deliveries WHERE (id, source) IN (SELECT * FROM unnest(?::text[], ?::text[])) FOR KEY SHARE`, ids, sources)
	return err
}

// insertNewSeqs inserts the deliveries whose id is not known and returns their seqs.
func insertNewSeqs(ctx context.Context, c rawsql.Conn, deliveries []inbox.Delivery, positions []int64) (map[int64]bool, error) {
	var seqs, times []int64
	var sources, ids, originals, events, actions, headers []string
	var conflicts, unmatched []int
	for _, d := range deliveries {
		seqs, sources, ids = append(seqs, d.Seq), append(sources, d.Source), append(ids, d.ID)
		originals, conflicts = append(originals, d.Original), append(conflicts, rawsql.Flag(d.Conflict))
		unmatched = append(unmatched, rawsql.Flag(len(d.Jobs) == 0))
		events, actions, headers = append(events, string(d.Event)), append(actions, d.Action), append(headers, formatHeader(d.Header))
		times = append(times, rawsql.Micros(d.ReceivedAt))
	}
	inserted, err := rawsql.Collect(ctx, c, rawsql.Integer[int64], `INSERT INTO inbox_deliveries (seq, source, id, original, conflict, unmatched, event, action, header, received_at, position)
		SELECT * FROM unnest(?::bigint[], ?::text[], ?::text[], ?::text[], ?::int[], ?::int[], ?::text[], ?::text[], ?::text[], ?::bigint[], ?::bigint[])
		ON CONFLICT (id, source) DO NOTHING RETURNING seq`, seqs, sources, ids, originals, conflicts, unmatched, events, actions, headers, times, positions)
	fresh := map[int64]bool{}
	for _, seq := range inserted {
		fresh[seq] = true
	}
	return fresh, err
}

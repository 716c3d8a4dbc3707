package outboxstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/courier"
	"gorm.io/gorm"
)

// These statements are written by hand: GORM cannot say WITH and UPDATE … FROM, and the
// looking for due messages runs all the time. The priority is written out and the limit is
// an expression, because SQLite looks at the values of parameters that choose an index or
// are a limit, and so plans anew for each.
const (
	// turn keeps a newer code from overtaking an older one of its kind that is due or
	// being sent. An older one that waits for another try, which is one that is due later
	// and has an error, or that has expired holds up nobody: the wait grows up to an hour.
	turn = ` AND NOT EXISTS (SELECT 1 FROM outbox AS e WHERE e.state = 0 AND e.priority = 0
	AND e.recipient = o.recipient AND e.kind = o.kind AND e.id < o.id
	AND (e.error = '' OR e.due_at <= @now) AND (e.expires_at = 0 OR e.expires_at > @now))`
	claim = `WITH next AS MATERIALIZED (
	SELECT id FROM outbox AS o WHERE state = 0 AND priority = %d AND due_at <= @now%s
	ORDER BY due_at, id LIMIT @limit + 0%s)
UPDATE outbox SET due_at = @until, tries = tries + 1, error = '' FROM next WHERE outbox.id = next.id
RETURNING outbox.id, kind, recipient, lang, params, secret, priority, tries, created_at, expires_at, traceparent`

	anyDue = `SELECT EXISTS (SELECT 1 FROM outbox WHERE state = 0 AND priority = 0 AND due_at <= @now)
	OR EXISTS (SELECT 1 FROM outbox WHERE state = 0 AND priority = 1 AND due_at <= @now)`
)

// Claim leases due messages. Replicas skip the rows that another one is claiming.
func (o *Outbox) Claim(ctx context.Context, now, until time.Time, n int) ([]courier.Claimed, error) {
	// Look before taking the write lock: most of the time nothing is due.
	var due bool
	err := o.db.Read.WithContext(ctx).Raw(anyDue, map[string]any{"now": rawsql.Micros(now)}).Scan(&due).Error
	if err != nil || !due {
		return nil, gormstore.Explain(err)
	}
	var rows []row
	err = o.db.Atomically(ctx, func(tx *gorm.DB) error {
		urgent, err := lease(tx, 0, turn, now, until, n)
		if err != nil || len(urgent) == n {
			rows = urgent
			return err
		}
		rest, err := lease(tx, 1, "", now, until, n-len(urgent))
		rows = slices.Concat(urgent, rest)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("claim messages: %w", err)
	}
	claimed := make([]courier.Claimed, len(rows))
	for i, r := range rows {
		claimed[i].Message, claimed[i].Err = r.toMessage(o.sealer)
		claimed[i].Try = r.Tries
	}
	return claimed, nil
}

// lease claims due messages of a priority that meet one more condition, oldest first.
func lease(tx *gorm.DB, priority int, condition string, now, until time.Time, n int) ([]row, error) {
	statement := fmt.Sprintf(claim, priority, condition, rawsql.On(tx).SkipLocked())
	rows, err := gorm.G[row](tx).Raw(statement, map[string]any{"now": rawsql.Micros(now), "limit": n, "until": rawsql.Micros(until)}).
		Find(tx.Statement.Context)
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.ID, b.ID) })
	return rows, err
}

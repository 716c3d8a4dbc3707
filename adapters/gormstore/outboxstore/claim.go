package outboxstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/mailer"
	"gorm.io/gorm"
)

// These statements are written by hand because GORM cannot express WITH and UPDATE … FROM,
// and because polling for due messages runs all the time. The priority is a literal and the
// limit an expression: SQLite plans a statement again for each value of a parameter that
// chooses an index or is a limit.
const (
	// inTurn excludes a code while an older one of its kind is due or being sent. An older
	// one that waits for a retry (it is due later and has an error) or has expired does not
	// count: retries wait up to an hour.
	inTurn = ` AND NOT EXISTS (SELECT 1 FROM outbox AS e WHERE e.state = 0 AND e.priority = 0
	AND e.recipient = o.recipient AND e.kind = o.kind AND e.id < o.id
	AND (e.error = '' OR e.due_at <= @now) AND (e.expires_at = 0 OR e.expires_at > @now))`
	claimDue = `WITH next AS MATERIALIZED (
	SELECT id FROM outbox AS o WHERE state = 0 AND priority = %d AND due_at <= @now%s
	ORDER BY due_at, id LIMIT @limit + 0%s)
UPDATE outbox SET due_at = @until, tries = tries + 1, error = '' FROM next WHERE outbox.id = next.id
RETURNING outbox.id, kind, recipient, lang, params, secret, priority, tries, created_at, expires_at, traceparent`

	// earliest is 0 if no message waits.
	earliest = `SELECT coalesce(min(due_at), 0) FROM (SELECT min(due_at) AS due_at FROM outbox WHERE state = 0 AND priority = 0
	UNION ALL SELECT min(due_at) FROM outbox WHERE state = 0 AND priority = 1) AS e`
)

// ClaimMessages leases due messages. Replicas skip rows that another one is claiming.
func (o *Outbox) ClaimMessages(
	ctx context.Context, now, until time.Time, n int,
) (claimed []mailer.ClaimedMessage, next time.Time, err error) {
	// Read before taking the write lock: most of the time nothing is due.
	var due int64
	err = o.db.Read.WithContext(ctx).Raw(earliest).Scan(&due).Error
	if next = rawsql.Time(due); err != nil || next.IsZero() || next.After(now) {
		return nil, next, gormstore.WrapUnavailable(err)
	}
	var rows []row
	err = o.db.Atomically(ctx, func(tx *gorm.DB) error {
		urgent, err := lease(tx, 0, inTurn, now, until, n)
		if err != nil || len(urgent) == n {
			rows = urgent
			return err
		}
		rest, err := lease(tx, 1, "", now, until, n-len(urgent))
		rows = slices.Concat(urgent, rest)
		return err
	})
	if err != nil {
		return nil, next, fmt.Errorf("claim messages: %w", err)
	}
	claimed = make([]mailer.ClaimedMessage, len(rows))
	for i, r := range rows {
		claimed[i].Message, claimed[i].Err = r.toMessage(o.sealer)
		claimed[i].Attempt = r.Tries
	}
	return claimed, next, nil
}

// lease leases due messages of a priority that meet the condition, oldest first.
func lease(tx *gorm.DB, priority int, condition string, now, until time.Time, n int) ([]row, error) {
	statement := fmt.Sprintf(claimDue, priority, condition, rawsql.On(tx).Locking(rawsql.SkipLocked))
	rows, err := table.Of[row](tx).Raw(statement, map[string]any{"now": rawsql.Micros(now), "limit": n, "until": rawsql.Micros(until)}).
		Find(tx.Statement.Context)
	slices.SortFunc(rows, func(a, b row) int { return cmp.Compare(a.ID, b.ID) })
	return rows, err
}

package outboxstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/application/courier"
	"github.com/octavo-books/octavo/domain/text"
	"gorm.io/gorm"
)

// Outbox gives the courier what Add has put in.
type Outbox struct {
	db     *gormstore.DB
	sealer Sealer
}

// NewOutbox opens the outbox in db, whose rows sealer has sealed.
func NewOutbox(db *gormstore.DB, sealer Sealer) *Outbox { return &Outbox{db, sealer} }

// Added is rung when a transaction of this process that added messages has committed.
func (o *Outbox) Added() <-chan struct{} { return o.db.Announced(topic) }

// Replicas step over each other's rows; on SQLite there is one writer anyway.
// turn keeps a newer code from overtaking an older one of its kind that is due or
// being sent. An older one that waits for another try, which is one that is due later
// and has an error, or that has expired holds up nobody: the wait grows up to an hour.
// The priority is written out and the limit is an expression, because SQLite looks at
// the values of parameters that choose an index or are a limit, and so plans anew for
// each.
const (
	turn = ` AND NOT EXISTS (SELECT 1 FROM outbox AS e WHERE e.state = 0 AND e.priority = 0
	AND e.recipient = o.recipient AND e.kind = o.kind AND e.id < o.id
	AND (e.error = '' OR e.due_at <= @now) AND (e.expires_at = 0 OR e.expires_at > @now))`
	claim = `WITH next AS MATERIALIZED (
	SELECT id FROM outbox AS o WHERE state = 0 AND priority = %d AND due_at <= @now%s
	ORDER BY due_at, id LIMIT @limit + 0%s)
UPDATE outbox SET due_at = @until, tries = tries + 1, error = '' FROM next WHERE outbox.id = next.id
RETURNING outbox.id, kind, recipient, lang, params, secret, priority, tries, created_at, expires_at, traceparent`
)

// Claim leases due messages.
func (o *Outbox) Claim(ctx context.Context, now, until time.Time, n int) ([]courier.Claimed, error) {
	if idle, err := o.idle(ctx, now); idle || err != nil {
		return nil, err
	}
	var rows []row
	err := o.db.Atomically(ctx, func(tx *gorm.DB) error {
		rows = nil
		for priority, extra := range []string{turn, ""} {
			var some []row
			if left := n - len(rows); left > 0 {
				values := map[string]any{"now": micros(now), "limit": left, "until": micros(until)}
				if err := tx.Raw(fmt.Sprintf(claim, priority, extra, o.skipLocked()), values).Scan(&some).Error; err != nil {
					return err
				}
			}
			slices.SortFunc(some, func(a, b row) int { return cmp.Compare(a.ID, b.ID) })
			rows = append(rows, some...)
		}
		return nil
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

// idle looks before it takes the write lock: most of the time nothing is due.
func (o *Outbox) idle(ctx context.Context, now time.Time) (bool, error) {
	var due bool
	err := o.db.Read.WithContext(ctx).Raw(`SELECT
	EXISTS (SELECT 1 FROM outbox WHERE state = 0 AND priority = 0 AND due_at <= ?) OR
	EXISTS (SELECT 1 FROM outbox WHERE state = 0 AND priority = 1 AND due_at <= ?)`, micros(now), micros(now)).Scan(&due).Error
	return !due, err
}

func (o *Outbox) skipLocked() string {
	if o.db.Dialect == gormstore.Postgres {
		return " FOR UPDATE OF o SKIP LOCKED"
	}
	return ""
}

var stateOf = map[courier.Verdict]int{courier.Sent: sent, courier.Dead: dead, courier.Declined: declined}

// Settle notes outcomes, all that ended alike at once.
func (o *Outbox) Settle(ctx context.Context, now time.Time, outcomes []courier.Outcome) error {
	err := o.db.Atomically(ctx, func(tx *gorm.DB) error {
		ended := map[ending][]int64{}
		for _, out := range outcomes {
			reason := text.Line(out.Reason, longestReason)
			if out.Verdict != courier.Wait {
				end := ending{stateOf[out.Verdict], reason}
				ended[end] = append(ended[end], out.Claimed.ID)
				continue
			}
			if err := tx.Exec("UPDATE outbox SET due_at = ?, tries = ?, error = ? WHERE id = ? AND state = 0 AND tries = ?",
				micros(out.Due), out.Try, reason, out.Claimed.ID, out.Claimed.Try).Error; err != nil {
				return err
			}
		}
		return settle(tx, now, ended)
	})
	if err != nil {
		return fmt.Errorf("settle messages: %w", err)
	}
	return nil
}

// ending is what becomes of a message in the end.
type ending struct {
	state  int
	reason string
}

func settle(tx *gorm.DB, now time.Time, ended map[ending][]int64) error {
	for end, all := range ended {
		for ids := range slices.Chunk(all, rowsPerInsert) {
			if err := tx.Exec("UPDATE outbox SET state = ?, ended_at = ?, error = ?, secret = NULL WHERE id IN ? AND state = 0",
				end.state, micros(now), end.reason, padded(ids)).Error; err != nil {
				return err
			}
		}
	}
	return nil
}

// longestReason bounds, in bytes, what a mail server can make us keep.
const longestReason = 500

// Sweep drops what ended long ago.
func (o *Outbox) Sweep(ctx context.Context, sentBefore, deadBefore time.Time, n int) (int, error) {
	return o.db.Exec(ctx, `DELETE FROM outbox WHERE id IN (
	SELECT id FROM outbox WHERE state <> 0 AND (state <> ? AND ended_at < ? OR state = ? AND ended_at < ?) ORDER BY ended_at LIMIT ?)`,
		dead, micros(sentBefore), dead, micros(deadBefore), n)
}

// Census counts what is in the outbox, from indexes alone.
func (o *Outbox) Census(ctx context.Context) (courier.Census, error) {
	var c struct {
		Waiting, Dead int
		Oldest        int64
	}
	err := o.db.Read.WithContext(ctx).Raw(`SELECT
	(SELECT count(*) FROM outbox WHERE state = 0) AS waiting,
	(SELECT count(*) FROM outbox WHERE state = 2) AS dead,
	(SELECT coalesce(min(created_at), 0) FROM outbox WHERE state = 0) AS oldest`).Scan(&c).Error
	return courier.Census{Waiting: c.Waiting, Dead: c.Dead, Oldest: instant(c.Oldest)}, err
}

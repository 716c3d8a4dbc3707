package outboxstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/text"
	"gorm.io/gorm"
)

// Outbox implements mailer.Outbox over the messages that AddMessages has stored.
type Outbox struct {
	db     *gormstore.DB
	sealer Sealer
}

// NewOutbox returns the outbox in db. The sealer must be the one that AddMessages gets.
func NewOutbox(db *gormstore.DB, sealer Sealer) *Outbox { return &Outbox{db, sealer} }

// WaitForMessages implements mailer.Outbox.
func (o *Outbox) WaitForMessages(ctx context.Context, next time.Time) {
	o.db.Wakeups().Wait(ctx, topic, next)
}

// WakeWaiting implements mailer.Outbox.
func (o *Outbox) WakeWaiting() { o.db.Wakeups().Wake(topic) }

var stateOf = map[mailer.Outcome]int{mailer.Sent: sent, mailer.Dead: dead, mailer.OptedOut: optedOut}

// ending is the final state of a message.
type ending struct {
	state  int
	reason string
}

// maxReason bounds, in bytes, what a mail server can make us store.
const maxReason = 500

// SettleMessages records results, with one statement for all messages that ended alike.
func (o *Outbox) SettleMessages(ctx context.Context, now time.Time, results []mailer.Result) error {
	err := o.db.Atomically(ctx, func(tx *gorm.DB) error {
		final := map[ending][]int64{}
		for _, result := range results {
			reason := text.Line(result.Reason, maxReason)
			if result.Outcome != mailer.Retry {
				end := ending{stateOf[result.Outcome], reason}
				final[end] = append(final[end], result.Message.ID)
				continue
			}
			_, err := table.Of[row](tx).Where("id = ? AND state = 0 AND tries = ?", result.Message.ID, result.Message.Attempt).
				Assign(
					tx.Statement.Context, map[string]any{"due_at": rawsql.Micros(result.RetryAt), "tries": result.Attempt, "error": reason},
				)
			if err != nil {
				return err
			}
			if reason != "" { // its lease ends
				gormstore.NotifyAfterCommit(tx, topic)
			}
		}
		return settle(tx, now, final)
	})
	if err != nil {
		return fmt.Errorf("settle messages: %w", err)
	}
	return nil
}

func settle(tx *gorm.DB, now time.Time, final map[ending][]int64) error {
	for end, all := range final {
		for chunk := range slices.Chunk(all, rawsql.RowsPerStatement) {
			_, err := table.Of[row](tx).Where("id IN ? AND state = 0", rawsql.Padded(chunk)).Assign(tx.Statement.Context, map[string]any{
				"state": end.state, "ended_at": rawsql.Micros(now), "error": end.reason, "secret": nil,
				"params": "{}", // they name people who may be erased later
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// DeleteSettledMessages deletes messages that were settled long ago.
func (o *Outbox) DeleteSettledMessages(ctx context.Context, sentBefore, deadBefore time.Time, n int) (int, error) {
	return o.db.ChangeRows(ctx, func(ctx context.Context, tx *gorm.DB) (int, error) {
		old := table.Of[row](tx).Select("id").Where("state <> 0").
			Where("state <> ? AND ended_at < ? OR state = ? AND ended_at < ?",
				dead, rawsql.Micros(sentBefore), dead, rawsql.Micros(deadBefore)).
			Order("ended_at").Limit(n)
		return table.Of[row](tx).Where("id IN (?)", old).Delete(ctx)
	})
}

// ReadStats counts the messages. It reads only indexes.
func (o *Outbox) ReadStats(ctx context.Context) (mailer.OutboxStats, error) {
	var c struct {
		Waiting, Dead int
		Oldest        int64
	}
	err := o.db.Read.WithContext(ctx).Raw(`SELECT
	(SELECT count(*) FROM outbox WHERE state = 0) AS waiting,
	(SELECT count(*) FROM outbox WHERE state = 2) AS dead,
	(SELECT coalesce(min(created_at), 0) FROM outbox WHERE state = 0) AS oldest`).Scan(&c).Error
	return mailer.OutboxStats{Waiting: c.Waiting, Dead: c.Dead, Oldest: rawsql.Time(c.Oldest)}, gormstore.WrapUnavailable(err)
}

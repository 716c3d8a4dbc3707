package outboxstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/courier"
	"github.com/octavo-books/octavo/domain/text"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
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

var stateOf = map[courier.Verdict]int{courier.Sent: sent, courier.Dead: dead, courier.Declined: declined}

// ending is what becomes of a message in the end.
type ending struct {
	state  int
	reason string
}

// longestReason bounds, in bytes, what a mail server can make us keep.
const longestReason = 500

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
			_, err := gorm.G[row](tx).Where("id = ? AND state = 0 AND tries = ?", out.Claimed.ID, out.Claimed.Try).
				Set(clause.Assignments(map[string]any{"due_at": rawsql.Micros(out.Due), "tries": out.Try, "error": reason})).
				Update(tx.Statement.Context)
			if err != nil {
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

func settle(tx *gorm.DB, now time.Time, ended map[ending][]int64) error {
	for end, all := range ended {
		for chunk := range slices.Chunk(all, rowsPerInsert) {
			_, ids := rawsql.In(chunk)
			_, err := gorm.G[row](tx).Where("id IN ? AND state = 0", ids).Set(clause.Assignments(map[string]any{
				"state": end.state, "ended_at": rawsql.Micros(now), "error": end.reason, "secret": nil,
			})).Update(tx.Statement.Context)
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Sweep drops what ended long ago.
func (o *Outbox) Sweep(ctx context.Context, sentBefore, deadBefore time.Time, n int) (int, error) {
	return o.db.Change(ctx, func(ctx context.Context, tx *gorm.DB) (int, error) {
		old := gorm.G[row](tx).Select("id").Where("state <> 0").
			Where("state <> ? AND ended_at < ? OR state = ? AND ended_at < ?", dead, rawsql.Micros(sentBefore), dead, rawsql.Micros(deadBefore)).
			Order("ended_at").Limit(n)
		return gorm.G[row](tx).Where("id IN (?)", old).Delete(ctx)
	})
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
	return courier.Census{Waiting: c.Waiting, Dead: c.Dead, Oldest: rawsql.Time(c.Oldest)}, gormstore.Explain(err)
}

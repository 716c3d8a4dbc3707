package inboxstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/inbox"
)

// FeedEnd returns the position up to which the feed is complete.
func (i *Inbox) FeedEnd(ctx context.Context) (int64, error) {
	if i.postgres != nil {
		return feedEnd(ctx, i.read)
	}
	position, _, err := rawsql.One(ctx, i.read, rawsql.Integer[int64], `SELECT coalesce(max(position), 0) FROM inbox_payloads`)
	return position, err
}

// ReadFeed returns deliveries in the order of their positions.
func (i *Inbox) ReadFeed(ctx context.Context, after, end int64, limit int) ([]inbox.FeedDelivery, error) {
	return rawsql.Collect(ctx, i.read, scanFeedDelivery, `SELECT `+deliveryColumns+`, p.position
		FROM inbox_payloads p JOIN inbox_deliveries d ON d.seq = p.seq WHERE p.position > ? AND p.position <= ? ORDER BY p.position LIMIT ?`, after, end, limit)
}

func scanFeedDelivery() ([]any, func() inbox.FeedDelivery) {
	columns, delivery := scanDelivery()
	var position int64
	return append(columns, &position), func() inbox.FeedDelivery { return inbox.FeedDelivery{Position: position, Delivery: delivery()} }
}

// ReadPayload returns the payload of a delivery, nil if there is none.
func (i *Inbox) ReadPayload(ctx context.Context, seq int64) ([]byte, error) {
	row, there, err := rawsql.One(ctx, i.read, scanBytes, `SELECT p.payload FROM inbox_deliveries d JOIN inbox_payloads p ON p.position = d.position WHERE d.seq = ?`, seq)
	if err != nil || !there {
		return nil, err
	}
	return decompress(row)
}

// On Postgres, transactions that store deliveries run concurrently, and the one with the
// lower positions may commit last. A reader that has already read the higher ones would
// miss it. Therefore each transaction, before it takes positions from the sequence, locks
// the last position taken so far, which is below its own. A reader reads no further than
// the lowest locked position.
//
// The lock is shared, so nobody waits for it, and is released after the transaction has
// become visible. The reader reads the sequence first, then the locks, and the deliveries
// last: a transaction with a position that the sequence has reached took its lock before,
// so it has either ended or its lock is still held.

// feedLockClass is the first half of these locks' keys; the second half are the lower 31
// bits of the position.
const feedLockClass = 0x0c7b

const feedLockBits = 1<<31 - 1

// lastPosition is 0 before the first.
const lastPosition = `(SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS position FROM inbox_payloads_position_seq)`

// takePositions takes positions after it has locked: the row of the lock is needed before
// there is any row for nextval.
func (p *postgres) takePositions(ctx context.Context, c rawsql.Conn, n int) ([]int64, error) {
	p.taken.Store(true)
	return rawsql.Collect(ctx, c, rawsql.Integer[int64], `WITH locked AS MATERIALIZED (
			SELECT pg_advisory_xact_lock_shared(?::int, (position & ?::bigint)::int) FROM `+lastPosition+` s)
		SELECT nextval('inbox_payloads_position_seq') FROM locked, generate_series(1, ?::int)`, feedLockClass, feedLockBits, n)
}

func feedEnd(ctx context.Context, c rawsql.Conn) (int64, error) {
	end, _, err := rawsql.One(ctx, c, rawsql.Integer[int64], `SELECT position FROM `+lastPosition+` s`)
	if err != nil {
		return 0, err
	}
	locked, err := rawsql.Collect(ctx, c, rawsql.Integer[int64], `SELECT objid::bigint FROM pg_locks
		WHERE locktype = 'advisory' AND classid = ? AND objsubid = 2 AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`, feedLockClass)
	lowest := end
	for _, low := range locked {
		lowest = min(lowest, end+distance(low, end&feedLockBits))
	}
	return lowest, err
}

// distance returns how far the lower bits of one position are from those of another,
// which is at most a billion positions away in either direction.
func distance(to, from int64) int64 {
	d := (to - from) & feedLockBits
	if d > feedLockBits/2 {
		d -= feedLockBits + 1
	}
	return d
}

package outboxstore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/eventrelay"
	"github.com/octavo-books/octavo/domain/event"
	"gorm.io/gorm"
)

// eventsTopic is the topic of the loops that relay events.
const eventsTopic = "events"

// These statements are written by hand because each post and each sale runs the first.
const (
	insertEvents = "INSERT INTO outbox_events (id, type, created_at, body) VALUES "
	selectEvents = "SELECT seq, id, type, body FROM outbox_events ORDER BY seq LIMIT ?"
	// deleteOld looks at the oldest rows only, so that it needs no index on created_at.
	deleteOld = `DELETE FROM outbox_events WHERE seq IN (SELECT seq FROM outbox_events ORDER BY seq LIMIT ?)
	AND (created_at < ? OR seq <= (SELECT max(seq) FROM outbox_events) - ?)`
)

// AddEvents adds events to the outbox in the transaction of the changes that they report, in
// the order in which they will reach the inbox.
func AddEvents(ctx context.Context, tx *gorm.DB, events ...event.Event) error {
	if len(events) == 0 {
		return nil
	}
	rows := make([][]any, len(events))
	for i, e := range events {
		body, err := e.Body()
		if err != nil {
			return err
		}
		rows[i] = []any{int64(e.ID), string(e.Type), rawsql.Micros(e.At), string(body)}
	}
	for batch := range rawsql.Batches(rows) {
		marks, args := rawsql.Values(batch, func(row []any) []any { return row })
		if _, err := rawsql.On(tx).Exec(ctx, insertEvents+marks, args...); err != nil {
			return fmt.Errorf("add events to the outbox: %w", err)
		}
	}
	gormstore.NotifyAfterCommit(tx, eventsTopic)
	return nil
}

// Events implements eventrelay.Outbox over the events that AddEvents has stored.
type Events struct {
	db       *gormstore.DB
	relaying sync.Mutex
}

// NewEvents returns the events in db.
func NewEvents(db *gormstore.DB) *Events { return &Events{db: db} }

// WaitForEvents implements eventrelay.Outbox.
func (e *Events) WaitForEvents(ctx context.Context, busy bool) {
	due := time.Time{}
	if busy {
		due = time.Now()
	}
	e.db.Wakeups().Wait(ctx, eventsTopic, due)
}

// RelayEvents implements eventrelay.Outbox. A SQLite database has one serving process, so
// the mutex suffices there, and no transaction blocks writers while accept runs. On
// Postgres a lock excludes the other processes until the rows are deleted.
func (e *Events) RelayEvents(ctx context.Context, n int, accept eventrelay.Accept) (relayed int, busy bool, err error) {
	if !e.relaying.TryLock() {
		return 0, true, nil
	}
	defer e.relaying.Unlock()
	found, err := readEvents(ctx, rawsql.On(e.db.Read), n)
	if err != nil || len(found) == 0 {
		return 0, false, err
	}
	if e.db.Dialect == gormstore.Postgres {
		return e.relayLocked(ctx, n, accept)
	}
	accepted, failed := accept(ctx, stored(found))
	if accepted > 0 {
		err = e.db.Atomically(context.WithoutCancel(ctx), func(tx *gorm.DB) error {
			return deleteEvents(tx.Statement.Context, rawsql.On(tx), found[:accepted])
		})
	}
	return accepted, false, errors.Join(failed, err)
}

func (e *Events) relayLocked(ctx context.Context, n int, accept eventrelay.Accept) (accepted int, busy bool, err error) {
	var failed error
	err = e.db.Atomically(ctx, func(tx *gorm.DB) error {
		ctx, c := tx.Statement.Context, rawsql.On(tx)
		accepted, failed = 0, nil
		locked, err := c.TryAdvisoryLock(ctx, "octavo events")
		if busy = !locked; err != nil || busy {
			return err
		}
		found, err := readEvents(ctx, c, n)
		if err != nil || len(found) == 0 {
			return err
		}
		accepted, failed = accept(ctx, stored(found))
		return deleteEvents(ctx, c, found[:accepted])
	})
	return accepted, busy, errors.Join(failed, err)
}

// eventRow is an event with its place in the order.
type eventRow struct {
	seq int64
	event.Stored
}

func readEvents(ctx context.Context, c rawsql.Conn, n int) ([]eventRow, error) {
	return rawsql.Collect(ctx, c, func() ([]any, func() eventRow) {
		var seq, id int64
		var kind, body string
		return []any{&seq, &id, &kind, &body}, func() eventRow {
			return eventRow{seq, event.Stored{ID: event.ID(id), Type: event.Type(kind), Body: []byte(body)}}
		}
	}, selectEvents, n)
}

func stored(rows []eventRow) []event.Stored {
	all := make([]event.Stored, len(rows))
	for i, r := range rows {
		all[i] = r.Stored
	}
	return all
}

func deleteEvents(ctx context.Context, c rawsql.Conn, rows []eventRow) error {
	if len(rows) == 0 {
		return nil
	}
	seqs := make([]int64, len(rows))
	for i, r := range rows {
		seqs[i] = r.seq
	}
	marks, args := rawsql.In(seqs)
	_, err := c.Exec(ctx, "DELETE FROM outbox_events WHERE seq IN ("+marks+")", args...)
	return err
}

// DeleteExpired deletes events that no webhook service has taken: those older than
// event.MaxAge, and the oldest beyond event.MaxWaiting. It looks at the n oldest.
func (e *Events) DeleteExpired(ctx context.Context, now time.Time, n int) (int, error) {
	return e.db.ChangeRows(ctx, func(ctx context.Context, tx *gorm.DB) (int, error) {
		deleted, err := rawsql.On(tx).Exec(ctx, deleteOld, n, rawsql.Micros(now.Add(-event.MaxAge)), event.MaxWaiting)
		return int(deleted), err
	})
}

// CountEvents counts the waiting events and returns the time of the oldest, zero if none
// waits.
func (e *Events) CountEvents(ctx context.Context) (waiting int, oldest time.Time, err error) {
	var c struct {
		Waiting int
		Oldest  int64
	}
	err = e.db.Read.WithContext(ctx).Raw(`SELECT (SELECT count(*) FROM outbox_events) AS waiting,
	coalesce((SELECT created_at FROM outbox_events ORDER BY seq LIMIT 1), 0) AS oldest`).Scan(&c).Error
	return c.Waiting, rawsql.Time(c.Oldest), gormstore.WrapUnavailable(err)
}

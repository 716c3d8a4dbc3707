package gormstore

import (
	"context"
	"database/sql"
	"errors"
	"runtime"
	"time"

	"gorm.io/gorm"
)

// What a group is bounded by: the last of its members has waited for all others,
// and the first as long.
const (
	maxGroup     = 64
	maxGroupTime = 10 * time.Millisecond
)

// errLost tells a member that its group was rolled back for no fault of its own.
var errLost = errors.New("the transaction was lost with others in it")

// group is one transaction of SQLite that several callers use one after the
// other, each within a savepoint, and that is committed once for all of them.
// Only who has the turn touches it, until it is done.
type group struct {
	work
	began  time.Time
	size   int
	closed bool          // takes nobody in any more
	done   chan struct{} // closed when it is committed or rolled back
	err    error         // why it was rolled back
}

// begin opens a transaction. ctx bounds the waiting only: what the caller's
// leaving would end, others may be in by then.
func (db *DB) begin(ctx context.Context) (*group, error) {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stay := context.AfterFunc(ctx, cancel)
	begun, err := db.writePool.BeginTx(own, nil)
	if !stay() {
		if err == nil {
			_ = begun.Rollback()
		}
		err = ctx.Err()
	}
	if err != nil {
		cancel()
		return nil, err
	}
	return &group{
		work:  work{Tx: begun, cache: db.statements, mine: map[string]*sql.Stmt{}, cancel: cancel},
		began: time.Now(), done: make(chan struct{}),
	}, nil
}

// share runs fn as a member of a group. The turn goes to whoever waits, with the
// transaction still open; the last one commits. An alone caller has a group of
// its own.
func (db *DB) share(ctx context.Context, alone bool, fn func(tx *gorm.DB) error) error {
	g, err := db.join(ctx, alone)
	if err != nil {
		return err
	}
	t := &transaction{work: &g.work, shared: true, topics: map[string]bool{}}
	err = func() error {
		defer db.leave(g) // whatever becomes of fn
		return g.run(context.WithoutCancel(ctx), t, func() error { return fn(db.session(ctx, t)) })
	}()
	<-g.done
	if g.size > 1 && g.err != nil {
		return errLost
	}
	if err == nil {
		err = g.err
	}
	if err == nil {
		db.committed(t)
	}
	return err
}

// join waits for the turn and for a transaction to be in.
func (db *DB) join(ctx context.Context, alone bool) (*group, error) {
	g, err := db.turns.take(ctx)
	if err != nil {
		return nil, err
	}
	gone := ctx.Err()
	if g != nil && !alone && gone == nil {
		return g, nil
	}
	if g != nil {
		_ = g.end(nil) // its members hear of it
	}
	if gone == nil {
		g, gone = db.begin(ctx)
	}
	if gone != nil {
		db.turns.pass(nil)
		return nil, gone
	}
	g.closed = alone
	return g, nil
}

// leave hands the turn on. It never waits for company: a group grows only by
// those who are in line already. But before a commit those who could get in line if a
// processor were free are let to it, or on one processor there would hardly ever be a line.
func (db *DB) leave(g *group) {
	if db.handOn(g) {
		return
	}
	runtime.Gosched()
	if db.handOn(g) {
		return
	}
	if g.end(nil) == nil && len(g.fresh) > 0 {
		db.statements.prepare(context.Background(), g.fresh)
	}
	db.turns.pass(nil)
}

// handOn gives the turn to the next in line with the transaction open, if there is
// one and the group may grow.
func (db *DB) handOn(g *group) bool {
	open := g.err == nil && !g.closed && g.size < maxGroup && time.Since(g.began) < db.groupTime
	return open && db.turns.pass(g)
}

// end commits the transaction, or rolls it back because of err, and tells all
// members.
func (g *group) end(err error) error {
	if g.err == nil {
		if g.err = err; err == nil {
			g.err = g.commit()
		}
		_ = g.Rollback() // what Commit did not end
		g.cancel()
		close(g.done)
	}
	return g.err
}

func (g *group) commit() error {
	if err := g.catchUp(context.Background()); err != nil {
		return err
	}
	return g.Commit()
}

// run runs one member's part. If it fails, nothing of it stays and the others
// are as they were.
func (g *group) run(ctx context.Context, t *transaction, part func() error) (err error) {
	g.size++
	first, kept, before := g.size == 1, false, g.agenda
	if !first {
		if err := g.do(ctx, "SAVEPOINT member"); err != nil {
			_ = g.end(err)
			return err
		}
	}
	defer func() {
		t.ended.Store(true)
		switch {
		case first && !kept, t.spoilt.Load(), mayEndTransaction(err):
			_ = g.end(errors.Join(errLost, err))
		case !first:
			g.settle(ctx, kept, before)
		}
	}()
	err = part()
	kept = err == nil
	return err
}

// settle keeps what a member did since its savepoint, or takes it back.
func (g *group) settle(ctx context.Context, kept bool, before agenda) {
	var err error
	if !kept {
		g.agenda = before
		err = g.do(ctx, "ROLLBACK TO member")
	}
	if err = errors.Join(err, g.do(ctx, "RELEASE member")); err != nil {
		_ = g.end(err)
	}
}

func (g *group) do(ctx context.Context, statement string) error {
	_, err := g.exec(ctx, statement)
	return err
}

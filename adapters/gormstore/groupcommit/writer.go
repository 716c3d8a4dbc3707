package groupcommit

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/wakeup"
)

// maxWait is how long a caller waits in the queue.
const maxWait = 10 * time.Second

var (
	// ErrNested refuses a transaction within another, because it would wait for itself.
	ErrNested = errors.New("a transaction was begun within the function of another")
	// ErrBusy refuses a caller that waited too long for its turn.
	ErrBusy = errors.New("other transactions took too long")
	// errBatchLost means that the whole batch was rolled back and its callers must retry.
	errBatchLost = errors.New("the batch was rolled back")
)

// Func is the work of one caller. It must use tx under ctx, in one goroutine, and neither
// after it has returned.
type Func func(ctx context.Context, tx *Tx) error

// Writer runs transactions on a database.
type Writer struct {
	pool            *sql.DB
	endsTransaction func(error) bool // nil if callers do not share transactions

	// The queue: callers receive from both channels, and Go serves them in order. The
	// caller that has received has the turn: only it uses the connection and the fields
	// below.
	free chan struct{} // contains a token while nobody has the turn
	next chan *batch   // hands over the turn with an open batch

	prepared map[string]*sql.Stmt
	wakeups  *wakeup.Hub
}

// Shared makes a writer whose callers share transactions, for SQLite's single writing
// connection. endsTransaction reports whether a statement that failed with this error may
// have ended its transaction.
func Shared(pool *sql.DB, endsTransaction func(error) bool) *Writer {
	w := &Writer{
		pool: pool, endsTransaction: endsTransaction,
		free: make(chan struct{}, 1), next: make(chan *batch), prepared: map[string]*sql.Stmt{}, wakeups: wakeup.New(),
	}
	w.free <- struct{}{}
	return w
}

// Separate makes a writer whose callers have their own transactions.
func Separate(pool *sql.DB) *Writer { return &Writer{pool: pool, wakeups: wakeup.New()} }

// nestedKey is the key that marks the context of a function within Transact.
type nestedKey struct{ *Writer }

// Transact runs fn in a transaction and commits it, or rolls it back if fn fails. The
// package comment states its promises.
func (w *Writer) Transact(ctx context.Context, fn Func) error {
	inner := context.WithValue(ctx, nestedKey{w}, true)
	switch {
	case ctx.Value(nestedKey{w}) != nil:
		return ErrNested
	case w.endsTransaction == nil:
		return w.runSeparate(inner, fn)
	}
	err := w.runShared(inner, fn)
	if !errors.Is(err, errBatchLost) {
		return err
	}
	open, err := w.awaitTurn(ctx)
	if err != nil {
		return err
	}
	if open != nil {
		w.endBatch(open)
	}
	defer w.releaseTurn()
	return w.runSeparate(inner, fn)
}

// runSeparate runs fn in its own transaction.
func (w *Writer) runSeparate(ctx context.Context, fn Func) error {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel) // until the commit
	tx, err := w.pool.BeginTx(own, nil)
	if err != nil {
		stop()
		cancel()
		return err
	}
	t := &Tx{batch: &batch{writer: w, tx: tx}}
	defer t.ended.Store(true)
	committing := false
	defer func() {
		if !committing { // fn has failed or panicked
			_ = tx.Rollback()
			stop()
			cancel()
		}
	}()
	if err := fn(ctx, t); err != nil {
		return err
	}
	if !stop() {
		return ctx.Err()
	}
	committing = true
	if err := commit(ctx, tx, cancel); err != nil {
		return err
	}
	t.runOnCommit()
	return nil
}

// maxCommit is when a commit is cancelled that nobody waits for any more.
const maxCommit = 2 * time.Minute

// commit commits tx, or returns when ctx ends and lets the commit go on: its outcome is then
// unknown. A commit that waits for a synchronous standby must not be cancelled, because Postgres
// would then show rows to others that a failover can still lose.
func commit(ctx context.Context, tx *sql.Tx, cancel context.CancelFunc) error {
	limit := time.AfterFunc(maxCommit, cancel)
	ended := make(chan error, 1)
	go func() {
		defer cancel()
		defer limit.Stop()
		ended <- tx.Commit()
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// runShared runs fn in a batch.
func (w *Writer) runShared(ctx context.Context, fn Func) error {
	b, err := w.joinBatch(ctx)
	if err != nil {
		return err
	}
	t := &Tx{batch: b}
	err = func() error {
		defer w.finishTurn(b) // even if fn panics
		return b.run(ctx, t, fn)
	}()
	<-b.done
	switch {
	case b.err != nil && b.callers > 1:
		return errBatchLost
	case err != nil:
		return err
	case b.err != nil:
		return b.err
	}
	t.runOnCommit()
	return nil
}

// joinBatch waits for the turn and returns the batch, opening one if needed.
func (w *Writer) joinBatch(ctx context.Context) (*batch, error) {
	b, err := w.awaitTurn(ctx)
	if err != nil || b != nil {
		return b, err
	}
	if b, err = w.beginBatch(ctx); err != nil {
		w.releaseTurn()
	}
	return b, err
}

// awaitTurn waits for the turn and returns the open batch, nil if there is none.
func (w *Writer) awaitTurn(ctx context.Context) (*batch, error) {
	timeout := time.NewTimer(maxWait)
	defer timeout.Stop()
	select {
	case <-w.free:
		return nil, nil
	case b := <-w.next:
		return b, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-timeout.C:
		return nil, ErrBusy
	}
}

// releaseTurn ends the turn when no batch is open.
func (w *Writer) releaseTurn() { w.free <- struct{}{} }

package groupcommit

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"
)

// maxWait is how long a caller waits in the queue.
const maxWait = 10 * time.Second

var (
	// ErrNested refuses a transaction within another, which it would wait for.
	ErrNested = errors.New("a transaction was begun within the function of another")
	// ErrBusy is for a caller that has waited too long for its turn.
	ErrBusy = errors.New("other transactions took too long")
	// errLost is for callers of a batch that was rolled back as a whole.
	errLost = errors.New("the batch was rolled back")
)

// Func is what one caller does in its transaction. It must use tx under ctx, in one
// goroutine, and neither after it has returned.
type Func func(ctx context.Context, tx *Tx) error

// Writer runs transactions on a database.
type Writer struct {
	pool            *sql.DB
	endsTransaction func(error) bool // nil unless callers share transactions

	// The queue: callers receive from both channels, and Go serves them in their order.
	// Whoever has received has the turn, and alone uses the connection and what follows.
	free chan struct{} // holds a token while nobody has the turn
	next chan *batch   // passes the turn on with an open batch

	prepared map[string]*sql.Stmt
	topics   sync.Map // of Notify: name to chan struct{}
}

// Shared makes a writer whose callers share transactions, over SQLite's one writing
// connection. endsTransaction reports whether SQLite may have rolled back the transaction
// of a statement that failed with an error.
func Shared(pool *sql.DB, endsTransaction func(error) bool) *Writer {
	w := &Writer{
		pool: pool, endsTransaction: endsTransaction,
		free: make(chan struct{}, 1), next: make(chan *batch), prepared: map[string]*sql.Stmt{},
	}
	w.free <- struct{}{}
	return w
}

// Separate makes a writer whose callers have transactions of their own.
func Separate(pool *sql.DB) *Writer { return &Writer{pool: pool} }

// within marks the context of a function that Transact runs.
type within struct{ *Writer }

// Transact runs fn in a transaction and commits it, or rolls it back if fn fails. The
// package comment has its promises.
func (w *Writer) Transact(ctx context.Context, fn Func) error {
	inner := context.WithValue(ctx, within{w}, true)
	switch {
	case ctx.Value(within{w}) != nil:
		return ErrNested
	case w.endsTransaction == nil:
		return w.separate(inner, fn)
	}
	err := w.share(inner, fn)
	if !errors.Is(err, errLost) {
		return err
	}
	open, err := w.take(ctx)
	if err != nil {
		return err
	}
	if open != nil {
		w.end(open)
	}
	defer w.release()
	return w.separate(inner, fn)
}

// separate runs fn in a transaction of its own.
func (w *Writer) separate(ctx context.Context, fn Func) error {
	tx, err := w.pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // nothing is left to roll back after the commit
	t := &Tx{batch: &batch{writer: w, tx: tx}}
	defer t.ended.Store(true)
	if err := fn(ctx, t); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	t.committed()
	return nil
}

// share runs fn in a batch.
func (w *Writer) share(ctx context.Context, fn Func) error {
	b, err := w.join(ctx)
	if err != nil {
		return err
	}
	t := &Tx{batch: b}
	err = func() error {
		defer w.leave(b) // even if fn panics
		return b.run(ctx, t, fn)
	}()
	<-b.done
	switch {
	case b.err != nil && b.callers > 1:
		return errLost
	case err != nil:
		return err
	case b.err != nil:
		return b.err
	}
	t.committed()
	return nil
}

// join waits for the turn and gives the batch to run in.
func (w *Writer) join(ctx context.Context) (*batch, error) {
	b, err := w.take(ctx)
	if err != nil || b != nil {
		return b, err
	}
	if b, err = w.begin(ctx); err != nil {
		w.release()
	}
	return b, err
}

// take waits for the turn. An open batch comes with it, or nil.
func (w *Writer) take(ctx context.Context) (*batch, error) {
	enough := time.NewTimer(maxWait)
	defer enough.Stop()
	select {
	case <-w.free:
		return nil, nil
	case b := <-w.next:
		return b, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-enough.C:
		return nil, ErrBusy
	}
}

// release ends the turn without a batch.
func (w *Writer) release() { w.free <- struct{}{} }

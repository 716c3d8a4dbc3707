// Package memstore implements every port of the core in memory: maps under one mutex, and
// the rules of the domain where a database would use an index. Tests of use cases run on it.
// It passes the contract suites, as the databases do.
package memstore

import (
	"cmp"
	"context"
	"errors"
	"sync"

	"github.com/octavo-books/octavo/adapters/gormstore/wakeup"
)

// Store has all tables. Create it with New.
type Store struct {
	mu       sync.Mutex
	tables   tables
	onCommit []func() // of the transaction that has the lock
	wakeups  *wakeup.Hub
	twice    bool
}

// tables contain values only, so that cloned maps are a snapshot.
type tables struct {
	auth   authTables
	market marketTables
	outbox outboxTables
}

// New returns an empty store.
func New() *Store {
	return &Store{tables: tables{newAuthTables(), newMarketTables(), newOutboxTables()}, wakeups: newWakeups()}
}

// NewTwice returns an empty store whose transactions all run twice: the first time they are lost
// at their end.
func NewTwice() *Store {
	s := New()
	s.twice = true
	return s
}

// Clone returns a store with the same content, whose transactions run once or, as those of NewTwice,
// twice.
func (s *Store) Clone(twice bool) *Store {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Store{tables: s.tables.clone(), wakeups: newWakeups(), twice: twice}
}

// Snapshot returns all content, to be compared by reflect.DeepEqual, without the answers that are
// kept under idempotency keys: those contain refusals.
func (s *Store) Snapshot() any {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.tables.clone()
	all.market.responses = nil
	return all
}

func (t tables) clone() tables {
	return tables{t.auth.clone(), t.market.clone(), t.outbox.clone()}
}

// atomically is once, or twice.
func (s *Store) atomically(ctx context.Context, fn func() error) error {
	if s.twice {
		if err := s.once(ctx, func() error { return cmp.Or(fn(), errLost) }); !errors.Is(err, errLost) {
			return err
		}
	}
	return s.once(ctx, fn)
}

var errLost = errors.New("the transaction was lost at its end")

// once runs fn under the lock, and restores the tables if it fails.
func (s *Store) once(ctx context.Context, fn func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	before, done := s.tables.clone(), false
	defer func() { s.end(done) }()
	defer func() {
		if !done {
			s.tables = before
		}
	}()
	if err := fn(); err != nil {
		return err
	}
	done = true
	return nil
}

// end releases the lock and, after a commit, calls what waits for it.
func (s *Store) end(committed bool) {
	all := s.onCommit
	s.onCommit = nil
	s.mu.Unlock()
	if !committed {
		return
	}
	for _, do := range all {
		do()
	}
}

// read runs fn under the lock; fn must not change anything.
func (s *Store) read(ctx context.Context, fn func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return fn()
}

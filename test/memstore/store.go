// Package memstore implements every port of the core in memory: maps under one mutex, and
// the rules of the domain where a database would use an index. Tests of use cases run on it.
// It passes the contract suites, as the databases do.
package memstore

import (
	"context"
	"sync"

	"github.com/octavo-books/octavo/adapters/gormstore/wakeup"
)

// Store has all tables. Create it with New.
type Store struct {
	mu       sync.Mutex
	tables   tables
	onCommit []func() // of the transaction that has the lock
	wakeups  *wakeup.Hub
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

func (t tables) clone() tables {
	return tables{t.auth.clone(), t.market.clone(), t.outbox.clone()}
}

// atomically runs fn under the lock, and restores the tables if it fails.
func (s *Store) atomically(ctx context.Context, fn func() error) error {
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

// Package memstore fills every port of the core in memory: maps under one
// mutex, and the domain's own rules where a database would use an index. It is
// what use cases are tested on, and it keeps the promises of the ports.
package memstore

import (
	"context"
	"sync"
)

// Store holds everything. Its zero value is not ready; use New.
type Store struct {
	mu     sync.Mutex
	tables tables
}

// tables are values throughout, so that a clone of the maps is a snapshot.
type tables struct {
	auth   authTables
	market marketTables
	outbox outboxTables
}

// New makes an empty store.
func New() *Store {
	return &Store{tables: tables{newAuthTables(), newMarketTables(), newOutboxTables()}}
}

func (t tables) clone() tables {
	return tables{t.auth.clone(), t.market.clone(), t.outbox.clone()}
}

// atomically runs fn alone and undoes what it did when it fails.
func (s *Store) atomically(ctx context.Context, fn func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.tables.clone()
	done := false
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

// read runs fn alone; fn must change nothing.
func (s *Store) read(ctx context.Context, fn func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return fn()
}

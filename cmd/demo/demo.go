// Package demo fills an empty database with a campus that one can believe:
// people, textbooks, requests and sales of the last two years. The same seed and
// the same time make the same rows, down to their ids.
package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/demostore"
	"github.com/octavo-books/octavo/domain/order"
)

// ErrNotEmpty refuses a database that somebody uses.
var ErrNotEmpty = errors.New("the database is not empty: demo data goes only into a new one")

// Config says how large the campus is.
type Config struct {
	Books, Users int
	Seed         uint64
	Now          time.Time     // everything happened before
	PasswordHash string        // everybody's; empty: nobody can sign in by password
	Fee          order.FeeRate // of every sale
}

// The largest campus, and the smallest.
const (
	MaxBooks = 10_000_000
	MaxUsers = 1_000_000
	MinUsers = 2 // somebody sells, somebody buys
)

// Validate refuses sizes out of bounds.
func (c Config) Validate() error {
	switch {
	case c.Books < 0 || c.Books > MaxBooks:
		return fmt.Errorf("books must be 0 to %d", MaxBooks)
	case c.Users < MinUsers || c.Users > MaxUsers:
		return fmt.Errorf("users must be %d to %d", MinUsers, MaxUsers)
	}
	return c.Fee.Validate()
}

// Store loads the campus into a database. demostore.Store is the one that the program uses.
type Store interface {
	// Empty reports whether there is no account yet.
	Empty(ctx context.Context) (bool, error)
	// Load adds a batch: its users first, then all the rest in one transaction.
	Load(ctx context.Context, b demostore.Batch) error
	// Finish prepares for searches what was loaded. It is called once, after the last Load.
	Finish(ctx context.Context) error
}

// Progress is told after every batch: what is being made, how many of how many.
type Progress func(what string, done, of int)

// Totals is what was made.
type Totals struct{ Users, Books, Requests, Pairs, Sales int }

// Fill makes a campus and loads it into an empty database.
func Fill(ctx context.Context, s Store, c Config, tell Progress) (Totals, error) {
	if err := c.Validate(); err != nil {
		return Totals{}, err
	}
	switch empty, err := s.Empty(ctx); {
	case err != nil:
		return Totals{}, err
	case !empty:
		return Totals{}, ErrNotEmpty
	}
	f := newFiller(c, s, tell)
	for _, step := range []func(context.Context) error{f.people, f.market, f.requests} {
		if err := step(ctx); err != nil {
			return f.totals, err
		}
	}
	return f.totals, s.Finish(ctx)
}

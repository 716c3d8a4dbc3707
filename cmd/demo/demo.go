// Package demo fills an empty database with a plausible campus: users, textbooks, requests
// and orders of the last two years. The same seed and time generate the same rows with the
// same ids.
package demo

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/demostore"
	"github.com/octavo-books/octavo/domain/campus"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
)

// ErrNotEmpty refuses a database with accounts.
var ErrNotEmpty = errors.New("the database is not empty: demo data goes only into a new one")

// Config describes the campus.
type Config struct {
	Books, Users int
	Seed         uint64
	Now          time.Time     // all events are before it
	PasswordHash string        // of all users; empty: no password
	Fee          order.FeeRate // of every order
	Currency     money.Currency
	Campus       campus.Domains // where the students are
}

// Bounds of the size.
const (
	MaxBooks = 10_000_000
	MaxUsers = 1_000_000
	MinUsers = 2 // a seller and a buyer
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

// Store loads the campus into a database. The program uses demostore.Store.
type Store interface {
	// Empty reports whether there is no account yet.
	Empty(ctx context.Context) (bool, error)
	// Load adds a batch: first its users, then everything else in one transaction.
	Load(ctx context.Context, b demostore.Batch) error
	// Finish prepares the loaded data for searches. It is called once, after the last Load.
	Finish(ctx context.Context) error
}

// Progress is called after every batch with the kind of rows and how many of them are done.
type Progress func(what string, done, of int)

// Totals counts the generated rows.
type Totals struct{ Users, Books, Requests, Matches, Orders int }

// Fill generates a campus and loads it into an empty database; ErrNotEmpty if it has
// accounts.
func Fill(ctx context.Context, s Store, c Config, report Progress) (Totals, error) {
	if err := c.Validate(); err != nil {
		return Totals{}, err
	}
	switch empty, err := s.Empty(ctx); {
	case err != nil:
		return Totals{}, err
	case !empty:
		return Totals{}, ErrNotEmpty
	}
	g := newGenerator(c, s, report)
	for _, add := range []func(context.Context) error{g.addUsers, g.addBooks, g.addRequests} {
		if err := add(ctx); err != nil {
			return g.totals, err
		}
	}
	return g.totals, s.Finish(ctx)
}

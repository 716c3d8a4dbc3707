// Package demo fills an empty database with a plausible campus: users, textbooks, requests
// and orders of the last two years. The same seed and time generate the same rows with the
// same ids.
package demo

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/demostore"
	"github.com/octavo-books/octavo/domain/campus"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/order"
)

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
	// Begin records that the campus is about to be loaded, and returns the record. If an earlier
	// run did not finish, it changes nothing and returns the record of that one.
	// demostore.ErrNotEmpty if there are accounts of another origin.
	Begin(ctx context.Context, c demostore.Campus) (demostore.Campus, error)
	// Load adds batch n and its number, the first of which is 1, to the record as one atomic step.
	Load(ctx context.Context, n int, b demostore.Batch) error
	// Finish prepares the loaded data for reads and deletes the record, after the last Load. It may
	// be repeated.
	Finish(ctx context.Context, report Progress) error
}

// Progress is called after every batch with the kind of rows and how many of them are done.
type Progress = func(what string, done, of int)

// Totals counts the generated rows, of which Kept books are of an earlier run.
type Totals struct{ Users, Books, Requests, Matches, Orders, Kept int }

// record is what the campus is generated from.
func (c Config) record() demostore.Campus {
	var domains []string
	for _, u := range universitiesIn(c.Campus) {
		domains = append(domains, u.domain)
	}
	return demostore.Campus{
		Recipe: demostore.Recipe{
			Books: c.Books, Users: c.Users, Seed: c.Seed, Fee: int(c.Fee), Currency: c.Currency.Code(), Domains: strings.Join(domains, " "),
			Passwords: c.PasswordHash != "",
		},
		Now: c.Now, PasswordHash: c.PasswordHash,
	}
}

// Fill generates a campus and loads it into an empty database, or completes the one that an
// earlier run began with the same settings: on the day of that run and with its passwords.
func Fill(ctx context.Context, s Store, c Config, report Progress) (Totals, error) {
	if err := c.Validate(); err != nil {
		return Totals{}, err
	}
	wanted := c.record()
	begun, err := s.Begin(ctx, wanted)
	if err != nil {
		return Totals{}, err
	}
	if begun.Recipe != wanted.Recipe {
		return Totals{}, &OtherCampusError{begun}
	}
	c.Now, c.PasswordHash = begun.Now, begun.PasswordHash
	g := newGenerator(c, s, report)
	g.loaded = begun.Batches
	for _, add := range []func(context.Context) error{g.planRequests, g.addUsers, g.addBooks, g.addRequests, g.addReports, g.addPlaces} {
		if err := add(ctx); err != nil {
			return g.totals, err
		}
	}
	return g.totals, s.Finish(ctx, report)
}

// OtherCampusError refuses a database with an unfinished campus of other settings.
type OtherCampusError struct{ Begun demostore.Campus }

func (e *OtherCampusError) Error() string {
	return fmt.Sprintf("%v; with other settings it cannot be completed", demostore.UnfinishedError(*e))
}

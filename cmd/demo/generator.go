package demo

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/demostore"
	"github.com/octavo-books/octavo/domain/book"
)

// batchSize is how many users, books or requests are loaded in one transaction.
const batchSize = 2000

// generator generates a campus. Its memory holds numbers only: 40 bytes for each request, and 24
// for each pending event of the books of the last weeks. Everything else is generated again when
// it is needed.
type generator struct {
	Config
	store        Store
	report       Progress
	catalog      catalog
	tariff       tariff
	universities []university
	calendar     calendar
	planned      *requestPlan
	timeline     timeline
	affairs      affairs
	batch        demostore.Batch
	batches      int // so many are complete,
	loaded       int // and an earlier run has loaded so many
	totals       Totals
}

func newGenerator(c Config, s Store, tell Progress) *generator {
	return &generator{
		Config: c, store: s, report: tell, catalog: newCatalog(c.Books, c.Seed), tariff: newTariff(c.Currency),
		universities: universitiesIn(c.Campus), calendar: newCalendar(c.Now),
	}
}

// flush loads the batch, unless an earlier run has done so.
func (g *generator) flush(ctx context.Context, what string, done, of int) error {
	g.batches++
	if g.batches > g.loaded {
		if err := g.store.Load(ctx, g.batches, g.batch); err != nil {
			return err
		}
	} else {
		what += " that are already loaded"
		g.totals.Kept += len(g.batch.Books)
	}
	g.totals.Users += len(g.batch.Users)
	g.totals.Books += len(g.batch.Books)
	g.totals.Requests += len(g.batch.Requests)
	g.totals.Matches += len(g.batch.Matches)
	g.totals.Orders += len(g.batch.Orders)
	g.batch = demostore.Batch{}
	g.report(what, done, of)
	return ctx.Err()
}

func (g *generator) addUsers(ctx context.Context) error {
	for n := range g.Users {
		g.batch.Users = append(g.batch.Users, g.newUser(n))
		if len(g.batch.Users) == batchSize || n == g.Users-1 {
			if err := g.flush(ctx, "people", n+1, g.Users); err != nil {
				return err
			}
		}
	}
	return nil
}

// addBooks posts the books in the order of time, and applies the events that are due before
// each.
func (g *generator) addBooks(ctx context.Context) error {
	for n := range g.Books {
		g.timeline.advance(g.calendar.at(float64(n)/float64(g.Books)), g.apply)
		b := g.newBook(book.ID(n + 1))
		g.batch.Books = append(g.batch.Books, b)
		g.noteBook(b)
		if len(g.batch.Books) == batchSize || n == g.Books-1 {
			if err := g.flush(ctx, "books", n+1, g.Books); err != nil {
				return err
			}
		}
	}
	g.timeline.advance(g.Now, g.apply)
	return g.flush(ctx, "books", g.Books, g.Books)
}

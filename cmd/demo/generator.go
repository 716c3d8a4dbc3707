package demo

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/adapters/gormstore/demostore"
	"github.com/octavo-books/octavo/domain/book"
)

// batchSize is how many users, books or requests are loaded in one transaction.
const batchSize = 2000

// generator generates a campus. Its memory holds only the requests, and the pending events of
// the books of the last weeks.
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
	batch        demostore.Batch
	totals       Totals
}

func newGenerator(c Config, s Store, tell Progress) *generator {
	f := &generator{
		Config: c, store: s, report: tell, catalog: newCatalog(c.Books, c.Seed), tariff: newTariff(c.Currency), universities: universitiesIn(c.Campus), calendar: newCalendar(c.Now),
	}
	f.planned = f.planRequests()
	return f
}

// flush loads the batch.
func (g *generator) flush(ctx context.Context, what string, done, of int) error {
	if err := g.store.Load(ctx, g.batch); err != nil {
		return err
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
		part := float64(n) / float64(g.Books)
		at := g.calendar.at(part)
		g.timeline.advance(at, g.apply)
		b := g.newBook(book.ID(n+1), part, at)
		g.batch.Books = append(g.batch.Books, b)
		if len(g.batch.Books) == batchSize || n == g.Books-1 {
			if err := g.flush(ctx, "books", n+1, g.Books); err != nil {
				return err
			}
		}
	}
	g.timeline.advance(g.Now, g.apply)
	return g.flush(ctx, "books", g.Books, g.Books)
}

// addRequests comes last, when it is known which requests are filled. It omits those that were
// to be filled but for which there was no order.
func (g *generator) addRequests(ctx context.Context) error {
	all := slices.DeleteFunc(g.planned.all, func(r demostore.Request) bool { return r.Status == book.Filled && r.FilledBy == 0 })
	for n, r := range all {
		g.batch.Requests = append(g.batch.Requests, r)
		if len(g.batch.Requests) == batchSize || n == len(all)-1 {
			if err := g.flush(ctx, "requests", n+1, len(all)); err != nil {
				return err
			}
		}
	}
	return nil
}

package demo

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/adapters/gormstore/demostore"
	"github.com/octavo-books/octavo/domain/book"
)

// step is how many people, books or requests go into one transaction.
const step = 2000

// filler is a campus in the making. Only what must meet later is in memory: the
// requests, and what is going to happen to the books of the last weeks.
type filler struct {
	Config
	store    Store
	tell     Progress
	catalog  catalog
	calendar calendar
	wishes   *wishes
	agenda   agenda
	batch    demostore.Batch
	totals   Totals
}

func newFiller(c Config, s Store, tell Progress) *filler {
	f := &filler{
		Config: c, store: s, tell: tell, catalog: newCatalog(c.Books, c.Seed), calendar: newCalendar(c.Now),
	}
	f.wishes = f.imagineWishes()
	return f
}

// flush loads what has been gathered.
func (f *filler) flush(ctx context.Context, what string, done, of int) error {
	if err := f.store.Load(ctx, f.batch); err != nil {
		return err
	}
	f.totals.Users += len(f.batch.Users)
	f.totals.Books += len(f.batch.Books)
	f.totals.Requests += len(f.batch.Requests)
	f.totals.Pairs += len(f.batch.Matches)
	f.totals.Sales += len(f.batch.Sales)
	f.batch = demostore.Batch{}
	f.tell(what, done, of)
	return ctx.Err()
}

func (f *filler) people(ctx context.Context) error {
	for n := range f.Users {
		f.batch.Users = append(f.batch.Users, f.person(n))
		if len(f.batch.Users) == step || n == f.Users-1 {
			if err := f.flush(ctx, "people", n+1, f.Users); err != nil {
				return err
			}
		}
	}
	return nil
}

// market posts the books, one after the other as time goes by, and lets happen
// in between what was due.
func (f *filler) market(ctx context.Context) error {
	for n := range f.Books {
		part := float64(n) / float64(f.Books)
		at := f.calendar.at(part)
		f.agenda.until(at, f.happen)
		b := f.post(book.ID(n+1), part, at)
		f.batch.Books = append(f.batch.Books, b)
		if len(f.batch.Books) == step || n == f.Books-1 {
			if err := f.flush(ctx, "books", n+1, f.Books); err != nil {
				return err
			}
		}
	}
	f.agenda.until(f.Now, f.happen)
	return f.flush(ctx, "books", f.Books, f.Books)
}

// requests come last: by then it is known which were filled. Those for which no
// sale came along have never been made.
func (f *filler) requests(ctx context.Context) error {
	all := slices.DeleteFunc(f.wishes.all, func(w demostore.Request) bool { return w.Status == book.Filled && w.FilledBy == 0 })
	for n, w := range all {
		f.batch.Requests = append(f.batch.Requests, w)
		if len(f.batch.Requests) == step || n == len(all)-1 {
			if err := f.flush(ctx, "requests", n+1, len(all)); err != nil {
				return err
			}
		}
	}
	return nil
}

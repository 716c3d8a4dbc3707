package marketstore_test

import (
	"context"
	"slices"
	"strconv"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/database"
)

// TestAnIndexThatWasEmptiedIsFilledAgain does what an upgrade does, with more books
// than go into one transaction, and is stopped on the way.
func TestAnIndexThatWasEmptiedIsFilledAgain(t *testing.T) {
	db := database.SQLite(t, migrations...)
	b := contract.NewBazaar(side(db))
	ann := b.Join(t, "ann", user.Regular)
	store := marketstore.New(db, plain{})
	const books = 2500
	check(t, store.Atomically(t.Context(), func(ctx context.Context, s market.Stores) error {
		for i := range books {
			d, err := contract.Draft("Topology "+strconv.Itoa(i), "MTH 440", 1000).Check()
			check(t, err)
			check(t, s.Shelf.Add(ctx, book.Post(book.ID(b.IDs.Next()), ann.ID, "Rochester", d, b.Clock.Now())))
		}
		return nil
	}))
	run(t, db, "INSERT INTO book_search (book_search) VALUES ('delete-all')")
	run(t, db, "INSERT INTO book_search_progress (upto) VALUES (0)")
	find := func(words ...string) (n int) {
		var groups [][]string
		for _, w := range words {
			groups = append(groups, []string{w})
		}
		found, err := store.Containing(t.Context(), groups, market.Criteria{}, books)
		check(t, err)
		return len(found)
	}
	if n := find("topology"); n != 0 {
		t.Fatalf("%d books are found in an empty index", n)
	}
	run(t, db, "CREATE TRIGGER full BEFORE UPDATE ON book_search_progress WHEN NEW.upto > "+strconv.Itoa(books/2)+" BEGIN SELECT RAISE(ABORT, 'stopped'); END")
	if err := db.Migrate(t.Context(), migrations...); err == nil {
		t.Fatal("was not stopped on the way")
	}
	run(t, db, "DROP TRIGGER full")
	if n := find("topology"); n == 0 || n == books {
		t.Fatalf("%d of %d books are found half-way", n, books)
	}
	for range 2 {
		check(t, db.Migrate(t.Context(), migrations...))
		if all, one := find("topology"), find("topology", "2499"); all != books || one != 1 {
			t.Fatalf("%d of %d books are found again, %d of one", all, books, one)
		}
	}
}

func TestListsHaveTheBooksOfBeforeAnUpgrade(t *testing.T) {
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			db, upgrade := outdated(t, open)
			b := contract.NewBazaar(side(db))
			ann := b.Join(t, "ann", user.Regular)
			dear := b.Post(t, ann, contract.Draft("Calculus", "MTH 161", 2000))
			cheap := b.Post(t, ann, contract.Draft("Topology", "MTH 440", 1000))
			upgrade()
			later := b.Post(t, ann, contract.Draft("Algebra", "MTH 161", 1000))
			fifteen := money.Cents(15_00)
			for _, want := range []struct {
				of   market.Criteria
				sort market.Sort
				ids  []book.ID
			}{
				{market.Criteria{}, market.Cheapest, []book.ID{later.ID, cheap.ID, dear.ID}},
				{market.Criteria{Course: "mth161"}, market.Newest, []book.ID{later.ID, dear.ID}},
				{market.Criteria{MaxPrice: &fifteen}, market.Costliest, []book.ID{later.ID, cheap.ID}},
			} {
				views, err := b.Ports.Listed(t.Context(), want.of, want.sort, market.Position{}, 10)
				check(t, err)
				var ids []book.ID
				for _, v := range views {
					ids = append(ids, v.ID)
				}
				if !slices.Equal(ids, want.ids) {
					t.Errorf("%+v by %s: %v, want %v", want.of, want.sort, ids, want.ids)
				}
			}
		})
	}
}

func TestACompactedIndexFindsWhatItDid(t *testing.T) {
	db := database.SQLite(t, migrations...)
	b := contract.NewBazaar(side(db))
	ann := b.Join(t, "ann", user.Regular)
	for i := range 60 {
		v := b.Post(t, ann, contract.Draft("Topology "+strconv.Itoa(i), "MTH 440", 1000))
		if i%3 == 0 {
			_, err := b.Shelf.Delete(t.Context(), ann, v.ID)
			check(t, err)
		}
	}
	store := marketstore.New(db, plain{})
	segments := func() (n int) {
		_, read := db.SQL()
		check(t, read.QueryRowContext(t.Context(), "SELECT count(DISTINCT segid) FROM book_search_idx").Scan(&n))
		return n
	}
	if n := segments(); n < 8 {
		t.Fatalf("the index has %d segments before", n)
	}
	check(t, store.Compact(t.Context()))
	found, err := store.Containing(t.Context(), [][]string{{"topology"}, {"mth440"}}, market.Criteria{}, 100)
	check(t, err)
	if n := segments(); n != 1 || len(found) != 40 {
		t.Errorf("after it %d segments, %d of 40 books are found", n, len(found))
	}
}

func TestAnIndexIsCompactedWhileBooksArePostedAndSold(t *testing.T) {
	db := database.SQLite(t, migrations...)
	b := contract.NewBazaar(side(db))
	ann := b.Join(t, "ann", user.Regular)
	store := marketstore.New(db, plain{})
	posting, posted := context.WithCancel(t.Context())
	compacted := make(chan error, 1)
	go func() {
		var err error
		for err == nil && posting.Err() == nil {
			err = store.Compact(t.Context())
		}
		compacted <- err
	}()
	const books = 300
	for i := range books {
		v := b.Post(t, ann, contract.Draft("Topology "+strconv.Itoa(i), "MTH 440", 1000))
		if i%3 == 0 {
			_, err := b.Shelf.Delete(t.Context(), ann, v.ID)
			check(t, err)
		}
	}
	posted()
	check(t, <-compacted)
	found, err := store.Containing(t.Context(), [][]string{{"topology"}, {"mth440"}}, market.Criteria{}, books)
	check(t, err)
	if len(found) != books*2/3 {
		t.Errorf("%d of %d books are found", len(found), books*2/3)
	}
}

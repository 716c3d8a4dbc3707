//go:build !windows

// Package market_test measures the use cases of the marketplace over SQLite, without
// HTTP, on a demo campus. OCTAVO_BENCH_BOOKS sets its size, 20,000 books by default.
// OCTAVO_BENCH_DATABASE names a file, or a database as postgres://…, that is filled
// once and used again.
package market_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/demostore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/cmd/demo"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// ids ascend with time, above all ids of the campus.
type ids struct{ last atomic.Int64 }

func (i *ids) Next() int64 { return i.last.Add(1) }

type clock struct{}

func (clock) Now() time.Time { return time.Now() }

// plain does not encrypt: the mails of the market contain no secrets.
type plain struct{}

func (plain) Seal(b []byte) ([]byte, error) { return b, nil }
func (plain) Open(b []byte) ([]byte, error) { return b, nil }

// campus is the market on a filled database.
type campus struct {
	*rooms.Market
	size   int
	ids    *ids
	store  *marketstore.Store
	seller user.Caller
	buyer  user.Caller
}

func open(b *testing.B) *campus {
	b.Helper()
	size := 20_000
	if testing.Short() {
		size = 2_000
	}
	if s := os.Getenv("OCTAVO_BENCH_BOOKS"); s != "" {
		var err error
		if size, err = strconv.Atoi(s); err != nil {
			b.Fatalf("OCTAVO_BENCH_BOOKS: %v", err)
		}
	}
	dsn := os.Getenv("OCTAVO_BENCH_DATABASE")
	switch {
	case dsn == "":
		dsn = "sqlite:" + filepath.Join(shared, fmt.Sprintf("market-%d.db", size))
	case gormstore.CheckDSN(dsn) != nil:
		dsn = "sqlite:" + dsn
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Minute)
	defer cancel()
	db, err := gormstore.Open(ctx, dsn, slog.New(slog.DiscardHandler))
	check(b, err)
	b.Cleanup(func() { check(b, db.Close()) })
	watchServer(b, db)
	check(b, db.Migrate(ctx, authstore.Migrations, outboxstore.Migrations, workstore.Migrations, marketstore.Migrations))
	store := marketstore.New(db, plain{})
	began, fill := time.Now(), demostore.New(db, store)
	defer func() { check(b, fill.Close(ctx)) }()
	_, err = demo.Fill(ctx, fill, demo.Config{Books: size, Users: max(100, size/20), Seed: 1, Now: began, Fee: 500}, func(string, int, int) {})
	if !errors.Is(err, demostore.ErrNotEmpty) { // an earlier run may have filled it
		check(b, err)
		b.Logf("filled with %d books in %s", size, time.Since(began).Round(time.Millisecond))
	}
	given := &ids{}
	given.last.Store(time.Now().UnixNano())
	deps := market.Deps{Store: store, Clock: clock{}, IDs: given, Notifier: market.NewNotifier(), Guard: new(market.CurrencyGuard)}
	return &campus{
		size: size, ids: given, store: store, Market: rooms.New(deps, store, rooms.Config{Fee: 500, Zone: time.UTC}),
		seller: user.Caller{ID: 1, Student: true}, buyer: user.Caller{ID: 2, Student: true},
	}
}

// shared is the database of one run of the benchmarks.
var shared string

func TestMain(m *testing.M) {
	var err error
	if shared, err = os.MkdirTemp("", "octavo-bench-"); err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(shared)
	os.Exit(code)
}

// cpu is the processor time that this process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// measure also reports the CPU time of an operation: on a shared machine, the wall time says
// little.
func measure(b *testing.B, do func(n int) error) {
	b.Helper()
	before, began, n := serverUsed(), cpu(), 0
	for b.Loop() {
		if err := do(n); err != nil {
			b.Fatal(err)
		}
		n++
	}
	b.ReportMetric(float64((cpu()-began).Microseconds())/float64(n), "cpu-µs/op")
	reportServer(b, before, int64(n))
}

// crowd is how many clients write concurrently.
const crowd = 16

// together is measure with concurrent clients.
func together(b *testing.B, do func(ctx context.Context, n int) error) {
	b.Helper()
	before, began := serverUsed(), cpu()
	var n atomic.Int64
	b.SetParallelism(crowd)
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := do(b.Context(), int(n.Add(1))); err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64((cpu()-began).Microseconds())/float64(n.Load()), "cpu-µs/op")
	reportServer(b, before, n.Load())
	b.ReportMetric(float64(n.Load())/b.Elapsed().Seconds(), "ops/s")
}

func check(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func BenchmarkRead(b *testing.B) {
	c := open(b)
	page := market.Page{Limit: 20}
	deep := c.deepCursor(b)
	isbn := c.anISBN(b)
	for _, bench := range []struct {
		name string
		do   func(context.Context) error
	}{
		{"FirstPage", func(ctx context.Context) error {
			_, _, err := c.Catalogue.List(ctx, user.Caller{}, finding.Filter{}, page)
			return err
		}},
		{"FirstPageSignedIn", func(ctx context.Context) error {
			_, _, err := c.Catalogue.List(ctx, c.buyer, finding.Filter{}, page)
			return err
		}},
		{"PageFarDown", func(ctx context.Context) error {
			_, _, err := c.Catalogue.List(ctx, user.Caller{}, finding.Filter{}, market.Page{Limit: 20, Cursor: deep})
			return err
		}},
		{"CommonPrice", c.priced(10_00)},
		{"RarePrice", c.priced(9_990_00)},
		{"Skip", func(ctx context.Context) error {
			_, err := c.Catalogue.ListByOffset(ctx, user.Caller{}, 20, c.deep())
			return err
		}},
		{"OneBook", func(ctx context.Context) error {
			_, err := c.Catalogue.Get(ctx, user.Caller{ID: 1}, book.ID(c.size))
			return ignoreGone(err)
		}},
		{"ISBN", c.search(isbn)},
		{"Course", c.search("csc 172")},
		{"CommonWord", c.search("introduction")},
		{"TwoWords", c.search("introduction algebra")},          // 33 of 100,000 books
		{"TwoCommonWords", c.search("concise guide")},           // every twentieth book
		{"ThreeWords", c.search("introduction modern algebra")}, // no book
		{"TwoWordsApart", c.search("introduction guide")},       // no book
		{"WordAndFilter", c.narrowed("wolfcott", finding.Filter{Condition: "Good"})},
		{"WordAndPrice", c.narrowed("introduction", finding.Filter{MaxPrice: ptr(money.Amount(5_00))})},
		{"WordsAndFilters", c.narrowed("introduction algebra", finding.Filter{Condition: "Good", University: campusName})},
		{"Filters", c.filtered(finding.Filter{University: campusName, Condition: "Poor"})},
		{"FiltersAndPrice", c.filtered(finding.Filter{University: campusName, Condition: "Poor", MaxPrice: ptr(money.Amount(5_00))})},
		{"FiltersOfNobody", c.filtered(finding.Filter{University: "Nowhere", MinPrice: ptr(money.Amount(3_00))})},
		{"Cheapest", c.filtered(finding.Filter{Sort: finding.PriceAsc})},
		{"CheapestOfUniversity", c.filtered(finding.Filter{University: campusName, Sort: finding.PriceAsc})},
		{"Dearest", c.filtered(finding.Filter{Sort: finding.PriceDesc})},
		{"Beginning", c.search("intro")},
		{"Slip", c.search("introdoction")},
		{"NoHit", c.search("xyzzyplugh")},
		{"Dashboard", func(ctx context.Context) error {
			_, err := c.Statistics.Dashboard(ctx, user.Caller{ID: 1, Role: user.Owner}, "")
			return err
		}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			measure(b, func(int) error { return bench.do(b.Context()) })
		})
	}
}

// ignoreGone ignores the error of a book that the campus may have sold.
func ignoreGone(err error) error {
	if errors.Is(err, book.ErrNotFound) {
		return nil
	}
	return err
}

func (c *campus) search(text string) func(context.Context) error {
	return c.narrowed(text, finding.Filter{})
}

func (c *campus) narrowed(text string, f finding.Filter) func(context.Context) error {
	return func(ctx context.Context) error {
		_, _, err := c.Catalogue.Search(ctx, user.Caller{}, text, f, market.Page{Limit: 20})
		return err
	}
}

// campusName is a university with a twelfth of the users of the demo campus.
const campusName = "Northfield University"

func (c *campus) filtered(f finding.Filter) func(context.Context) error {
	return func(ctx context.Context) error {
		_, _, err := c.Catalogue.List(ctx, user.Caller{}, f, market.Page{Limit: 20})
		return err
	}
}

// priced lists books from a price upwards.
func (c *campus) priced(from money.Amount) func(context.Context) error {
	return c.filtered(finding.Filter{MinPrice: &from})
}

func ptr[T any](v T) *T { return &v }

// deep is an offset far into the list, the same on every campus with enough books.
func (c *campus) deep() int { return min(c.size/2, 50_000) }

// deepCursor is the cursor at deep.
func (c *campus) deepCursor(b *testing.B) market.Cursor {
	p := market.Page{Limit: market.MaxLimit}
	for range c.deep() / market.MaxLimit {
		_, next, err := c.Catalogue.List(b.Context(), user.Caller{}, finding.Filter{}, p)
		check(b, err)
		if next == "" {
			break
		}
		p.Cursor = next
	}
	return p.Cursor
}

func (c *campus) anISBN(b *testing.B) string {
	p := market.Page{Limit: market.MaxLimit}
	for {
		views, next, err := c.Catalogue.List(b.Context(), user.Caller{}, finding.Filter{}, p)
		check(b, err)
		for _, v := range views {
			if v.ISBN != "" {
				return string(v.ISBN)
			}
		}
		if p.Cursor = next; next == "" {
			b.Fatal("no book has an ISBN")
		}
	}
}

func BenchmarkWrite(b *testing.B) {
	c := open(b)
	offer := func(ctx context.Context, n int) (market.BookView, error) {
		return c.Listings.Post(ctx, c.seller, book.Draft{
			Name: fmt.Sprintf("Introduction to Linear Algebra and its Applications %d", n%50), Course: fmt.Sprintf("MTH %d", n%500), Edition: 3,
			Price: 4550, Condition: "Good", Date: time.Now(), Comments: "Some highlighting.",
		})
	}
	buy := func(ctx context.Context, n int) error {
		v, err := offer(ctx, n)
		if err != nil {
			return err
		}
		_, err = c.Checkout.Do(ctx, c.buyer, buying.Basket{Books: []book.ID{v.ID}})
		return err
	}
	b.Run("Post", func(b *testing.B) {
		measure(b, func(n int) error { _, err := offer(b.Context(), n); return err })
	})
	b.Run("PostInACrowd", func(b *testing.B) {
		together(b, func(ctx context.Context, n int) error { _, err := offer(ctx, n); return err })
	})
	b.Run("PostAndBuy", func(b *testing.B) {
		measure(b, func(n int) error { return buy(b.Context(), n) })
	})
	b.Run("PostAndBuyInACrowd", func(b *testing.B) { together(b, buy) })
	b.Run("RequestAndDelete", func(b *testing.B) {
		measure(b, func(n int) error {
			r, _, err := c.Requests.Add(b.Context(), c.buyer, book.RequestDraft{Name: "Topology for the Working Student", Course: fmt.Sprintf("TOP %d", n)})
			if err != nil {
				return err
			}
			return c.Requests.Delete(b.Context(), c.buyer, r.ID)
		})
	})
}

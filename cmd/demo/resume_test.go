package demo_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/demostore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/cmd/demo"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
)

// contents has a query for the rows of each table that a demo fills.
var contents = map[string]string{
	"users": "SELECT * FROM users ORDER BY id", "books": "SELECT * FROM books ORDER BY id", "requests": "SELECT * FROM requests ORDER BY id",
	"request_keys": "SELECT key, request_id, words FROM request_keys ORDER BY request_id, key", "matches": "SELECT * FROM matches ORDER BY id",
	"orders": "SELECT id, book_id, name, name_key, course, course_key, isbn, waited, buyer_id, seller_id, price, fee, status, reason, created_at, verified_at, delivered_at, cancelled_at, verified_by, delivered_by, cancelled_by, university, university_key FROM orders ORDER BY id",
	"ledger": "SELECT order_id, movement, account, amount, at FROM ledger ORDER BY order_id, movement, account", "notification_counters": "SELECT * FROM notification_counters ORDER BY user_id",
	"notifications": "SELECT user_id, id, kind, message, book_id, order_id, created_at, read_at, conversation_id FROM notifications ORDER BY user_id, id",
	"terms":         "SELECT * FROM terms", "spellings": "SELECT spelling, term FROM spellings",
}

// contentsOf returns a digest of each table.
func contentsOf(t *testing.T, db *gormstore.DB) map[string]string {
	t.Helper()
	all := map[string]string{}
	for table, query := range contents {
		var rows []map[string]any
		must.Do(t, db.Read.Raw(query).Scan(&rows).Error)
		lines := make([]string, 0, len(rows))
		for _, r := range rows {
			lines = append(lines, fmt.Sprint(r))
		}
		if !strings.Contains(query, "ORDER BY") {
			slices.Sort(lines)
		}
		all[table] = fmt.Sprintf("%d rows, %x", len(rows), sha256.Sum256([]byte(strings.Join(lines, "\n"))))
	}
	return all
}

var errStopped = errors.New("stopped")

// stopping fails after some batches, or in the middle of Finish.
type stopping struct {
	*demostore.Store
	batches int
	finish  bool
}

func (s *stopping) Load(ctx context.Context, n int, b demostore.Batch) error {
	if s.batches--; s.batches < 0 {
		return errStopped
	}
	return s.Store.Load(ctx, n, b)
}

func (s *stopping) Finish(ctx context.Context, report demo.Progress) error {
	if s.finish {
		return s.Store.Finish(ctx, report)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	return s.Store.Finish(ctx, func(what string, done, of int) {
		if what != "indexes" || done == 3 {
			cancel(errStopped)
		}
	})
}

func TestAnInterruptedDemoIsCompletedAsIfNothingHadHappened(t *testing.T) {
	deep.NotShort(t, "loads a campus twice")
	for name, fresh := range map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{"sqlite": database.SQLite, "postgres": database.Postgres} {
		t.Run(name, func(t *testing.T) {
			c := config(5000, 2500)
			whole, s := open(t, fresh)
			want := must.Get(demo.Fill(t.Context(), s, c, silent))(t)
			broken, s := open(t, fresh)
			for _, at := range []*stopping{{s, 0, true}, {s, 1, true}, {s, 3, true}, {s, 100, false}} {
				if _, err := demo.Fill(t.Context(), at, c, silent); err == nil {
					t.Fatalf("it was not stopped: %+v", at)
				}
				if err := demostore.CheckFinished(t.Context(), broken); err == nil {
					t.Error("an incomplete campus would be served")
				}
				c.Now = c.Now.Add(26 * time.Hour) // it goes on on the next day, with another hash of the password
				c.PasswordHash += "!"
			}
			got, err := demo.Fill(t.Context(), s, c, silent)
			if err != nil || got.Kept != c.Books {
				t.Errorf("%+v, %v", got, err)
			}
			if got.Kept = 0; got != want {
				t.Errorf("totals %+v, want %+v", got, want)
			}
			compare(t, contentsOf(t, broken), contentsOf(t, whole))
			compare(t, schemaOf(t, broken), schemaOf(t, whole))
			if wrong, err := buying.NewLedger(marketstore.New(broken, nil)).Check(t.Context()); err != nil || len(wrong) != 0 {
				t.Errorf("the ledger: %v, %v", wrong, err)
			}
			if err := demostore.CheckFinished(t.Context(), broken); err != nil {
				t.Errorf("it is not finished: %v", err)
			}
		})
	}
}

func compare(t *testing.T, got, want map[string]string) {
	t.Helper()
	for what, w := range want {
		if got[what] != w {
			t.Errorf("%s: %s, want %s", what, got[what], w)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d, want %d", len(got), len(want))
	}
}

// schemaOf returns the definitions of all tables, indexes and triggers.
func schemaOf(t *testing.T, db *gormstore.DB) map[string]string {
	t.Helper()
	query := "SELECT type || ' ' || name AS name, COALESCE(sql, '') AS text FROM sqlite_master"
	if db.Dialect == gormstore.Postgres {
		query = `SELECT indexname AS name, indexdef AS text FROM pg_indexes WHERE schemaname = 'public'
			UNION ALL SELECT 'table ' || table_name, '' FROM information_schema.tables WHERE table_schema = 'public'
			UNION ALL SELECT tgrelid::regclass || ' ' || tgname, tgenabled::text FROM pg_trigger WHERE NOT tgisinternal`
	}
	var rows []struct{ Name, Text string }
	must.Do(t, db.Read.Raw(query).Scan(&rows).Error)
	all := map[string]string{}
	for _, r := range rows {
		all[r.Name] = r.Text
	}
	return all
}

func TestBothEnginesGetTheSameCampus(t *testing.T) {
	var all []map[string]string
	for _, fresh := range []func(testing.TB, ...gormstore.Migrations) *gormstore.DB{database.SQLite, database.Postgres} {
		db, s := open(t, fresh)
		must.Get(demo.Fill(t.Context(), s, config(9000, 300), silent))(t)
		all = append(all, contentsOf(t, db))
	}
	compare(t, all[1], all[0])
}

func TestACampusOfOtherSettingsIsNotCompleted(t *testing.T) {
	db, s := open(t, database.SQLite)
	if _, err := demo.Fill(t.Context(), &stopping{s, 1, true}, config(5000, 60), silent); !errors.Is(err, errStopped) {
		t.Fatal(err)
	}
	before := contentsOf(t, db)
	for _, change := range []func(*demo.Config){
		func(c *demo.Config) { c.Books++ }, func(c *demo.Config) { c.Users++ }, func(c *demo.Config) { c.Seed++ }, func(c *demo.Config) { c.Fee++ },
		func(c *demo.Config) { c.PasswordHash = "" },
	} {
		c := config(5000, 60)
		change(&c)
		var other *demo.OtherCampusError
		if _, err := demo.Fill(t.Context(), s, c, silent); !errors.As(err, &other) || !strings.Contains(err.Error(), "--books 5000 --users 60 --seed 7") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%+v: %v", c, err)
		}
	}
	compare(t, contentsOf(t, db), before)
}

func TestTwoDemosDoNotFillOneDatabaseTogether(t *testing.T) {
	for name, fresh := range map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{"sqlite": database.SQLite, "postgres": database.Postgres} {
		t.Run(name, func(t *testing.T) {
			_, s := open(t, fresh)
			c := config(9000, 60)
			_, err := demo.Fill(t.Context(), &meeting{Store: s, other: func() {
				if _, err := demo.Fill(t.Context(), s, c, silent); err != nil {
					t.Errorf("the other: %v", err)
				}
			}}, c, silent)
			if err == nil {
				t.Error("both filled the database")
			}
		})
	}
}

// meeting runs another demo after the first batch.
type meeting struct {
	*demostore.Store
	other func()
}

func (m *meeting) Load(ctx context.Context, n int, b demostore.Batch) error {
	if n == 2 {
		m.other()
	}
	return m.Store.Load(ctx, n, b)
}

package marketstore_test

import (
	"database/sql"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
)

// The orders of a database that was made before each had its university get that of their book.
func TestOrdersOfAnOlderDatabaseGetTheUniversityOfTheirBook(t *testing.T) {
	deep.NotShort(t, "fills tables with thousands of rows")
	for engine, open := range engines {
		t.Run(engine, func(t *testing.T) {
			older := make([]gormstore.Migrations, len(migrations))
			for i, m := range migrations {
				older[i] = m
				if m.Name == "market" {
					older[i].FS = before(t, m.FS, "00335_campuses.sql")
				}
			}
			db := open(t, older...)
			if engine == "postgres" { // what counted then takes long
				run(t, db, "ALTER TABLE books DISABLE TRIGGER USER")
				run(t, db, "ALTER TABLE orders DISABLE TRIGGER USER")
			}
			for _, statement := range manyBooks[engine] {
				if strings.Contains(statement, "INTO books") {
					run(t, db, statement)
				}
			}
			for _, statement := range manyPeople {
				if strings.HasPrefix(statement, "INSERT INTO orders") {
					statement = strings.NewReplacer(", university, university_key", "", ", 'U' || i % 300, 'u' || i % 300", "").Replace(statement)
					run(t, db, statement+rowsOf[engine])
				}
			}
			must.Do(t, db.Migrate(t.Context(), migrations...))
			_, read := db.SQL()
			var name, key string
			var other sql.NullInt64
			must.Do(t, read.QueryRow("SELECT university, university_key FROM orders WHERE id = 15").Scan(&name, &key))
			must.Do(t, read.QueryRow("SELECT min(o.id) FROM orders o JOIN books b ON b.id = o.book_id WHERE o.university_key <> b.university_key").Scan(&other))
			if name != "U" || key != "u2" || other.Valid {
				t.Errorf("order 15 is at %q, %q, and %v at another than its book", name, key, other)
			}
		})
	}
}

// before returns a copy of the migrations that come before a file.
func before(t *testing.T, all fs.FS, file string) fs.FS {
	t.Helper()
	left := fstest.MapFS{}
	must.Do(t, fs.WalkDir(all, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() >= file {
			return err
		}
		text, err := fs.ReadFile(all, path)
		left[path] = &fstest.MapFile{Data: text}
		return err
	}))
	return left
}

// The reports of a database that was made before each had a university get that of what was seen.
func TestReportsOfAnOlderDatabaseGetTheUniversityAtWhichTheyWereMade(t *testing.T) {
	for engine, open := range engines {
		t.Run(engine, func(t *testing.T) {
			older := make([]gormstore.Migrations, len(migrations))
			for i, m := range migrations {
				if older[i] = m; m.Name == "market" {
					older[i].FS = before(t, m.FS, "00500_report_campus.sql")
				}
			}
			db := open(t, older...)
			for id, seen := range map[int]string{
				1: `{"Book":{"Name":"Calculus","University":"École"},"Person":{"FirstName":"Ann","University":"Yale"},"Messages":null}`,
				2: `{"Book":null,"Person":{"FirstName":"Ann","University":"Yale \"1\""},"Messages":[{"From":1,"FirstName":"Bob","Text":"a\\u0000b \u2028"}]}`,
				3: `{"Book":null,"Person":{"FirstName":"","University":""},"Messages":null}`,
			} {
				run(t, db, `INSERT INTO reports (id, reporter_id, target_kind, target_id, about_id, reason, text, seen, hid, created_at, action, note, resolved_by, resolved_at)
					VALUES (?, 7, 2, ?, 8, 'spam', '', ?, 0, 1, '', '', 0, 0)`, id, id, seen)
			}
			must.Do(t, db.Migrate(t.Context(), migrations...))
			_, read := db.SQL()
			for id, want := range map[int]string{1: "École", 2: `Yale "1"`, 3: ""} {
				var got string
				if must.Do(t, read.QueryRow("SELECT university FROM reports WHERE id = "+string(rune('0'+id))).Scan(&got)); got != want {
					t.Errorf("report %d is at %q, want %q", id, got, want)
				}
			}
		})
	}
}

// soldBefore are sales of a database that did not record how books were handed over: the seller
// has typed a code, an admin has charged and paid, an admin has done so for an own book in two
// calls, the buyer is charged, was refunded, and waits.
var soldBefore = []struct {
	status, verified, delivered int
	verifiedBy, deliveredBy     int
	handover, at                int // afterwards
}{
	{3, 70, 70, 2, 2, 2, 70}, {3, 70, 80, 9, 9, 1, 70}, {3, 70, 80, 2, 2, 1, 70}, {2, 70, 0, 9, 0, 1, 70}, {-1, 70, 0, 9, 0, 1, 70}, {1, 0, 0, 0, 0, 0, 0},
}

func TestAnOlderDatabaseLearnsHowItsBooksWereHandedOver(t *testing.T) {
	for engine, open := range engines {
		t.Run(engine, func(t *testing.T) {
			older := make([]gormstore.Migrations, len(migrations))
			for i, m := range migrations {
				if older[i] = m; m.Name == "market" {
					older[i].FS = before(t, m.FS, "00510_settlement.sql")
				}
			}
			db := open(t, older...)
			for i, o := range soldBefore {
				book := o.status
				buyer := 3
				if o.status < 0 {
					book, buyer = 0, 0
				}
				run(t, db, fmt.Sprintf(`INSERT INTO books (id, seller_id, buyer_id, status, name, course, edition, price, grade, available_at, comments, isbn, university, created_at, listed_at, title_key, course_key, university_key)
					VALUES (%d, 2, %d, %d, 'A', 'A', 1, 1000, 1, 0, '', '', 'U', 1, 1, 'a', 'a', 'u')`, i+1, buyer, book))
				run(t, db, fmt.Sprintf(`INSERT INTO orders (id, book_id, name, name_key, course, course_key, waited, buyer_id, seller_id, price, fee, status, reason,
					created_at, verified_at, delivered_at, cancelled_at, verified_by, delivered_by, cancelled_by, university, university_key)
					VALUES (%d, %d, 'A', 'a', 'A', 'a', 1, 3, 2, 1000, 50, %d, '', 5, %d, %d, 0, %d, %d, 0, 'U', 'u')`, i+1, i+1, o.status, o.verified, o.delivered, o.verifiedBy, o.deliveredBy))
			}
			run(t, db, "INSERT INTO ledger (order_id, movement, account, amount, at) VALUES (4, 1, 1, -1050, 70), (4, 1, 2, 1050, 70), (4, 2, 2, -50, 70), (4, 2, 3, 50, 70)")
			must.Do(t, db.Migrate(t.Context(), migrations...))
			_, read := db.SQL()
			for i, o := range soldBefore {
				var handover, at int
				must.Do(t, read.QueryRow(fmt.Sprintf("SELECT handover, handed_over_at FROM orders WHERE id = %d", i+1)).Scan(&handover, &at))
				if handover != o.handover || at != o.at {
					t.Errorf("order %d was handed over in way %d at %d, want %d at %d", i+1, handover, at, o.handover, o.at)
				}
			}
			ledgerStays(t, db)
		})
	}
}

// ledgerStays checks what the ledger of a migrated database holds and refuses.
func ledgerStays(t *testing.T, db *gormstore.DB) {
	t.Helper()
	write, read := db.SQL()
	var n int
	must.Do(t, read.QueryRow("SELECT count(*) FROM ledger").Scan(&n))
	if n != 4 {
		t.Errorf("the ledger has %d entries, want 4", n)
	}
	run(t, db, "INSERT INTO ledger (order_id, movement, account, amount, at) VALUES (6, 5, 1, -1000, 90), (6, 5, 4, 1000, 90)")
	for _, statement := range []string{
		"DELETE FROM ledger WHERE order_id = 4", "UPDATE ledger SET amount = 1 WHERE order_id = 4",
		"INSERT INTO ledger (order_id, movement, account, amount, at) VALUES (6, 6, 1, 1, 90)",
	} {
		if _, err := write.ExecContext(t.Context(), statement); err == nil {
			t.Errorf("%s is not refused", statement)
		}
	}
}

const insertChores = `INSERT INTO chores (id, kind, subject, key, after, attempts, due_at, dead, error)
VALUES (11, 1, 5, 'w:"it"', 9007199254740993, 0, 0, 0, ''), (12, 7, 6, '', 3, 2, 4102444800000000, 0, 'once'), (13, 5, 7, '', 0, 8, 1700000000000000, 1, 'broken')`

func TestJobsThatWaitDuringAnUpgradeAreDoneByTheNewRelease(t *testing.T) {
	for engine, open := range map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{"sqlite": database.SQLite, "postgres": database.Postgres} {
		t.Run(engine, func(t *testing.T) {
			db := open(t, authstore.Migrations, outboxstore.Migrations)
			must.Do(t, db.Migrate(t.Context(), gormstore.Migrations{Name: marketstore.Migrations.Name, FS: before(t, marketstore.Migrations.FS, "00600")}))
			must.Do(t, db.Write.Exec(insertChores).Error)
			must.Do(t, db.Migrate(t.Context(), workstore.Migrations, marketstore.Migrations))
			movedJobs(t, db)
		})
	}
}

// movedJobs checks the jobs of insertChores.
func movedJobs(t *testing.T, db *gormstore.DB) {
	t.Helper()
	all := must.Get(workstore.New(db).ListJobs(t.Context(), 10))(t)
	got := map[int64]job.Job{}
	for _, j := range all {
		got[j.ID] = j
	}
	want := map[int64]job.Job{
		11: {ID: 11, Kind: market.MatchBook, Subject: 5, DueAt: got[11].DueAt},
		12: {ID: 12, Kind: market.PostImport, Subject: 6, DueAt: time.UnixMicro(4102444800000000).UTC(), Attempts: 2, Error: "once"},
		13: {ID: 13, Kind: market.ForgetHits, Subject: 7, DueAt: time.UnixMicro(1700000000000000).UTC(), Attempts: 8, Dead: true, Error: "broken"},
	}
	args := map[int64]market.JobArgs{11: {Key: `w:"it"`, After: 9007199254740993}, 12: {After: 3}, 13: {}}
	for id, w := range want {
		a, err := market.ParseJobArgs(got[id].Args)
		g := got[id]
		g.Args = ""
		if g != w || err != nil || a != args[id] || time.Since(g.DueAt) < -time.Minute && id != 12 {
			t.Errorf("job %d is %+v with %+v, %v", id, g, a, err)
		}
	}
	if len(got) != len(want) {
		t.Errorf("there are %+v", all)
	}
}

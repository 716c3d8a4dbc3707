package partition_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/partition"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
)

func TestMain(m *testing.M) { os.Exit(database.Main(m)) }

var autumn = time.Date(2026, time.November, 24, 9, 0, 0, 0, time.UTC)

// things is a table with the two partitions that a migration makes.
type things struct {
	partition.Quarters
	t    *testing.T
	db   *gormstore.DB
	pool *sql.DB
}

func openThings(t *testing.T) things {
	t.Helper()
	db := database.Postgres(t, gormstore.Migrations{Name: "things", FS: fstest.MapFS{"postgres/00100_things.sql": {Data: fmt.Appendf(nil, `-- +goose Up
		CREATE TABLE things (id BIGINT PRIMARY KEY) PARTITION BY RANGE (id);
		CREATE TABLE things_earlier PARTITION OF things FOR VALUES FROM (MINVALUE) TO (%[1]d);
		CREATE TABLE things_later PARTITION OF things FOR VALUES FROM (%[1]d) TO (MAXVALUE);`, id.First(month(2026, 10)))}}})
	pool, _ := db.SQL()
	return things{partition.On(db, "things", "id"), t, db, pool}
}

func month(year int, m time.Month) time.Time { return time.Date(year, m, 1, 0, 0, 0, 0, time.UTC) }

// insert inserts a row for each time.
func (s things) insert(all ...time.Time) {
	s.t.Helper()
	for _, at := range all {
		s.do("INSERT INTO things VALUES ($1)", id.First(at))
	}
}

func (s things) do(statement string, args ...any) {
	s.t.Helper()
	must.Get(s.pool.ExecContext(s.t.Context(), statement, args...))(s.t)
}

func (s things) prepare(now time.Time) {
	s.t.Helper()
	must.Do(s.t, s.Prepare(s.t.Context(), now))
}

func always(context.Context, rawsql.Conn, partition.Range) (bool, error) { return true, nil }

func (s things) dropBefore(at time.Time, closing partition.Closing) {
	s.t.Helper()
	must.Do(s.t, s.DropBefore(s.t.Context(), at, closing))
}

// expect compares the partitions, with the number of rows in each, and checks that they leave no gap.
func (s things) expect(want string) {
	s.t.Helper()
	all := must.Get(partition.List(s.t.Context(), rawsql.On(s.db.Read), "things"))(s.t)
	var got []string
	for n, r := range all {
		var rows int
		must.Do(s.t, s.pool.QueryRowContext(s.t.Context(), "SELECT count(*) FROM "+r.Name).Scan(&rows))
		got = append(got, fmt.Sprint(strings.TrimPrefix(r.Name, "things_"), ":", rows))
		if n > 0 && all[n-1].Upper != r.Lower {
			s.t.Errorf("there is a gap before %s: %+v", r.Name, all)
		}
	}
	if joined := strings.Join(got, " "); joined != want {
		s.t.Errorf("there are %s, want %s", joined, want)
	}
}

func TestEachQuarterGetsItsPartitionBeforeItBegins(t *testing.T) {
	s := openThings(t)
	s.expect("earlier:0 later:0")
	for range 2 {
		s.prepare(autumn)
	}
	s.insert(month(2025, 1), autumn, month(2027, 1).Add(-time.Millisecond), month(2027, 1), month(2027, 4), month(2090, 1))
	s.expect("earlier:1 2026q4:2 2027q1:1 later:2")
}

func TestRowsOfAYearWithoutHousekeepingGetOnePartition(t *testing.T) {
	s := openThings(t)
	s.insert(autumn, month(2027, 5), month(2027, 9), month(2090, 1)) // the last by a wrong clock
	s.prepare(month(2027, 9))
	s.expect("earlier:0 2026q4_2027q4:3 later:1")
	s.prepare(month(2027, 12))
	s.expect("earlier:0 2026q4_2027q4:3 2028q1:0 later:1")
}

func TestOnlyPartitionsThatAreWhollyOldAreDropped(t *testing.T) {
	s := openThings(t)
	s.prepare(autumn)
	s.prepare(month(2027, 6))
	s.insert(month(2020, 1), autumn, month(2027, 2), month(2027, 5))
	s.expect("earlier:1 2026q4:1 2027q1:1 2027q2:1 2027q3:0 later:0")
	s.dropBefore(autumn, always)
	s.expect("earlier:0 2026q4:1 2027q1:1 2027q2:1 2027q3:0 later:0")
	s.dropBefore(month(2027, 6), always)
	s.expect("earlier:0 2027q2:1 2027q3:0 later:0")
	s.insert(month(2020, 1)) // by a wrong clock
	s.expect("earlier:1 2027q2:1 2027q3:0 later:0")
	s.dropBefore(month(2040, 1), always)
	s.expect("earlier:0 later:0")
	s.insert(month(2020, 2), month(2050, 1))
	s.expect("earlier:1 later:1")
}

func TestAPartitionThatIsStillNeededStaysAndSoDoLaterOnes(t *testing.T) {
	s := openThings(t)
	s.prepare(autumn)
	s.prepare(month(2027, 6))
	s.insert(month(2020, 1), autumn, month(2027, 2), month(2027, 5))
	s.dropBefore(month(2040, 1), func(_ context.Context, _ rawsql.Conn, r partition.Range) (bool, error) {
		return r.Name != "things_2027q1", nil
	})
	s.expect("earlier:0 2027q1:1 2027q2:1 2027q3:0 later:0")
}

// A backup locks every table for as long as it takes.
func TestDuringABackupRowsAreStoredAndPartitionsStayAsTheyAre(t *testing.T) {
	s := openThings(t)
	s.insert(month(2020, 1))
	backup := must.Get(s.pool.BeginTx(t.Context(), nil))(t)
	defer func() { _ = backup.Rollback() }()
	must.Get(backup.ExecContext(t.Context(), "LOCK TABLE things IN ACCESS SHARE MODE"))(t)
	s.prepare(autumn)
	s.dropBefore(autumn, always)
	s.insert(autumn)
	s.expect("earlier:1 later:1")
	must.Do(t, backup.Commit())
	s.prepare(autumn)
	s.dropBefore(autumn, always)
	s.expect("earlier:0 2026q4_2027q1:1 later:0")
}

// Two processes change the partitions while others insert rows of all times.
func TestNoRowIsRefusedOrLostWhilePartitionsComeAndGo(t *testing.T) {
	s := openThings(t)
	ctx, cancel := context.WithCancel(t.Context())
	var changing, inserting sync.WaitGroup
	for range 2 {
		changing.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				now := month(2026, time.Month(1+n%60))
				if err := s.Prepare(t.Context(), now); err != nil {
					t.Error(err)
				}
				if err := s.DropBefore(t.Context(), now.AddDate(-1, 0, 0), always); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for n := range 2 {
		inserting.Go(func() {
			for i := range 100 {
				s.db.Write.Exec("INSERT INTO things VALUES (?)", id.First(month(2027+n, time.Month(1+i%24))))
				newest := id.First(month(2060, 1)) + int64(2*i+n)
				if err := s.db.Write.Exec("INSERT INTO things VALUES (?)", newest).Error; err != nil {
					t.Error(err)
				}
			}
		})
	}
	inserting.Wait()
	cancel()
	changing.Wait()
	var stored int
	if err := s.pool.QueryRowContext(t.Context(), "SELECT count(*) FROM things WHERE id >= $1", id.First(month(2060, 1))).Scan(&stored); err != nil || stored != 200 {
		t.Errorf("of 200 rows that were not old, %d are stored, %v", stored, err)
	}
}

// Partitions change only once those who have inserted have committed.
func TestARowThatIsNotCommittedYetIsNotDropped(t *testing.T) {
	s := openThings(t)
	tx := must.Get(s.pool.BeginTx(t.Context(), nil))(t)
	must.Get(tx.ExecContext(t.Context(), "INSERT INTO things VALUES ($1)", id.First(autumn)))(t)
	prepared := make(chan error, 1)
	go func() { prepared <- s.Prepare(t.Context(), autumn) }()
	for waiting := 0; waiting == 0 && len(prepared) == 0; { // it gives up after a moment on a busy machine
		must.Do(t, s.pool.QueryRowContext(t.Context(), "SELECT count(*) FROM pg_locks WHERE NOT granted").Scan(&waiting))
	}
	must.Do(t, tx.Commit())
	must.Do(t, <-prepared)
	s.prepare(autumn)
	s.expect("earlier:0 2026q4_2027q1:1 later:0")
}

func TestARowIsReadFromTheNewestPartitionWithoutSorting(t *testing.T) {
	s := openThings(t)
	s.prepare(autumn)
	s.do("INSERT INTO things SELECT $1::bigint + n FROM generate_series(1, 10000) n", id.First(autumn))
	s.do("ANALYZE things")
	var plan []string
	rows, err := s.pool.QueryContext(t.Context(), "EXPLAIN SELECT id FROM things WHERE id < $1 ORDER BY id DESC LIMIT 1", id.First(month(2060, 1)))
	must.Do(t, err)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var line string
		must.Do(t, rows.Scan(&line))
		plan = append(plan, line)
	}
	if slices.ContainsFunc(plan, func(line string) bool { return strings.Contains(line, "Merge") || strings.Contains(line, "Sort") }) || rows.Err() != nil {
		t.Errorf("%v, %s", rows.Err(), strings.Join(plan, "\n"))
	}
}

package rawsql_test

import (
	"slices"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
)

func TestPlaceholdersAreWrittenForTheDialect(t *testing.T) {
	const statement = "SELECT a FROM t WHERE b = ? AND c = 'é' LIMIT ?"
	for dialect, want := range map[gormstore.Dialect]string{
		gormstore.SQLite:   "SELECT a FROM t WHERE b = ? AND c = 'é' LIMIT ? + 0",
		gormstore.Postgres: "SELECT a FROM t WHERE b = $1 AND c = 'é' LIMIT $2",
	} {
		for range 2 { // the second is cached
			if got := rawsql.Bind(dialect, statement); got != want {
				t.Errorf("%s: got %q, want %q", dialect, got, want)
			}
		}
	}
}

func TestAListIsPaddedWithItsLastValue(t *testing.T) {
	marks, args := rawsql.In([]int{1, 2, 3})
	if marks != "?, ?, ?, ?" || len(args) != 4 || args[2] != 3 || args[3] != 3 {
		t.Errorf("got %s with %v", marks, args)
	}
}

func TestRowsAreSplitIntoBatchesOfFewSizes(t *testing.T) {
	for n, want := range map[int][]int{0: nil, 1: {1}, 7: {4, 2, 1}, 64: {64}, 165: {64, 64, 32, 4, 1}} {
		rows := make([]int, n)
		for i := range rows {
			rows[i] = i
		}
		var sizes, all []int
		for batch := range rawsql.Batches(rows) {
			sizes, all = append(sizes, len(batch)), append(all, batch...)
		}
		if !slices.Equal(sizes, want) || !slices.Equal(all, rows) {
			t.Errorf("%d rows are split into %v with %v", n, sizes, all)
		}
	}
	marks, args := rawsql.Values([]int{1, 2}, func(n int) []any { return []any{n, "text"} })
	if marks != "(?, ?), (?, ?)" || !slices.Equal(args, []any{1, "text", 2, "text"}) {
		t.Errorf("%s with %v", marks, args)
	}
}

func TestATimeIsStoredToTheMicrosecondAndTheZeroTimeAsZero(t *testing.T) {
	at := time.Date(2026, 11, 22, 9, 30, 0, 123456789, time.FixedZone("", 3600))
	if got := rawsql.Time(rawsql.Micros(at)); !got.Equal(at.Truncate(time.Microsecond)) || got.Location() != time.UTC {
		t.Errorf("got %s", got)
	}
	if rawsql.Micros(time.Time{}) != 0 || !rawsql.Time(0).IsZero() {
		t.Error("the zero time is not 0")
	}
}

func TestAStoredTimeThatIsNotANumberIsRefused(t *testing.T) {
	var at time.Time
	if err := rawsql.ScanTime(&at).Scan("2026-11-22"); err == nil {
		t.Errorf("got %s", at)
	}
	if err := rawsql.ScanTime(&at).Scan(int64(1)); err != nil || !at.Equal(time.UnixMicro(1)) {
		t.Errorf("got %s, %v", at, err)
	}
}

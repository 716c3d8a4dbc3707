package partition

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/id"
	"gorm.io/gorm"
)

// Quarters is a table with a partition for the ids of each quarter of a year in UTC, such as
// audit_entries_2026q4. All ids before them are in NAME_earlier and all after them in NAME_later, so
// that every row has a partition. In contrast to a default partition these two have bounds:
// Postgres reads the partitions in the order of their ids and stops at a limit.
type Quarters struct {
	Table, Key string // Key is the column of the ids
	db         *gormstore.DB
}

// On returns the table in a database.
func On(db *gormstore.DB, table, key string) Quarters { return Quarters{table, key, db} }

// maxMoved bounds the rows that a transaction moves from one partition to another.
const maxMoved = 10_000

// Prepare creates the partitions of this quarter and the next one. It does nothing if they exist,
// or if others would have to wait for it: until the next call their rows are in NAME_later.
func (q Quarters) Prepare(ctx context.Context, now time.Time) error {
	end := id.First(quarter(now, 2))
	later, err := q.readLater(ctx, rawsql.On(q.db.Read))
	if err != nil || later.Lower >= end {
		return err
	}
	_, err = q.Change(ctx, func(ctx context.Context, c rawsql.Conn) error {
		later, err := q.readLater(ctx, c)
		if err != nil || later.Lower >= end { // another process was faster
			return err
		}
		return q.splitLater(ctx, c, later, end)
	})
	return err
}

// Change is Transact.Change on the database, with a lock of this table: while fn runs, no other
// process changes its partitions.
func (q Quarters) Change(ctx context.Context, fn func(context.Context, rawsql.Conn) error) (postponed bool, err error) {
	run := Transact(func(ctx context.Context, fn func(context.Context, rawsql.Conn) error) error {
		return q.db.Atomically(ctx, func(tx *gorm.DB) error { return fn(tx.Statement.Context, rawsql.On(tx)) })
	})
	return run.Change(ctx, q.Table+" partitions", fn)
}

func (q Quarters) readLater(ctx context.Context, c rawsql.Conn) (Range, error) {
	all, err := List(ctx, c, q.Table)
	if err != nil || len(all) == 0 {
		return Range{}, err
	}
	return all[len(all)-1], nil
}

// splitLater makes partitions up to end of NAME_later. Usually that is empty. If it is not,
// because the program was off for months, it becomes one partition for all these quarters, so
// that only rows from a clock that is wrong have to move.
func (q Quarters) splitLater(ctx context.Context, c rawsql.Conn, later Range, end int64) error {
	if err := Detach(ctx, c, later); err != nil {
		return err
	}
	used, err := isUsed(ctx, c, later) // nobody can insert any more
	if err != nil {
		return err
	}
	if used {
		return q.keepLater(ctx, c, later, end)
	}
	if err := Drop(ctx, c, later); err != nil {
		return err
	}
	for lower := later.Lower; lower < end; {
		upper := id.First(quarter(id.Time(lower), 1))
		if err := Create(ctx, c, Range{q.Table, q.name(lower, upper), lower, upper}, ""); err != nil {
			return err
		}
		lower = upper
	}
	return Create(ctx, c, q.later(end), "")
}

// keepLater makes the detached NAME_later a partition up to end. If too many rows are beyond, it
// leaves it as it was.
func (q Quarters) keepLater(ctx context.Context, c rawsql.Conn, old Range, end int64) error {
	full, beyond := Range{q.Table, q.name(old.Lower, end), old.Lower, end}, q.later(end)
	if err := Define(ctx, c, "ALTER TABLE %s RENAME TO %s", old.Name, full.Name); err != nil {
		return err
	}
	if err := Create(ctx, c, beyond, ""); err != nil {
		return err
	}
	misplaced := fmt.Sprintf("%s WHERE %s >= %d", full.Name, q.Key, end)
	n, _, err := rawsql.One(ctx, c, rawsql.Integer[int], "SELECT count(*) FROM (SELECT 1 FROM "+misplaced+" LIMIT ?) AS beyond", maxMoved+1)
	if err != nil {
		return err
	}
	if n > maxMoved {
		return ErrKeep
	}
	if err := Define(ctx, c, "WITH moved AS (DELETE FROM %s RETURNING *) INSERT INTO %s SELECT * FROM moved", misplaced, beyond.Name); err != nil {
		return err
	}
	return Attach(ctx, c, full)
}

// Closing is called with a detached partition in the transaction that drops it, when nobody can
// insert into it any more. If it returns false, the partition stays, and so do all later ones.
type Closing func(ctx context.Context, c rawsql.Conn, r Range) (bool, error)

// DropBefore drops the partitions that end before t, oldest first. Those that it cannot drop
// without making others wait are dropped in a later call.
func (q Quarters) DropBefore(ctx context.Context, t time.Time, closing Closing) error {
	all, err := List(ctx, rawsql.On(q.db.Read), q.Table)
	if err != nil {
		return err
	}
	for _, r := range all {
		if r.Upper > id.First(t) {
			break
		}
		if dropped, err := q.drop(ctx, r, closing); err != nil || !dropped {
			return err
		}
	}
	return nil
}

// drop drops NAME_earlier or what follows it, and replaces both by an empty NAME_earlier.
func (q Quarters) drop(ctx context.Context, r Range, closing Closing) (dropped bool, err error) {
	postponed, err := q.Change(ctx, func(ctx context.Context, c rawsql.Conn) error {
		dropped = false
		all, err := List(ctx, c, q.Table)
		if err != nil {
			return err
		}
		n := slices.Index(all, r)
		if n != 0 && n != 1 { // another process has dropped it
			return ErrKeep
		}
		used, err := isUsed(ctx, c, all[0])
		if dropped = n == 0 && !used; err != nil || dropped {
			return err
		}
		if err := q.merge(ctx, c, all[:n+1], closing); err != nil {
			return err
		}
		dropped = true
		return nil
	})
	return dropped && !postponed, err
}

// merge replaces NAME_earlier and the partition after it, or NAME_earlier alone, by an empty NAME_earlier.
func (q Quarters) merge(ctx context.Context, c rawsql.Conn, old []Range, closing Closing) error {
	for _, o := range old {
		if err := Detach(ctx, c, o); err != nil {
			return err
		}
	}
	last := old[len(old)-1]
	if len(old) > 1 {
		if used, err := isUsed(ctx, c, old[0]); err != nil || used {
			return cmp.Or(err, ErrKeep)
		}
	}
	if ready, err := closing(ctx, c, last); err != nil || !ready {
		return cmp.Or(err, ErrKeep)
	}
	for _, o := range old {
		if err := Drop(ctx, c, o); err != nil {
			return err
		}
	}
	return Create(ctx, c, q.earlier(last.Upper), "")
}

func isUsed(ctx context.Context, c rawsql.Conn, r Range) (bool, error) {
	_, found, err := rawsql.One(ctx, c, rawsql.Integer[int], "SELECT 1 FROM "+r.Name+" LIMIT 1")
	return found, err
}

// Earlier is the name of NAME_earlier, whose rows can be older than any time to keep: it holds
// those that there were before the table had partitions.
func (q Quarters) Earlier() string { return q.Table + "_earlier" }

func (q Quarters) earlier(upper int64) Range {
	return Range{q.Table, q.Earlier(), math.MinInt64, upper}
}

func (q Quarters) later(lower int64) Range {
	return Range{q.Table, q.Table + "_later", lower, math.MaxInt64}
}

// name names a partition for its first quarter and, if that is another one, its last.
func (q Quarters) name(lower, upper int64) string {
	first, last := quarterName(id.Time(lower)), quarterName(id.Time(upper-1))
	if first == last {
		return q.Table + "_" + first
	}
	return q.Table + "_" + first + "_" + last
}

func quarterName(t time.Time) string {
	return fmt.Sprintf("%dq%d", t.Year(), (int(t.Month())+2)/3)
}

// quarter returns the beginning of the nth quarter after that of t.
func quarter(t time.Time, n int) time.Time {
	t = t.UTC()
	first := (t.Month()-1)/3*3 + 1
	return time.Date(t.Year(), first+time.Month(3*n), 1, 0, 0, 0, 0, time.UTC)
}

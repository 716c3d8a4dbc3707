package groupcommit_test

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/octavo-books/octavo/adapters/gormstore/groupcommit"
	"github.com/octavo-books/octavo/test/must"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// kinds are the two kinds of writer, both on SQLite.
var kinds = map[string]func(*sql.DB) *groupcommit.Writer{
	"shared":   func(pool *sql.DB) *groupcommit.Writer { return groupcommit.Shared(pool, endsTransaction) },
	"separate": groupcommit.Separate,
}

func endsTransaction(err error) bool {
	var e *sqlite.Error
	return errors.As(err, &e) && e.Code()&0xff != sqlite3.SQLITE_CONSTRAINT
}

// fixture is a writer on a file with a table of notes, and a pool that reads it.
type fixture struct {
	*testing.T
	*groupcommit.Writer
	read *sql.DB
}

func open(t *testing.T, kind string) *fixture {
	t.Helper()
	file := "file:" + filepath.Join(t.TempDir(), "test.db") + "?_pragma=journal_mode(WAL)&_txlock="
	var pools [2]*sql.DB
	for i, lock := range []string{"immediate", "deferred"} {
		pool := must.Get(sql.Open("sqlite", file+lock))(t)
		t.Cleanup(func() { _ = pool.Close() })
		pool.SetMaxOpenConns(1)
		pools[i] = pool
	}
	must.Get(pools[0].ExecContext(t.Context(), "CREATE TABLE notes (word TEXT PRIMARY KEY, n INTEGER)"))(t)
	return &fixture{t, kinds[kind](pools[0]), pools[1]}
}

// shared runs a test on a writer whose callers share transactions, in a bubble where
// synctest.Wait returns when all of them are blocked.
func shared(t *testing.T, test func(b *fixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(open(t, "shared")) })
}

// onEach runs a test on both kinds of writer.
func onEach(t *testing.T, test func(b *fixture)) {
	for kind := range kinds {
		t.Run(kind, func(t *testing.T) { test(open(t, kind)) })
	}
}

// words returns the committed notes.
func (b *fixture) words() string {
	b.Helper()
	return must.Get(words(b.Context(), b.read))(b)
}

func words(ctx context.Context, from interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}) (string, error) {
	rows, err := from.QueryContext(ctx, "SELECT word FROM notes")
	if err != nil {
		return "", err
	}
	defer func() { _ = rows.Close() }()
	var all []string
	for rows.Next() {
		var word string
		if err := rows.Scan(&word); err != nil {
			return "", err
		}
		all = append(all, word)
	}
	slices.Sort(all)
	return strings.Join(all, " "), rows.Err()
}

const insertNote = "INSERT INTO notes VALUES (?, 0)"

func insert(word string) groupcommit.Func {
	return func(ctx context.Context, tx *groupcommit.Tx) error {
		return must.Err(tx.ExecContext(ctx, insertNote, word))
	}
}

// caller is a caller of Transact and its result.
type caller struct {
	do  groupcommit.Func
	ctx context.Context //nolint:containedctx // each caller has its own
	err error
	tx  *groupcommit.Tx // of the last run
	ran int
}

// together queues callers in their order while the first one runs.
func (b *fixture) together(callers ...*caller) {
	b.Helper()
	var wg sync.WaitGroup
	all := make(chan struct{})
	for i, c := range callers {
		wg.Go(func() {
			defer func() { _ = recover() }()
			c.err = b.Transact(cmp.Or(c.ctx, b.Context()), func(ctx context.Context, tx *groupcommit.Tx) error {
				c.tx, c.ran = tx, c.ran+1
				if i == 0 && c.ran == 1 {
					<-all
				}
				return c.do(ctx, tx)
			})
		})
		synctest.Wait()
	}
	close(all)
	wg.Wait()
}

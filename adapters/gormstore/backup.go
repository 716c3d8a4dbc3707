package gormstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"modernc.org/sqlite"
)

// ErrNoBackupOnPostgres refuses a backup of Postgres, which has its own tools.
var ErrNoBackupOnPostgres = errors.New("this database is Postgres: back it up with pg_dump")

// pagesPerStep is how many pages are copied between checks of the context.
const pagesPerStep = 4096

// Backup copies a consistent snapshot of the database to a new file, while others read
// and write. It then reads the whole copy and compares the number of rows of each table
// with the snapshot. On Postgres the error is ErrNoBackupOnPostgres.
func (db *DB) Backup(ctx context.Context, path string) (err error) {
	if db.Dialect != SQLite {
		return ErrNoBackupOnPostgres
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) //nolint:gosec // the operator chose it
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	conn, err := db.readPool.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	rows, err := copySnapshot(ctx, conn, path)
	if err != nil {
		return fmt.Errorf("back up to %s: %w", path, err)
	}
	return checkCopy(ctx, path, rows)
}

// copySnapshot copies and counts the rows within one read transaction: it blocks nobody,
// and later writes are not in the copy.
func copySnapshot(ctx context.Context, conn *sql.Conn, path string) (rows map[string]int64, err error) {
	if _, err := conn.ExecContext(ctx, "BEGIN"); err != nil {
		return nil, err
	}
	defer func() { _, _ = conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") }()
	if rows, err = countRows(ctx, conn); err != nil {
		return nil, err
	}
	return rows, conn.Raw(func(driver any) error { return copyPages(ctx, driver, path) })
}

func copyPages(ctx context.Context, driver any, path string) error {
	source, ok := driver.(interface {
		NewBackup(dst string) (*sqlite.Backup, error)
	})
	if !ok {
		return fmt.Errorf("%T cannot make backups", driver)
	}
	backup, err := source.NewBackup(sqliteFile(path))
	if err != nil {
		return err
	}
	for more := true; more && err == nil; {
		if more, err = backup.Step(pagesPerStep); err == nil {
			err = ctx.Err()
		}
	}
	return errors.Join(err, backup.Finish())
}

// checkCopy checks the file by itself, as a restore would use it.
func checkCopy(ctx context.Context, path string, rows map[string]int64) error {
	pool, err := sql.Open("sqlite", sqliteFile(path)+"?mode=ro&immutable=1")
	if err != nil {
		return err
	}
	defer func() { _ = pool.Close() }()
	found, err := queryTexts(ctx, pool, "PRAGMA integrity_check(1)") // the first damage or ok
	if err != nil {
		return fmt.Errorf("read the copy %s: %w", path, err)
	}
	if found[0] != "ok" {
		return fmt.Errorf("the copy %s is damaged: %s", path, found[0])
	}
	copied, err := countRows(ctx, pool)
	if err != nil {
		return fmt.Errorf("read the copy %s: %w", path, err)
	}
	for table, n := range rows {
		m, there := copied[table]
		if !there {
			return fmt.Errorf("the copy %s lacks the table %s", path, table)
		}
		if m != n {
			return fmt.Errorf("the copy %s has %d rows of %s, not %d", path, m, table, n)
		}
	}
	return nil
}

// querier is a pool or a connection.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// countRows counts the rows of every table of a SQLite file.
func countRows(ctx context.Context, q querier) (map[string]int64, error) {
	tables, err := queryTexts(ctx, q, "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow')")
	if err != nil {
		return nil, err
	}
	rows := make(map[string]int64, len(tables))
	for _, table := range tables {
		var n int64
		if err := q.QueryRowContext(ctx, "SELECT count(*) FROM "+quoteIdentifier(table)).Scan(&n); err != nil {
			return nil, fmt.Errorf("count the rows of %s: %w", table, err)
		}
		rows[table] = n
	}
	return rows, nil
}

// queryTexts reads one column of text.
func queryTexts(ctx context.Context, q querier, query string, args ...any) ([]string, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	var all []string
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

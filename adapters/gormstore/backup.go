package gormstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"

	"modernc.org/sqlite"
)

// ErrBackupElsewhere says that Postgres has tools of its own for this.
var ErrBackupElsewhere = errors.New("this database is Postgres: back it up with pg_dump")

// pagesPerStep is how much of a backup is copied before it looks whether it shall go on.
const pagesPerStep = 4096

// Backup copies the database, as it is at one moment, into a new file, while
// others read and write. It reads the copy from end to end and compares the rows of
// each table with those of that moment. Only on SQLite; else ErrBackupElsewhere.
func (db *DB) Backup(ctx context.Context, path string) (err error) {
	if db.Dialect != SQLite {
		return ErrBackupElsewhere
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

// copySnapshot copies within one read transaction and counts the rows in it: nobody
// waits for it, and nothing written meanwhile is in it.
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

// checkCopy reads the file alone, as a restore would find it.
func checkCopy(ctx context.Context, path string, rows map[string]int64) error {
	pool, err := sql.Open("sqlite", sqliteFile(path)+"?mode=ro&immutable=1")
	if err != nil {
		return err
	}
	defer func() { _ = pool.Close() }()
	damage, err := integrity(ctx, pool)
	if err != nil {
		return fmt.Errorf("read the copy %s: %w", path, err)
	}
	if damage != "" {
		return fmt.Errorf("the copy %s is damaged: %s", path, damage)
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

// integrity looks at every page, table and index of a SQLite file, those of the full
// text search too, and tells the first thing that is wrong.
func integrity(ctx context.Context, q querier) (damage string, err error) {
	if err := q.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&damage); err != nil {
		return "", err
	}
	if damage == "ok" {
		return "", nil
	}
	return damage, nil
}

// countRows counts the rows of every table of a SQLite file.
func countRows(ctx context.Context, q querier) (map[string]int64, error) {
	tables, err := texts(ctx, q, "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'shadow')")
	if err != nil {
		return nil, err
	}
	rows := make(map[string]int64, len(tables))
	for _, table := range tables {
		var n int64
		if err := q.QueryRowContext(ctx, "SELECT count(*) FROM "+quoted(table)).Scan(&n); err != nil {
			return nil, fmt.Errorf("count the rows of %s: %w", table, err)
		}
		rows[table] = n
	}
	return rows, nil
}

// texts reads one column of text.
func texts(ctx context.Context, q querier, query string, args ...any) ([]string, error) {
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

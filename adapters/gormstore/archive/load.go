package archive

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/octavo-books/octavo/adapters/gormstore"
)

// loader adds rows to a database. It is for one goroutine.
type loader interface {
	// load adds the rows that next returns until it returns nil, and notes in the same transaction that the
	// archive is read up to files.
	load(ctx context.Context, t Table, next func() ([]any, error), files int64) error
	close(ctx context.Context) error
}

func newLoader(ctx context.Context, db *gormstore.DB) (loader, error) {
	if db.Dialect == gormstore.SQLite {
		return sqliteLoader{db}, nil
	}
	conn, err := db.Connect(ctx)
	return postgresLoader{conn}, err
}

type sqliteLoader struct{ db *gormstore.DB }

func (l sqliteLoader) load(ctx context.Context, t Table, next func() ([]any, error), files int64) error {
	return inTransaction(ctx, l.db, func(tx *sql.Tx) error {
		marks := "?" + strings.Repeat(", ?", len(t.Columns)-1)
		//nolint:gosec // names of the schema
		insert := "INSERT INTO " + quote(t.Name) + " (" + quoted(t.names()) + ") VALUES (" + marks + ")"
		add, err := tx.PrepareContext(ctx, insert)
		if err != nil {
			return err
		}
		defer func() { _ = add.Close() }()
		for {
			values, err := next()
			if err != nil {
				return err
			}
			if values == nil {
				_, err = tx.ExecContext(ctx, saveRecord, files, loading)
				return err
			}
			if _, err := add.ExecContext(ctx, values...); err != nil {
				return err
			}
		}
	})
}

func (sqliteLoader) close(context.Context) error { return nil }

type postgresLoader struct{ conn *pgx.Conn }

func (l postgresLoader) load(ctx context.Context, t Table, next func() ([]any, error), files int64) error {
	err := pgx.BeginFunc(ctx, l.conn, func(tx pgx.Tx) error {
		if _, err := tx.CopyFrom(ctx, pgx.Identifier{t.Name}, t.names(), pgx.CopyFromFunc(next)); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, saveRecord, files, loading)
		return err
	})
	return gormstore.WrapUnavailable(err)
}

func (l postgresLoader) close(ctx context.Context) error {
	return l.conn.Close(context.WithoutCancel(ctx))
}

// sequences are those of Postgres with the last numbers that rows have.
var sequences = []struct{ table, sequence, last string }{
	{"outbox_events", "outbox_events_seq_seq", "SELECT max(seq) FROM outbox_events"},
	{"inbox_deliveries", "inbox_payloads_position_seq", "SELECT greatest((SELECT max(position) FROM inbox_deliveries), (SELECT max(position) FROM inbox_payloads))"},
	{"inbox_attempts", "inbox_attempts_id_seq", "SELECT max(id) FROM inbox_attempts"},
}

// advance makes the next numbers of sequences follow those of the rows.
func advance(ctx context.Context, db *gormstore.DB) error {
	if db.Dialect == gormstore.SQLite {
		return nil
	}
	return inTransaction(ctx, db, func(tx *sql.Tx) error {
		for _, s := range sequences {
			there, err := db.HasTable(ctx, s.table)
			if err == nil && there {
				//nolint:gosec // constants
				statement := "SELECT setval('" + s.sequence + "', last) FROM (" + s.last + ") AS numbers (last) WHERE last > 0"
				_, err = tx.ExecContext(ctx, statement)
			}
			if err != nil {
				return fmt.Errorf("sequence %s: %w", s.sequence, err)
			}
		}
		return nil
	})
}

package archive

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

// The table import_record has one row while an import is incomplete. It is created before the first row is
// imported and dropped at the end, so that no other database has it. The table import_indexes has the definitions
// of the indexes that are made again when all rows are there.
const (
	recordTable  = "import_record"
	createRecord = "CREATE TABLE import_record (archive TEXT NOT NULL, files BIGINT NOT NULL, stage INTEGER NOT NULL)"
	saveRecord   = "UPDATE import_record SET files = $1, stage = $2"
)

// The stages of an import.
const (
	loading  = iota
	verified // every row is there, and the same as in the archive
)

// ErrUnfinished refuses a database of which an import is incomplete.
var ErrUnfinished = errors.New("the database has an unfinished import: run octavo import with the same file again, which goes on " +
	"where it stopped, or start again with an empty database")

var errOther = fmt.Errorf("%w; it began with another file", ErrUnfinished)

// record says how far an import is. Of the files of the archive, those before files are in the database or in another.
type record struct {
	files int64
	stage int
}

// findRecord returns the record of an import of this archive.
func findRecord(ctx context.Context, db *gormstore.DB, archive string) (r record, begun bool, err error) {
	begun, err = db.HasTable(ctx, recordTable)
	if err != nil || !begun {
		return r, false, gormstore.WrapUnavailable(err)
	}
	var of string
	_, read := db.SQL()
	err = read.QueryRowContext(ctx, "SELECT archive, files, stage FROM import_record").Scan(&of, &r.files, &r.stage)
	if err == nil && of != archive {
		err = errOther
	}
	return r, true, err
}

// begin creates the record in one transaction with the removal of the indexes.
func begin(ctx context.Context, db *gormstore.DB, archive string, tables []Table) error {
	return inTransaction(ctx, db, func(tx *sql.Tx) error {
		statements := []string{createRecord, "CREATE TABLE import_indexes (name TEXT PRIMARY KEY, definition TEXT NOT NULL)"}
		for _, statement := range statements {
			if _, err := tx.ExecContext(ctx, statement); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, "INSERT INTO import_record (archive, files, stage) VALUES ($1, 0, 0)", archive); err != nil {
			return err
		}
		return dropIndexes(ctx, tx, db.Dialect, tables)
	})
}

// inTransaction runs do in a transaction of the writing connection.
func inTransaction(ctx context.Context, db *gormstore.DB, do func(*sql.Tx) error) error {
	write, _ := db.SQL()
	tx, err := write.BeginTx(ctx, nil)
	if err != nil {
		return gormstore.WrapUnavailable(err)
	}
	if db.Dialect == gormstore.Postgres {
		_, err = tx.ExecContext(ctx, "SET LOCAL statement_timeout = 0")
	}
	if err == nil {
		err = do(tx)
	}
	if err != nil {
		return errors.Join(gormstore.WrapUnavailable(err), tx.Rollback())
	}
	return gormstore.WrapUnavailable(tx.Commit())
}

package authstore

import (
	"database/sql"
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"gorm.io/gorm"
)

// numbered writes ? as the dialect has it.
func numbered(d gormstore.Dialect, query string) string {
	if d != gormstore.Postgres {
		return query
	}
	var b strings.Builder
	n := 0
	for _, r := range query {
		if r == '?' {
			n++
			b.WriteString("$" + strconv.Itoa(n))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// transaction is one step's hold on the database.
type transaction struct {
	tx      *gorm.DB
	dialect gormstore.Dialect
}

// exec runs a statement and says how many rows it changed.
func (t *transaction) exec(statement string, values ...any) (int64, error) {
	done := t.tx.Exec(statement, values...)
	return done.RowsAffected, done.Error
}

// query runs a statement and has each row scanned.
func (t *transaction) query(scan func(scanner) error, statement string, values ...any) error {
	rows, err := t.tx.Raw(statement, values...).Rows()
	if err != nil {
		return err
	}
	return each(rows, scan)
}

// locking is put behind a SELECT whose rows are to stay as they are until the
// transaction ends. A transaction on SQLite is alone anyway.
func (t *transaction) locking() string {
	if t.dialect == gormstore.Postgres {
		return " FOR UPDATE"
	}
	return ""
}

// notInHand is put behind a SELECT that is to leave out the rows that others have
// locked.
func notInHand(d gormstore.Dialect) string {
	if d == gormstore.Postgres {
		return " FOR UPDATE SKIP LOCKED"
	}
	return ""
}

// alone lets transactions that name the same thing come one after another, until
// they end. A transaction on SQLite is alone anyway.
func (t *transaction) alone(name string) error {
	if t.dialect != gormstore.Postgres {
		return nil
	}
	_, err := t.exec(`SELECT pg_advisory_xact_lock(hashtextextended(?, 0))`, name)
	return err
}

func each(rows *sql.Rows, scan func(scanner) error) error {
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

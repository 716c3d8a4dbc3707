// Package authstore stores accounts, sign-ups, codes, invitations, sessions, rate limits and
// the audit log in SQLite or Postgres.
package authstore

import (
	"context"
	"embed"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

//go:embed sqlite/*.sql postgres/*.sql
var files embed.FS

// Migrations create the tables of this package.
var Migrations = gormstore.Migrations{Name: "auth", FS: files}

// HasUsers reports whether there is any account. Without the schema there is none.
func HasUsers(ctx context.Context, db *gormstore.DB) (exist bool, err error) {
	states, err := db.Schema(ctx, Migrations)
	if err != nil || states[0].Current == 0 {
		return false, err
	}
	_, read := db.SQL()
	err = read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM users)`).Scan(&exist)
	return exist, err
}

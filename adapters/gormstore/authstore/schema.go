// Package authstore keeps the identity core in a database: accounts, sign-ups,
// codes, invitations, sessions, limits and the audit log.
package authstore

import (
	"context"
	"embed"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

//go:embed sqlite/*.sql postgres/*.sql
var files embed.FS

// Migrations make the tables of the identity core.
var Migrations = gormstore.Migrations{Name: "auth", FS: files}

// HasUsers reports whether there is any account; there is none where the schema was
// not made.
func HasUsers(ctx context.Context, db *gormstore.DB) (people bool, err error) {
	states, err := db.Schema(ctx, Migrations)
	if err != nil || states[0].Current == 0 {
		return false, err
	}
	_, read := db.SQL()
	err = read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM users)`).Scan(&people)
	return people, err
}

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

// TableName is part of GORM's interface, here and below.
func (auditRow) TableName() string       { return "audit_entries" }
func (challengeRow) TableName() string   { return "challenges" }
func (ceremonyRow) TableName() string    { return "ceremonies" }
func (limitRow) TableName() string       { return "limits" }
func (invitationRow) TableName() string  { return "invitations" }
func (deviceRow) TableName() string      { return "known_devices" }
func (knownClientRow) TableName() string { return "known_clients" }
func (sessionRow) TableName() string     { return "sessions" }
func (signupRow) TableName() string      { return "signups" }
func (userRow) TableName() string        { return "users" }

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

// HasBreakGlass reports whether an owner's password works though everybody else signs in at external services.
// Without the schema none does.
func HasBreakGlass(ctx context.Context, db *gormstore.DB) (has bool, err error) {
	states, err := db.Schema(ctx, Migrations)
	if err != nil || states[0].Behind() {
		return false, err
	}
	_, read := db.SQL()
	err = read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM users WHERE break_glass = 1 AND role = 2 AND deleted_at IS NULL AND suspended_at IS NULL)`).Scan(&has)
	return has, err
}

// NeedsRSAKey reports whether there is an OpenID client whose ID tokens are signed with RS256.
// Without the schema there is none.
func NeedsRSAKey(ctx context.Context, db *gormstore.DB) (needed bool, err error) {
	states, err := db.Schema(ctx, Migrations)
	if err != nil || states[0].Behind() {
		return false, err
	}
	_, read := db.SQL()
	err = read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM clients WHERE id_token_alg = 'RS256')`).Scan(&needed)
	return needed, err
}

package authstore

import (
	"context"
	"fmt"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/domain/user"
)

// users changes accounts within a transaction.
type users struct {
	*transaction
	leave Departures
}

func (u users) ByID(_ context.Context, id user.ID) (user.User, error) {
	return u.one(`id = ? AND deleted_at IS NULL`, int64(id))
}

func (u users) ByEmail(_ context.Context, email user.Email) (user.User, error) {
	return u.one(`email = ?`, string(email))
}

func (u users) one(where string, value any) (found user.User, err error) {
	err = user.ErrNotFound
	failed := u.query(func(row scanner) error {
		found, err = scanUser(row)
		return err
	}, `SELECT `+userColumns+` FROM users WHERE `+where+u.locking(), value)
	if failed != nil {
		return user.User{}, fmt.Errorf("load a user: %w", failed)
	}
	return found, err
}

func (u users) Owners(context.Context) ([]user.ID, error) {
	var ids []user.ID
	err := u.query(func(row scanner) error {
		var id user.ID
		err := row.Scan(&id)
		ids = append(ids, id)
		return err
	}, `SELECT id FROM users WHERE role = 2 AND deleted_at IS NULL ORDER BY id`+u.locking())
	return ids, err
}

// Save names every column: a role of 0 and an empty hash are values.
func (u users) Save(_ context.Context, saved user.User) error {
	values := append([]any{
		int64(saved.ID), string(saved.Email), saved.PasswordHash, int(saved.Role), string(saved.Lang), flag(saved.Verified),
		saved.Epoch, saved.CreatedAt.UnixMicro(),
	}, append(profileValues(saved.Profile), nameKey(saved.Profile))...)
	_, err := u.exec(`INSERT INTO users (`+userColumns+`, name_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET email = excluded.email, password_hash = excluded.password_hash, role = excluded.role,
			lang = excluded.lang, verified = excluded.verified, epoch = excluded.epoch,
			first_name = excluded.first_name, last_name = excluded.last_name, university = excluded.university,
			campus_mailbox = excluded.campus_mailbox, payment_username = excluded.payment_username,
			name_key = excluded.name_key`, values...)
	if gormstore.IsUnique(err) {
		return user.ErrTaken
	}
	return err
}

// nameKey is the column's value; NULL for no profile.
func nameKey(p *user.Profile) any {
	if p == nil {
		return nil
	}
	return p.NameKey()
}

// Erase keeps the row, because orders, the ledger and the audit log refer to it. It
// locks the rows before anything else, as do those who act for one of these people.
func (u users) Erase(_ context.Context, ids []user.ID, now time.Time) error {
	all := make([]int64, len(ids))
	for i, id := range ids {
		all[i] = int64(id)
	}
	if err := u.query(func(scanner) error { return nil }, `SELECT id FROM users WHERE id IN ? ORDER BY id`+u.locking(), all); err != nil {
		return err
	}
	for _, statement := range []string{
		`DELETE FROM invitations WHERE user_id IN ?`,
		`DELETE FROM signups WHERE email IN (SELECT email FROM users WHERE id IN ?)`,
		`DELETE FROM challenges WHERE email IN (SELECT email FROM users WHERE id IN ?)`,
		`DELETE FROM known_devices WHERE user_id IN ?`,
		`DELETE FROM known_sources WHERE user_id IN ?`,
		`DELETE FROM sessions WHERE user_id IN ?`,
	} {
		if _, err := u.exec(statement, all); err != nil {
			return err
		}
	}
	if u.leave != nil { // before the names are gone
		if err := u.leave(u.tx, ids, now); err != nil {
			return err
		}
	}
	if err := u.forgetMails(all); err != nil {
		return err
	}
	_, err := u.exec(`UPDATE users SET email = NULL, password_hash = '', role = 0, verified = 0, epoch = epoch + 1, deleted_at = ?,
		first_name = NULL, last_name = NULL, university = NULL, campus_mailbox = NULL, payment_username = NULL, name_key = NULL
		WHERE id IN ?`, now.UnixMicro(), all)
	return err
}

// forgetMails drops what was to be told to people who leave, and what was told.
func (u users) forgetMails(of []int64) error {
	var who []user.Email
	err := u.query(func(row scanner) error {
		var email user.Email
		err := row.Scan(&email)
		who = append(who, email)
		return err
	}, `SELECT email FROM users WHERE id IN ? AND deleted_at IS NULL`, of)
	if err != nil {
		return err
	}
	return outboxstore.Forget(u.tx, who...)
}

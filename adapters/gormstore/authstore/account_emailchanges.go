package authstore

import (
	"context"
	"database/sql"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// emailChangeRow is a change of an address.
type emailChangeRow struct {
	ID           int64 `gorm:"primaryKey;autoIncrement:false"`
	UserID       int64
	OldEmail     string
	NewEmail     string
	PasswordMark digest
	RequestedAt  int64
	ConfirmedAt  sql.NullInt64
	ForgetAt     int64
}

// TableName implements gorm's schema.Tabler.
func (emailChangeRow) TableName() string { return "email_changes" }

func (r *emailChangeRow) change() user.EmailChange {
	return user.EmailChange{
		ID: r.ID, User: user.ID(r.UserID), From: user.Email(r.OldEmail), To: user.Email(r.NewEmail), Password: r.PasswordMark,
		RequestedAt: rawsql.Time(r.RequestedAt), ConfirmedAt: rawsql.Time(r.ConfirmedAt.Int64),
	}
}

// emailChanges implements account.Store within a transaction.
type emailChanges struct{ tx *gorm.DB }

func (e emailChanges) PutEmailChange(ctx context.Context, c user.EmailChange) error {
	return table.Of[emailChangeRow](e.tx, clause.OnConflict{UpdateAll: true}).Create(ctx, &emailChangeRow{
		ID: c.ID, UserID: int64(c.User), OldEmail: string(c.From), NewEmail: string(c.To), PasswordMark: c.Password,
		RequestedAt: rawsql.Micros(c.RequestedAt), ConfirmedAt: instant(c.ConfirmedAt), ForgetAt: rawsql.Micros(c.ForgetAt()),
	})
}

func (e emailChanges) LockEmailChange(ctx context.Context, id int64) (user.EmailChange, error) {
	found, err := rawsql.Take(ctx, table.Of[emailChangeRow](e.tx, rawsql.ForUpdate).Where("id = ?", id), challenge.ErrCodeInvalid)
	return found.change(), err
}

func (e emailChanges) DeleteEmailChanges(ctx context.Context, of user.ID, from int64) ([]user.EmailChange, error) {
	rows, err := table.Of[emailChangeRow](e.tx, rawsql.ForUpdate).Where("user_id = ? AND id >= ?", int64(of), from).Order("id").Find(ctx)
	if err != nil {
		return nil, err
	}
	_, err = table.Of[emailChangeRow](e.tx).Where("user_id = ? AND id >= ?", int64(of), from).Delete(ctx)
	return rawsql.Convert(rows, (*emailChangeRow).change), err
}

func (e emailChanges) IsEmailReserved(ctx context.Context, address user.Email, except user.ID, now time.Time) (bool, error) {
	n, err := table.Of[emailChangeRow](e.tx).
		Where("old_email = ? AND user_id <> ? AND confirmed_at IS NOT NULL AND requested_at > ?", string(address), int64(except), rawsql.Micros(now.Add(-user.UndoPeriod))).
		Limit(1).Count(ctx)
	return n > 0, err
}

func (e emailChanges) CopyOptOut(ctx context.Context, from, to user.Email) error {
	return outboxstore.CopyOptOut(ctx, e.tx, from, to)
}

// formerEmails returns the addresses that users have given up and nobody else has now.
func (u users) formerEmails(ids []user.ID) (former []user.Email, err error) {
	err = u.tx.Model(&emailChangeRow{}).Where("user_id IN ? AND NOT EXISTS (SELECT 1 FROM users WHERE users.email = email_changes.old_email AND users.id NOT IN ?)", ids, ids).
		Distinct().Pluck("old_email", &former).Error
	return former, err
}

// eraseCodeMails erases the mails with a code that went to the addresses that users have asked for. These may be
// somebody else's, whose other mails stay.
func (u users) eraseCodeMails(ids []user.ID) error {
	var asked []user.Email
	if err := u.tx.Model(&emailChangeRow{}).Where("user_id IN ?", ids).Distinct().Pluck("new_email", &asked).Error; err != nil {
		return err
	}
	return outboxstore.EraseKind(u.tx, message.EmailChange, asked...)
}

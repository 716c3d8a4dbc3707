package authstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// invitationRow is an invitation. It is open while it is neither accepted nor revoked.
type invitationRow struct {
	ID         account.InvitationID `gorm:"primaryKey;autoIncrement:false"`
	Email      user.Email
	User       user.ID `gorm:"column:user_id"`
	InvitedBy  user.ID
	CreatedAt  time.Time `gorm:"serializer:micros;autoCreateTime:false"`
	ExpiresAt  time.Time `gorm:"serializer:micros"`
	AcceptedAt time.Time `gorm:"serializer:micros;<-:update"` // null until then
}

func (r *invitationRow) invitation() account.Invitation { return account.Invitation(*r) }

// returningInvitation names the columns: a prepared statement that returns all fails once a
// migration adds one.
var returningInvitation = clause.Returning{Columns: []clause.Column{
	{Name: "id"}, {Name: "email"}, {Name: "user_id"}, {Name: "invited_by"}, {Name: "created_at"}, {Name: "expires_at"},
	{Name: "accepted_at"},
}}

// isOpen is a condition on invitations with the current time as its argument.
const isOpen = "accepted_at IS NULL AND revoked_at IS NULL AND expires_at > ?"

// ListOpenInvitations implements account.Reader.
func (i *Identity) ListOpenInvitations(ctx context.Context, now time.Time) ([]account.Invitation, error) {
	rows, err := table.Of[invitationRow](i.db.Read).Where(isOpen, now.UnixMicro()).
		Where("invited_by IN (SELECT id FROM users WHERE role >= 1 AND deleted_at IS NULL AND suspended_at IS NULL)").Order("id DESC").Find(ctx)
	return rawsql.Convert(rows, (*invitationRow).invitation), err
}

// invitations implements account.Store within a transaction.
type invitations struct{ tx *gorm.DB }

func (i invitations) AddInvitation(ctx context.Context, added account.Invitation) error {
	row := invitationRow(added)
	return table.Of[invitationRow](i.tx).Create(ctx, &row)
}

func (i invitations) AcceptInvitation(ctx context.Context, id account.InvitationID, now time.Time) (account.Invitation, error) {
	return i.close(ctx, "accepted_at", id, now)
}

func (i invitations) RevokeInvitation(ctx context.Context, id account.InvitationID, now time.Time) (account.Invitation, error) {
	return i.close(ctx, "revoked_at", id, now)
}

// close sets the time in a column of an open invitation. Of concurrent callers one
// finds it open.
func (i invitations) close(ctx context.Context, column string, id account.InvitationID, now time.Time) (account.Invitation, error) {
	var closed []invitationRow
	err := i.tx.WithContext(ctx).Model(&closed).Clauses(returningInvitation).
		Where("id = ?", id).Where(isOpen, now.UnixMicro()).Update(column, now.UnixMicro()).Error
	switch {
	case err != nil:
		return account.Invitation{}, err
	case len(closed) == 0:
		return account.Invitation{}, account.ErrInvitationNotFound
	}
	return closed[0].invitation(), nil
}

func (i invitations) RevokeUserInvitation(ctx context.Context, of user.ID, now time.Time) (account.Invitation, error) {
	var revoked []invitationRow
	err := i.tx.WithContext(ctx).Model(&revoked).Clauses(returningInvitation).
		Where("user_id = ? AND accepted_at IS NULL AND revoked_at IS NULL", int64(of)).Update("revoked_at", now.UnixMicro()).Error
	if err != nil || len(revoked) == 0 {
		return account.Invitation{}, err
	}
	return revoked[0].invitation(), nil
}

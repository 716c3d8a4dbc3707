package authstore

import (
	"context"
	"database/sql"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// invitationRow is an invitation. It is open while it is neither accepted nor revoked.
type invitationRow struct {
	ID         int64 `gorm:"primaryKey;autoIncrement:false"`
	UserID     int64
	Email      string
	InvitedBy  int64
	CreatedAt  int64 `gorm:"autoCreateTime:false"`
	ExpiresAt  int64
	AcceptedAt sql.NullInt64
}

// TableName implements gorm's schema.Tabler.
func (invitationRow) TableName() string { return "invitations" }

func (r invitationRow) invitation() auth.Invitation {
	return auth.Invitation{
		ID: auth.InvitationID(r.ID), User: user.ID(r.UserID), Email: user.Email(r.Email), InvitedBy: user.ID(r.InvitedBy),
		CreatedAt: rawsql.Time(r.CreatedAt), ExpiresAt: rawsql.Time(r.ExpiresAt), AcceptedAt: rawsql.Time(r.AcceptedAt.Int64),
	}
}

// isOpen is a condition on invitations with the current time as its argument.
const isOpen = "accepted_at IS NULL AND revoked_at IS NULL AND expires_at > ?"

// ListOpenInvitations implements auth.AdminReader.
func (i *Identity) ListOpenInvitations(ctx context.Context, now time.Time) ([]auth.Invitation, error) {
	rows, err := gorm.G[invitationRow](i.db.Read).Where(isOpen, now.UnixMicro()).
		Where("invited_by IN (SELECT id FROM users WHERE role >= 1 AND deleted_at IS NULL)").Order("id DESC").Find(ctx)
	return values(rows, invitationRow.invitation), err
}

// invitations implements auth.InvitationStore within a transaction.
type invitations struct{ tx *gorm.DB }

func (i invitations) AddInvitation(ctx context.Context, added auth.Invitation) error {
	return gorm.G[invitationRow](i.tx).Create(ctx, &invitationRow{
		ID: int64(added.ID), UserID: int64(added.User), Email: string(added.Email), InvitedBy: int64(added.InvitedBy),
		CreatedAt: rawsql.Micros(added.CreatedAt), ExpiresAt: rawsql.Micros(added.ExpiresAt),
	})
}

func (i invitations) AcceptInvitation(ctx context.Context, id auth.InvitationID, now time.Time) (auth.Invitation, error) {
	return i.close(ctx, "accepted_at", id, now)
}

func (i invitations) RevokeInvitation(ctx context.Context, id auth.InvitationID, now time.Time) (auth.Invitation, error) {
	return i.close(ctx, "revoked_at", id, now)
}

// close sets the time in a column of an open invitation. Of concurrent callers one
// finds it open.
func (i invitations) close(ctx context.Context, column string, id auth.InvitationID, now time.Time) (auth.Invitation, error) {
	var closed []invitationRow
	err := i.tx.WithContext(ctx).Model(&closed).Clauses(clause.Returning{}).
		Where("id = ?", int64(id)).Where(isOpen, now.UnixMicro()).Update(column, now.UnixMicro()).Error
	switch {
	case err != nil:
		return auth.Invitation{}, err
	case len(closed) == 0:
		return auth.Invitation{}, auth.ErrInvitationNotFound
	}
	return closed[0].invitation(), nil
}

func (i invitations) RevokeUserInvitation(ctx context.Context, of user.ID, now time.Time) error {
	_, err := gorm.G[invitationRow](i.tx).Where("user_id = ? AND accepted_at IS NULL AND revoked_at IS NULL", int64(of)).
		Update(ctx, "revoked_at", now.UnixMicro())
	return err
}

package authstore

import (
	"context"
	"database/sql"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/user"
)

// invitations keeps invitations within a transaction.
type invitations struct{ *transaction }

const invitationColumns = `id, user_id, email, invited_by, created_at, expires_at, accepted_at`

func scanInvitation(row scanner) (auth.Invitation, error) {
	var i auth.Invitation
	var created, expires int64
	var accepted sql.NullInt64
	err := row.Scan(&i.ID, &i.User, &i.Email, &i.InvitedBy, &created, &expires, &accepted)
	i.CreatedAt, i.ExpiresAt, i.AcceptedAt = instant(created), instant(expires), maybe(accepted)
	return i, err
}

func (i invitations) Add(_ context.Context, added auth.Invitation) error {
	_, err := i.exec(`INSERT INTO invitations (`+invitationColumns+`) VALUES (?, ?, ?, ?, ?, ?, NULL)`,
		int64(added.ID), int64(added.User), string(added.Email), int64(added.InvitedBy),
		added.CreatedAt.UnixMicro(), added.ExpiresAt.UnixMicro())
	return err
}

func (i invitations) Accept(_ context.Context, id auth.InvitationID, now time.Time) (auth.Invitation, error) {
	return i.close(`accepted_at`, id, now)
}

func (i invitations) Withdraw(_ context.Context, id auth.InvitationID, now time.Time) (auth.Invitation, error) {
	return i.close(`revoked_at`, id, now)
}

// close stamps an open invitation; of many callers one finds it open.
func (i invitations) close(column string, id auth.InvitationID, now time.Time) (closed auth.Invitation, err error) {
	err = auth.ErrInvitationNotFound
	failed := i.query(func(row scanner) error {
		closed, err = scanInvitation(row)
		return err
	}, `UPDATE invitations SET `+column+` = ? WHERE id = ? AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > ?
		RETURNING `+invitationColumns, now.UnixMicro(), int64(id), now.UnixMicro())
	if failed != nil {
		return auth.Invitation{}, failed
	}
	return closed, err
}

func (i invitations) WithdrawOf(_ context.Context, of user.ID, now time.Time) error {
	_, err := i.exec(`UPDATE invitations SET revoked_at = ? WHERE user_id = ? AND accepted_at IS NULL AND revoked_at IS NULL`,
		now.UnixMicro(), int64(of))
	return err
}

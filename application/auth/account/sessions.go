package account

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// revokeSupersededSessions revokes the sessions of an older epoch, or all sessions of a
// deleted user. They are refused already, so a failure is only logged.
func (d *unit) revokeSupersededSessions(ctx context.Context, of user.ID) {
	if err := d.tryRevokeSuperseded(ctx, of); err != nil {
		d.Log.WarnContext(ctx, "could not revoke superseded sessions", "user", of.String(), "error", err)
	}
}

func (d *unit) tryRevokeSuperseded(ctx context.Context, of user.ID) error {
	u, exists, err := auth.Optional(d.Storage.FindUser(ctx, of))
	if err != nil {
		return err
	}
	all, err := d.Sessions.ListSessions(ctx, of)
	if err != nil {
		return err
	}
	dead := slices.DeleteFunc(all, func(s session.Session) bool { return exists && s.Epoch >= u.Epoch })
	_, err = d.Sessions.RevokeSessions(ctx, of, auth.SessionIDs(dead, 0), d.Now(), auth.SideEffects{})
	return err
}

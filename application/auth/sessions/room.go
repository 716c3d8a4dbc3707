// Package sessions is the room of sessions: their tokens, who calls with them, and their end.
package sessions

import (
	"context"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/user"
)

// Room has the use cases of the room.
type Room struct {
	Sessions      *Sessions
	Authenticator *Authenticator
}

// New returns the use cases.
func New(d *auth.Deps) *Room {
	s := &Sessions{d}
	d.Hooks.StartSession, d.Hooks.RefreshSession, d.Hooks.SignOut = s.start, s.refresh, s.SignOut
	d.Hooks.Exports = append(d.Hooks.Exports, s.export)
	return &Room{Sessions: s, Authenticator: &Authenticator{d}}
}

// export adds the sessions of a user, and the browsers with which they have signed in.
func (s *Sessions) export(ctx context.Context, of user.ID, out *auth.ExportedAccount) error {
	all, err := s.Sessions.ListSessions(ctx, of)
	if err != nil {
		return err
	}
	for _, one := range all {
		out.Sessions = append(out.Sessions, auth.ExportedSession{
			ID: one.ID.String(), CreatedAt: one.CreatedAt, LastUsedAt: one.LastUsedAt, ExpiresAt: one.ExpiresAt(), IP: one.IP, UserAgent: one.UserAgent,
			Application: one.Client, Scopes: one.Scopes,
		})
	}
	out.Devices, err = s.Sessions.ListDevices(ctx, of)
	return err
}

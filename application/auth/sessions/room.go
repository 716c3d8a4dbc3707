// Package sessions is the room of sessions: their tokens, who calls with them, and their end.
package sessions

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/user"
)

// Room has the use cases of the room.
type Room struct {
	Sessions       *Sessions
	Authenticator  *Authenticator
	PersonalTokens *PersonalTokens
}

// New returns the use cases over the storage of an adapter.
func New(d *auth.Deps, r Reader, open Open) *Room {
	u := &unit{auth.Unit[*tx]{Deps: d, In: in(open)}, r}
	s := &Sessions{u}
	d.Hooks.EndSessions = s.endByService
	d.Hooks.StartSession, d.Hooks.RefreshSession = s.start, s.refresh
	d.Hooks.SignOut = func(ctx context.Context, by user.Caller, everywhere bool) error {
		if everywhere {
			return s.SignOutEverywhere(ctx, by)
		}
		return s.SignOut(ctx, by)
	}
	d.Hooks.Exports = append(d.Hooks.Exports, s.export, u.exportTokens)
	d.Hooks.AddressRestored = append(d.Hooks.AddressRestored, func(ctx context.Context, st auth.Stores, of user.ID, since time.Time) error {
		return open(st).DeletePersonalTokensSince(ctx, of, since)
	})
	return &Room{Sessions: s, Authenticator: &Authenticator{u}, PersonalTokens: &PersonalTokens{u}}
}

// unit is what the use cases of the room share.
type unit struct {
	auth.Unit[*tx]
	reader Reader
}

// tx is a transaction in progress: what all rooms share, and the store of this one.
type tx struct {
	auth.Stores
	Store
}

// Open opens the room's store in a transaction.
type Open = func(auth.Stores) Store

func in(open Open) func(auth.Stores) *tx {
	return func(st auth.Stores) *tx { return &tx{st, open(st)} }
}

// export adds the sessions of a user, and the browsers with which they have signed in.
func (s *Sessions) export(ctx context.Context, of user.ID, out *auth.ExportedAccount) error {
	all, err := s.Sessions.ListSessions(ctx, of)
	if err != nil {
		return err
	}
	for _, one := range all {
		out.Sessions = append(out.Sessions, auth.ExportedSession{
			ID: one.ID.String(), CreatedAt: one.CreatedAt, LastUsedAt: one.LastUsedAt,
			ExpiresAt: one.ExpiresAt(), IP: one.IP, UserAgent: one.UserAgent,
			Application: one.Client, Scopes: one.Scopes,
		})
	}
	out.Devices, err = s.Sessions.ListDevices(ctx, of)
	return err
}

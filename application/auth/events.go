package auth

import (
	"context"

	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/user"
)

// StampEvents returns the events with their ids and the time, as a part of SideEffects; none if
// no webhook service gets them.
func (d *Deps) StampEvents(all ...event.Event) []event.Event {
	if !d.PublishEvents {
		return nil
	}
	now := d.Now()
	for i, e := range all {
		all[i] = e.Stamped(event.ID(d.NextID()), now)
	}
	return all
}

// SessionsEnded returns the events that report the end of sessions.
func (d *Deps) SessionsEnded(of user.ID, why event.SessionEnd, ids ...user.SessionID) []event.Event {
	all := make([]event.Event, len(ids))
	for i, id := range ids {
		all[i] = event.EndSession(of, id, why)
	}
	return d.StampEvents(all...)
}

// ActiveSessionsEnded returns the events for a new epoch, which ends the user's active
// sessions except one. It reads the sessions before the transaction, because they may be
// in another store. A session that is started in between gets none; it has the old epoch,
// so its first use is refused.
func (d *Deps) ActiveSessionsEnded(ctx context.Context, u user.User, why event.SessionEnd, except user.SessionID) ([]event.Event, error) {
	if !d.PublishEvents {
		return nil, nil
	}
	active, err := d.ActiveSessions(ctx, u)
	if err != nil {
		return nil, err
	}
	return d.SessionsEnded(u.ID, why, SessionIDs(active, except)...), nil
}

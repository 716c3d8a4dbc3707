package account

import (
	"context"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/user"
)

// openProved makes an account of an address, or confirms the one that an admin has made for an
// invitation. It has no password.
func (a *Accounts) openProved(ctx context.Context, st *tx, in auth.ProvedAddress) (user.User, error) {
	u := in.Account
	var events []event.Event
	if u.ID == 0 {
		if err := a.mustBeFree(ctx, st, in.Address, 0); err != nil {
			return u, err
		}
		u = user.User{ID: user.ID(a.NextID()), Email: in.Address, Lang: in.Lang.Or(user.EN), Name: in.Name, CreatedAt: a.Now()}
		events = append(events, event.OfUser(event.UserCreated, u.ID))
	}
	u.Verified, u.PasswordHash = true, ""
	u.AdvanceEpoch(a.NextID())
	if err := st.SaveUser(ctx, u); err != nil {
		return u, err
	}
	if err := a.deletePending(ctx, st, u, 0); err != nil {
		return u, err
	}
	return u, st.RecordSideEffects(ctx, auth.SideEffects{
		AuditEntries: []audit.Entry{a.AuditEntry(user.Caller{ID: u.ID, From: in.From}, "user.verified", u.ID, "")},
		Events:       a.StampEvents(append(events, event.OfUser(event.UserVerified, u.ID))...),
	})
}

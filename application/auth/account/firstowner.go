package account

import (
	"context"
	"fmt"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/user"
)

// InviteOwner returns a link, valid once and for 7 days, with which somebody opens an account that is an owner.
// It is for the operator of the program, who hands it over: nothing is mailed. ErrAlreadyVerified for an
// address that has an account; Promote makes that an owner.
//
// The account invites itself: nobody else exists before the first owner.
func (i *Invitations) InviteOwner(ctx context.Context, email string) (link string, err error) {
	address, err := user.ParseEmail(email)
	if err != nil {
		return "", err
	}
	err = i.WithAddressLock(ctx, []user.Email{address}, func(ctx context.Context, st *tx) error {
		u, exists, err := auth.Optional(st.LockUserByEmail(ctx, address))
		if err != nil {
			return err
		}
		if u.Verified {
			return ErrAlreadyVerified
		}
		var events []event.Event
		if !exists {
			if err := i.mustBeFree(ctx, st, address, 0); err != nil {
				return err
			}
			u = user.User{ID: user.ID(i.NextID()), Email: address, CreatedAt: i.Now(), Lang: user.EN}
			events = i.StampEvents(event.OfUser(event.UserCreated, u.ID))
		}
		u.Role = user.Owner
		if err := st.SaveUser(ctx, u); err != nil {
			return err
		}
		if link, _, err = i.add(ctx, st, user.Caller{ID: u.ID, Role: user.Owner}, u); err != nil {
			return err
		}
		e := i.AuditEntry(user.Caller{}, "user.role_set", u.ID, fmt.Sprintf("role %d, by the operator", user.Owner))
		return st.RecordSideEffects(ctx, auth.SideEffects{AuditEntries: []audit.Entry{e}, Events: events})
	})
	return link, err
}

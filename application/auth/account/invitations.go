package account

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// InvitationID identifies an invitation.
type InvitationID int64

// String returns the form on the wire.
func (i InvitationID) String() string { return id.Format(int64(i)) }

// Invitation lets somebody activate an account that an admin has created.
type Invitation struct {
	ID         InvitationID
	Email      user.Email
	User       user.ID
	InvitedBy  user.ID
	CreatedAt  time.Time
	ExpiresAt  time.Time
	AcceptedAt time.Time // zero while it is open
}

// Invitations creates accounts for people whom an admin invites.
type Invitations struct{ *unit }

// Invite mails a link that is valid for 7 days and replaces an older one. It creates an
// account without a password if the address has none. Admins only; ErrAlreadyVerified
// for a user whose address is confirmed. An admin of one university does not replace the
// open invitation of another admin.
func (i *Invitations) Invite(ctx context.Context, by user.Caller, email string, lang user.Lang) (user.ID, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return 0, err
	}
	address, err := user.ParseEmail(email)
	if err != nil {
		return 0, err
	}
	var id user.ID
	err = i.WithAddressLock(ctx, []user.Email{address}, func(ctx context.Context, st *tx) error {
		u, exists, err := auth.Optional(st.LockUserByEmail(ctx, address))
		if err != nil {
			return err
		}
		if u.Verified {
			return ErrAlreadyVerified
		}
		if u.University() != "" && !by.Oversees(u.University()) { // an imported account
			return user.ErrOtherCampus
		}
		var events []event.Event
		if !exists {
			if err := i.mustBeFree(ctx, st, address, 0); err != nil {
				return err
			}
			u = user.User{ID: user.ID(i.NextID()), Email: address, CreatedAt: i.Now()}
			events = i.StampEvents(event.OfUser(event.UserCreated, u.ID))
		}
		u.Lang = lang.Or(user.EN)
		id = u.ID
		if err := st.SaveUser(ctx, u); err != nil {
			return err
		}
		return i.send(ctx, st, by, u, events)
	})
	return id, err
}

// send replaces a user's open invitation with a new one and mails its link. It also records
// the events.
func (i *Invitations) send(ctx context.Context, st *tx, by user.Caller, to user.User, events []event.Event) error {
	link, inv, err := i.add(ctx, st, by, to)
	if err != nil {
		return err
	}
	return st.RecordSideEffects(ctx, auth.SideEffects{
		AuditEntries: []audit.Entry{i.AuditEntry(by, "invitation.sent", to.ID, "")},
		Messages: []message.Message{{
			ID: i.NextID(), Kind: message.Invitation, To: to.Email, Lang: to.Lang,
			Link: link, CreatedAt: inv.CreatedAt, ExpiresAt: inv.ExpiresAt,
		}},
		Events: events,
	})
}

// add replaces a user's open invitation with a new one and returns its link.
func (i *Invitations) add(ctx context.Context, st *tx, by user.Caller, to user.User) (link string, inv Invitation, err error) {
	now := i.Now()
	token, err := challenge.NewLink(i.Random)
	if err != nil {
		return "", inv, err
	}
	if link, err = i.inviteLink(token); err != nil {
		return "", inv, err
	}
	inv = Invitation{ID: InvitationID(i.NextID()), Email: to.Email, User: to.ID, InvitedBy: by.ID, CreatedAt: now}
	c := i.CodeKey.New(challenge.Invitation, to.Email, int64(inv.ID), token, now)
	inv.ExpiresAt = c.ExpiresAt
	replaced, err := st.RevokeUserInvitation(ctx, to.ID, now)
	if err != nil {
		return "", inv, err
	}
	if replaced.ID != 0 && replaced.ExpiresAt.After(now) && !manages(by, replaced) {
		return "", inv, user.ErrOtherCampus
	}
	if err := st.DeleteChallenges(ctx, to.Email, 0, challenge.Invitation); err != nil {
		return "", inv, err
	}
	if err := st.AddInvitation(ctx, inv); err != nil {
		return "", inv, err
	}
	return link, inv, st.PutChallenge(ctx, c)
}

func (i *Invitations) inviteLink(token string) (string, error) {
	u, err := url.Parse(i.InviteURL)
	if err != nil {
		return "", fmt.Errorf("invitation link: %w", err)
	}
	q := u.Query()
	q.Set("token", token)
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// Open returns the invitations that can still be accepted, newest first. Admins only; those
// of one university see only their own.
func (i *Invitations) Open(ctx context.Context, by user.Caller) ([]Invitation, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return nil, err
	}
	all, err := i.reader.ListOpenInvitations(ctx, i.Now())
	return slices.DeleteFunc(all, func(inv Invitation) bool { return !manages(by, inv) }), err
}

// manages reports whether an admin sees and revokes an invitation. Whom it invites has no
// university yet.
func manages(by user.Caller, inv Invitation) bool { return by.Campus() == "" || inv.InvitedBy == by.ID }

// Revoke revokes an open invitation; ErrInvitationNotFound for any other. Admins only.
func (i *Invitations) Revoke(ctx context.Context, by user.Caller, id InvitationID) error {
	if err := by.MustBe(user.Admin); err != nil {
		return err
	}
	return i.Atomically(ctx, func(ctx context.Context, st *tx) error {
		inv, err := st.RevokeInvitation(ctx, id, i.Now())
		if err != nil {
			return err
		}
		if !manages(by, inv) {
			return ErrInvitationNotFound
		}
		if err := st.DeleteChallenges(ctx, inv.Email, 0, challenge.Invitation); err != nil {
			return err
		}
		return st.RecordSideEffects(
			ctx, auth.SideEffects{AuditEntries: []audit.Entry{i.AuditEntry(by, "invitation.revoked", inv.User, "")}},
		)
	})
}

// Accept confirms the invited address and signs its owner in. It deletes the sign-ups
// that others made with the address, with their passwords. Without a password the
// account has none until a reset. A wrong token, and one whose sender is no longer an
// admin, is challenge.ErrCodeInvalid.
func (i *Invitations) Accept(ctx context.Context, token string, password *string, from user.ClientInfo) (auth.TokenPair, error) {
	if i.ExternalOnly { // the account waits for its first sign-in at a service
		return auth.TokenPair{}, auth.ErrExternalOnly
	}
	if !challenge.IsLink(token) {
		return auth.TokenPair{}, challenge.ErrCodeInvalid
	}
	c, err := i.Storage.FindLink(ctx, i.CodeKey.LinkDigest(challenge.Invitation, token))
	if err != nil || c.Purpose != challenge.Invitation || !c.Open(i.Now()) {
		return auth.TokenPair{}, linkFailure(err)
	}
	var hash string
	if password != nil {
		p, err := user.NewPassword(*password, c.Email)
		if err != nil {
			return auth.TokenPair{}, err
		}
		if hash, err = i.Hasher.HashPassword(ctx, p); err != nil {
			return auth.TokenPair{}, err
		}
	}
	u, err := i.accept(ctx, c, hash, from)
	if err != nil {
		return auth.TokenPair{}, err
	}
	return i.Hooks.SignIn(ctx, auth.Authentication{User: u, Factors: 1, Methods: session.MailedCode, From: from})
}

// linkFailure replaces challenge.ErrLinkInvalid by challenge.ErrCodeInvalid, which
// callers of Accept expect, and returns any other error as it is.
func linkFailure(err error) error {
	if err == nil || errors.Is(err, challenge.ErrLinkInvalid) {
		return challenge.ErrCodeInvalid
	}
	return err
}

func (i *Invitations) accept(ctx context.Context, c challenge.Challenge, hash string, from user.ClientInfo) (user.User, error) {
	var u user.User
	err := i.WithAddressLock(ctx, []user.Email{c.Email}, func(ctx context.Context, st *tx) error {
		now := i.Now()
		inv, err := st.AcceptInvitation(ctx, InvitationID(c.Subject), now)
		if err != nil {
			return errors.Join(challenge.ErrCodeInvalid, err)
		}
		if used, err := st.UseChallenge(ctx, c, now); err != nil || !used {
			return errors.Join(err, challenge.ErrCodeInvalid)
		}
		if err := mayInvite(st.LockUser(ctx, inv.InvitedBy)); err != nil {
			return err
		}
		if u, err = st.LockUser(ctx, inv.User); err != nil {
			return err
		}
		switch {
		case u.Verified:
			return challenge.ErrCodeInvalid
		case u.Suspended():
			return user.ErrSuspended
		}
		u.Verified, u.PasswordHash = true, hash
		u.AdvanceEpoch(i.NextID())
		if err := st.SaveUser(ctx, u); err != nil {
			return err
		}
		if err := i.deletePending(ctx, st, u, 0); err != nil {
			return err
		}
		by := user.Caller{ID: u.ID, From: from}
		return st.RecordSideEffects(ctx, auth.SideEffects{
			AuditEntries: []audit.Entry{i.AuditEntry(by, "invitation.accepted", u.ID, "")},
			Events:       i.StampEvents(event.OfUser(event.UserVerified, u.ID)),
		})
	})
	return u, err
}

// mayInvite refuses an invitation whose sender was demoted, suspended or deleted since.
func mayInvite(inviter user.User, err error) error {
	if errors.Is(err, user.ErrNotFound) || err == nil && (inviter.Role < user.Admin || inviter.Suspended()) {
		return challenge.ErrCodeInvalid
	}
	return err
}

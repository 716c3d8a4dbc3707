package account

import (
	"cmp"
	"context"
	"errors"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
)

// ProfileChange changes those fields of a student profile that are not nil.
type ProfileChange struct {
	FirstName, LastName, University, CampusMailbox, PaymentUsername *string
}

// Users reads and changes accounts: the caller's own and, for admins, those of others.
type Users struct{ *unit }

// Me returns the caller's own account.
func (s *Users) Me(ctx context.Context, by user.Caller) (user.User, error) {
	if err := by.MustBe(user.Regular); err != nil {
		return user.User{}, err
	}
	return s.Storage.FindUser(ctx, by.ID)
}

// UpdateProfile changes fields of the caller's student profile. The first profile must
// have all names and requires an address that Config.Campus admits, which also decides the
// university if it has names. user.ErrCampusFixed refuses admins of one university who would
// move to another one, and user.ErrProfileLocked those who may not move now.
func (s *Users) UpdateProfile(ctx context.Context, by user.Caller, change ProfileChange) (user.User, error) {
	if err := by.MustBe(user.Regular); err != nil {
		return user.User{}, err
	}
	var u user.User
	err := s.Atomically(ctx, func(ctx context.Context, st *tx) error {
		var err error
		if u, err = st.LockUser(ctx, by.ID); err != nil {
			return err
		}
		if u.Profile == nil && !s.Campus.Admits(u.Email) {
			return s.Campus.Refusal("email")
		}
		profile, err := s.onCampus(u.Email, change.apply(u.Profile)).CleanAfter(u.Profile)
		if err != nil {
			return err
		}
		if !s.mayBeAt(u, profile.University) {
			return user.ErrCampusFixed
		}
		err = checkMove(ctx, st, u, profile)
		if errors.Is(err, user.ErrProfileLocked) && !change.moves(u) { // their address has another university by now
			profile.University, err = u.University(), nil
		}
		if err != nil {
			return err
		}
		u.Profile = &profile
		return st.SaveUser(ctx, u)
	})
	return u, err
}

// mayBeAt reports whether a profile may name a university: that of an admin bounds the role, so
// it stays, unless the address proves another one. It looks at the role of the account, because
// that of a caller can be withheld.
func (d *unit) mayBeAt(u user.User, university string) bool {
	return !d.CampusAdmins || u.Role != user.Admin || d.Campus.University(u.Email) != "" || user.SameUniversity(university, u.University())
}

// onCampus returns the profile with the university of the address, if Config.Campus names it.
func (d *unit) onCampus(address user.Email, p user.Profile) user.Profile {
	p.University = cmp.Or(d.Campus.University(address), p.University)
	return p
}

// setUniversity is onCampus for an account whose address has changed. If the user may not move
// now, the university follows with a later change of the profile.
func (d *unit) setUniversity(ctx context.Context, st *tx, u *user.User) error {
	if u.Profile == nil {
		return nil
	}
	p := d.onCampus(u.Email, *u.Profile)
	switch err := checkMove(ctx, st, *u, p); {
	case errors.Is(err, user.ErrProfileLocked):
		return nil
	case err != nil:
		return err
	}
	u.Profile = &p
	return nil
}

// checkMove returns user.ErrProfileLocked if a locked account gets the profile of another
// university, but may not have it now.
func checkMove(ctx context.Context, st *tx, u user.User, p user.Profile) error {
	if u.University() == "" || user.SameUniversity(u.University(), p.University) {
		return nil
	}
	return st.CheckMove(ctx, u.ID)
}

// moves reports whether the change itself names another university than the account has.
func (c ProfileChange) moves(u user.User) bool {
	return c.University != nil && !user.SameUniversity(*c.University, u.University())
}

// apply returns the profile with the changes; a nil profile is an empty one.
func (c ProfileChange) apply(to *user.Profile) user.Profile {
	var p user.Profile
	if to != nil {
		p = *to
	}
	for _, f := range []struct{ from, to *string }{
		{c.FirstName, &p.FirstName},
		{c.LastName, &p.LastName},
		{c.University, &p.University},
		{c.CampusMailbox, &p.CampusMailbox},
		{c.PaymentUsername, &p.PaymentUsername},
	} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
	return p
}

// Find returns an account. Only its owner and admins may call it.
func (s *Users) Find(ctx context.Context, by user.Caller, id user.ID) (user.User, error) {
	if by.ID != id || !by.SignedIn() {
		if err := by.MustBe(user.Admin); err != nil {
			return user.User{}, err
		}
	}
	u, err := s.Storage.FindUser(ctx, id)
	if err == nil && by.ID != id {
		err = s.MustOversee(ctx, by, u)
	}
	if err != nil {
		return user.User{}, err
	}
	return u, nil
}

// MaySuspend reports whether the caller may suspend a user and lift that again.
func (s *Users) MaySuspend(ctx context.Context, by user.Caller, u user.User) (bool, error) {
	by, err := s.Overseer(ctx, by, u.ID)
	return by.ID != u.ID && by.MustOutrank(u) == nil, err
}

// SetPassword replaces a user's password, revokes the sessions and notifies the user.
// Admins only, within user.Caller.MustOutrank; an application may not set that of its own user.
func (s *Users) SetPassword(ctx context.Context, by user.Caller, id user.ID, password string) error {
	u, err := s.findOutranked(ctx, by, id)
	if err == nil && id == by.ID {
		err = by.MustBeInPerson()
	}
	if err == nil && s.ExternalOnly && !u.BreaksGlass() {
		err = auth.ErrExternalOnly
	}
	if err != nil {
		return err
	}
	next, err := user.NewPassword(password, u.Email)
	if err != nil {
		return err
	}
	hash, err := s.Hasher.HashPassword(ctx, next)
	if err != nil {
		return err
	}
	events, err := s.ActiveSessionsEnded(ctx, u, event.PasswordChanged, 0)
	if err != nil {
		return err
	}
	err = s.Atomically(ctx, func(ctx context.Context, st *tx) error {
		u, err := st.LockUser(ctx, id)
		if err != nil {
			return err
		}
		if err := by.MustOutrank(u); err != nil {
			return err
		}
		return s.replacePassword(ctx, st, u, hash, s.NextID(), s.AuditEntry(by, "user.password_set", id, ""), events)
	})
	if err == nil {
		s.revokeSupersededSessions(ctx, id)
	}
	return err
}

// findOutranked returns a user whom the caller may administrate.
func (s *Users) findOutranked(ctx context.Context, by user.Caller, id user.ID) (user.User, error) {
	if err := by.MustBe(user.Admin); err != nil {
		return user.User{}, err
	}
	u, err := s.Storage.FindUser(ctx, id)
	if err != nil {
		return u, err
	}
	if err := by.MustOutrank(u); err != nil {
		return user.User{}, err
	}
	return u, nil
}

// EndSessions revokes all sessions of a user and returns their number. Admins only,
// within user.Caller.MustOutrank.
func (s *Users) EndSessions(ctx context.Context, by user.Caller, id user.ID) (int, error) {
	u, err := s.findOutranked(ctx, by, id)
	if err != nil {
		return 0, err
	}
	active, err := s.ActiveSessions(ctx, u)
	if err != nil {
		return 0, err
	}
	err = s.Atomically(ctx, func(ctx context.Context, st *tx) error {
		u, err := st.LockUser(ctx, id)
		if err != nil {
			return err
		}
		if err := by.MustOutrank(u); err != nil {
			return err
		}
		u.AdvanceEpoch(s.NextID())
		if err := st.SaveUser(ctx, u); err != nil {
			return err
		}
		return st.RecordSideEffects(ctx, auth.SideEffects{
			AuditEntries: []audit.Entry{s.AuditEntry(by, "user.sessions_ended", id, text.Count(len(active), "session", "sessions"))},
			Events:       s.SessionsEnded(id, event.EndedByAdmin, auth.SessionIDs(active, 0)...),
			Logouts:      s.LogoutOfAll(id),
		})
	})
	if err != nil {
		return 0, err
	}
	s.revokeSupersededSessions(ctx, id)
	return len(active), nil
}

// MeWithin returns the part of the caller's own account that the scopes of their client allow;
// all other fields are zero. It is the only use case for a limited caller.
func (s *Users) MeWithin(ctx context.Context, by user.Caller) (user.User, error) {
	if !by.MayRead(openid.ScopeOpenID) {
		return user.User{}, user.ErrForbidden
	}
	u, err := s.Storage.FindUser(ctx, by.ID)
	if err != nil {
		return user.User{}, err
	}
	info := auth.AboutUser(u, by.Scopes, openid.AtUserInfo)
	return user.User{ID: info.User, Email: info.Email, Verified: info.Verified != nil && *info.Verified, Name: info.Name}, nil
}

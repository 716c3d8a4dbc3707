package account

import (
	"context"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

// Provisioning lets the directory of an institution look after accounts: it creates, renames, suspends and deletes
// them. The driving adapter has made sure that the directory asks.
type Provisioning struct {
	*unit
	users *Users
}

// The errors of a directory.
var (
	ErrProvisionedOwner = fault.New(fault.Forbidden, "forbidden", "This is an owner, whom a directory neither changes nor deletes. An owner does that in Octavo.")
	ErrVersion          = fault.New(fault.Conflict, "version_mismatch", "The account has changed since that version was read.")
)

// bySCIM is the detail of the audit entries. Their actor is nobody's account.
const bySCIM = "by scim"

// deactivated is the reason that people are mailed.
const deactivated = "Your institution no longer lists you as active."

// directory is the actor of the audit entries, who has no account.
func directory(from user.ClientInfo) user.Caller { return user.Caller{From: from} }

// outranking may administrate everybody.
var outranking = user.Caller{ID: user.OperatorID, Role: user.Owner}

// PersonFilter selects accounts. The zero value selects all.
type PersonFilter struct {
	Email      user.Email
	ExternalID string
	ID         user.ID
	None       bool // selects nobody
}

// Find returns an account.
func (p *Provisioning) Find(ctx context.Context, id user.ID) (user.User, error) {
	return p.Storage.FindUser(ctx, id)
}

// List returns the accounts from an offset on, oldest first, and how many the filter selects.
func (p *Provisioning) List(ctx context.Context, f PersonFilter, offset, limit int) ([]user.User, int, error) {
	if f.None {
		return nil, 0, nil
	}
	return p.reader.ListPeople(ctx, f, offset, limit)
}

// Create makes an account without a password, which the person enters by an external service with that address,
// or confirms one that nobody has confirmed yet. user.ErrEmailTaken if somebody has the address.
func (p *Provisioning) Create(ctx context.Context, person user.Person, from user.ClientInfo) (u user.User, err error) {
	address, err := user.ParseEmail(person.Email)
	if err != nil {
		return u, err
	}
	person = person.Clean()
	err = p.WithAddressLock(ctx, []user.Email{address}, func(ctx context.Context, st *tx) (err error) {
		u, err = p.create(ctx, st, address, person, from)
		return err
	})
	return u, err
}

func (p *Provisioning) create(
	ctx context.Context, st *tx, address user.Email, person user.Person, from user.ClientInfo,
) (user.User, error) {
	u, exists, err := auth.Optional(st.LockUserByEmail(ctx, address))
	switch {
	case err != nil:
		return u, err
	case u.Verified:
		return u, user.ErrEmailTaken
	}
	events := []event.Event{}
	if !exists {
		if err := p.mustBeFree(ctx, st, address, 0); err != nil {
			return u, err
		}
		u = user.User{ID: user.ID(p.NextID()), Email: address, CreatedAt: p.Now()}
		events = append(events, event.OfUser(event.UserCreated, u.ID))
	}
	u.Verified, u.PasswordHash = true, ""
	u.Describe(person)
	if !person.Active && !u.Suspended() {
		u.SuspendedAt, u.Directory.Inactive = p.Now(), true
	}
	u.AdvanceEpoch(p.NextID())
	if err := st.SaveUser(ctx, u); err != nil {
		return u, err
	}
	if err := p.deletePending(ctx, st, u, 0); err != nil {
		return u, err
	}
	return u, st.RecordSideEffects(ctx, auth.SideEffects{
		AuditEntries: []audit.Entry{p.AuditEntry(directory(from), "user.provisioned", u.ID, bySCIM)},
		Events:       p.StampEvents(append(events, event.OfUser(event.UserVerified, u.ID))...),
	})
}

// Change runs change on an account as the directory knows it and saves what is different: another address moves the
// account, a person who is inactive is suspended, as by Users.Suspend, and one who is active again signs in unless an
// admin has suspended the account. change may run more than once. user.ErrEmailTaken if another account has the
// address, ErrProvisionedOwner for an owner.
func (p *Provisioning) Change(ctx context.Context, id user.ID, change func(*user.Person) error, from user.ClientInfo) (user.User, error) {
	known, err := p.Storage.FindUser(ctx, id)
	if err != nil {
		return known, err
	}
	planned := known.Person()
	if err := change(&planned); err != nil {
		return known, err
	}
	address, err := user.ParseEmail(planned.Email)
	if err != nil {
		return known, err
	}
	ended, err := p.ActiveSessionsEnded(ctx, known, event.EndedByAdmin, 0)
	if err != nil {
		return known, err
	}
	var u user.User
	err = p.WithAddressLock(ctx, addressesOf(known.Email, address), func(ctx context.Context, st *tx) (err error) {
		u, err = p.change(ctx, st, id, change, personChange{known.Email, address, directory(from), ended})
		return err
	})
	if err == nil && u.Epoch != known.Epoch {
		p.revokeSupersededSessions(ctx, id)
	}
	return u, err
}

// personChange is what Provisioning.Change knows before its transaction.
type personChange struct {
	from, to user.Email // whose locks it has
	by       user.Caller
	ended    []event.Event // of the user's sessions
}

func (p *Provisioning) change(ctx context.Context, st *tx, id user.ID, change func(*user.Person) error, c personChange) (user.User, error) {
	if _, err := st.LockOwners(ctx); err != nil { // before a user, as in every transaction
		return user.User{}, err
	}
	u, err := st.LockUser(ctx, id)
	if err != nil {
		return u, err
	}
	before := u.Person()
	after := before
	if err := change(&after); err != nil {
		return u, err
	}
	to, err := user.ParseEmail(after.Email)
	if err != nil {
		return u, err
	}
	if u.Email != c.from || to != c.to {
		return u, ErrAddressMoved
	}
	after = after.Clean()
	after.Email, after.Lang = string(to), after.Lang.Or(before.Lang)
	switch {
	case after == before:
		return u, nil
	case u.Role == user.Owner:
		return u, ErrProvisionedOwner
	}
	u.Describe(after)
	if to != c.from {
		err = p.rename(ctx, st, &u, c)
	} else if after.Active == before.Active {
		err = st.SaveUser(ctx, u)
	}
	if err == nil && after.Active != before.Active {
		u, err = p.activate(ctx, st, u, after.Active, c)
	}
	return u, err
}

// rename moves an account to another address. Nobody can undo that, and the former address is free for others: a
// directory gives it away when it likes.
func (p *Provisioning) rename(ctx context.Context, st *tx, u *user.User, c personChange) error {
	other, exists, err := auth.Optional(st.LockUserByEmail(ctx, c.to))
	if err != nil {
		return err
	}
	if exists && other.ID != u.ID {
		return user.ErrEmailTaken
	}
	if err := p.mustBeFree(ctx, st, c.to, u.ID); err != nil {
		return err
	}
	u.Email = c.to
	if err := p.setUniversity(ctx, st, u); err != nil {
		return err
	}
	if err := p.saveMoved(ctx, st, *u, c.from); err != nil {
		return err
	}
	return st.RecordSideEffects(ctx, auth.SideEffects{AuditEntries: []audit.Entry{p.AuditEntry(c.by, "user.email_changed", u.ID, bySCIM)}})
}

// activate suspends an account or lifts a suspension of the directory.
func (p *Provisioning) activate(ctx context.Context, st *tx, u user.User, active bool, c personChange) (user.User, error) {
	if !active {
		u.Directory.Inactive = true
		return p.users.suspendLocked(ctx, st, u, suspension{by: c.by, operator: true, reason: deactivated, detail: bySCIM, ended: c.ended})
	}
	if !u.Directory.Inactive { // an admin has suspended the account
		return u, st.SaveUser(ctx, u)
	}
	return p.users.unsuspendLocked(ctx, st, u, c.by, bySCIM)
}

// Delete erases an account as Users.Delete does. ErrProvisionedOwner for an owner.
func (p *Provisioning) Delete(ctx context.Context, id user.ID, check func(user.Person) error, from user.ClientInfo) error {
	u, err := p.Storage.FindUser(ctx, id)
	if err != nil {
		return err
	}
	addresses := []user.Email{u.Email}
	err = p.WithAddressLock(ctx, addresses, func(ctx context.Context, st *tx) error {
		if _, err := st.LockOwners(ctx); err != nil {
			return err
		}
		u, err := st.LockUser(ctx, id)
		if err != nil {
			return err
		}
		if err := check(u.Person()); err != nil {
			return err
		}
		if u.Role == user.Owner {
			return ErrProvisionedOwner
		}
		return p.users.erase(ctx, st, outranking, []user.ID{id}, addresses, func(id user.ID) audit.Entry {
			return p.AuditEntry(directory(from), "user.deleted", id, bySCIM)
		})
	})
	if err == nil {
		p.revokeSupersededSessions(ctx, id)
	}
	return err
}

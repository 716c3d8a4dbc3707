package memstore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/user"
)

// Identity implements auth.UserReader, auth.AdminReader, auth.LinkReader,
// auth.SecondFactorReader, auth.ClientReader, auth.DueDeletionReader and auth.Database.
type Identity struct {
	store  *Store
	market *marketHooks // nil where there is no marketplace
}

// marketHooks are what the marketplace does in transactions that withdraw users.
type marketHooks struct {
	market.Deps
	first []func(context.Context, market.Stores) error // before OnUserWithdrawn
}

// Identity returns a view of the store without a marketplace.
func (s *Store) Identity() *Identity { return &Identity{store: s} }

// WithMarket returns a view that also removes deleted users from the marketplace, in
// the same transaction. See market.Deps.OnUsersDeleted. When it withdraws a user, it runs
// first before anything else.
func (i *Identity) WithMarket(d market.Deps, first ...func(context.Context, market.Stores) error) *Identity {
	return &Identity{i.store, &marketHooks{d, first}}
}

// FindUser implements auth.UserReader.
func (i *Identity) FindUser(ctx context.Context, id user.ID) (u user.User, err error) {
	err = i.store.read(ctx, func() (err error) {
		u, err = i.store.userByID(id)
		return err
	})
	return u, err
}

// FindEpochs returns the epochs of users; those who do not exist are missing.
func (i *Identity) FindEpochs(ctx context.Context, of []user.ID) (map[user.ID]int64, error) {
	found := map[user.ID]int64{}
	return found, i.store.read(ctx, func() error {
		for _, id := range of {
			if u, err := i.store.userByID(id); err == nil {
				found[id] = u.Epoch
			}
		}
		return nil
	})
}

// FindUserByEmail implements auth.UserReader.
func (i *Identity) FindUserByEmail(ctx context.Context, email user.Email) (u user.User, err error) {
	err = i.store.read(ctx, func() (err error) {
		u, err = i.store.userByEmail(email)
		return err
	})
	return u, err
}

// IsKnownClient implements auth.UserReader.
func (i *Identity) IsKnownClient(ctx context.Context, email user.Email, name string, now time.Time) (known bool, err error) {
	err = i.store.read(ctx, func() error {
		if u, err := i.store.userByEmail(email); err == nil {
			known = now.Before(i.store.tables.auth.knownClients[knownClient{u.ID, name}])
		}
		return nil
	})
	return known, err
}

func (s *Store) userByID(id user.ID) (user.User, error) {
	u, ok := s.tables.auth.users[id]
	if !ok || u.Email == "" {
		return user.User{}, user.ErrNotFound
	}
	return ownProfile(u), nil
}

func (s *Store) userByEmail(email user.Email) (user.User, error) {
	for _, u := range s.tables.auth.users {
		if u.Email == email && email != "" {
			return ownProfile(u), nil
		}
	}
	return user.User{}, user.ErrNotFound
}

// ownProfile copies the profile, so that callers cannot modify the stored one.
func ownProfile(u user.User) user.User {
	if u.Profile != nil {
		p := *u.Profile
		u.Profile = &p
	}
	return u
}

// ListUsers implements auth.AdminReader.
func (i *Identity) ListUsers(ctx context.Context, f auth.UserFilter, before user.ID, limit int) (all []user.User, err error) {
	address, key := strings.ToLower(f.Search), user.FoldName(f.Search)
	err = i.store.read(ctx, func() error {
		for _, u := range i.store.tables.auth.users {
			hit := strings.Contains(string(u.Email), address) ||
				f.InNames && key != "" && u.Profile != nil && strings.Contains(u.Profile.NameKey(), key)
			if u.Email != "" && hit && (f.University == "" || user.SameUniversity(u.University(), f.University)) && (before == 0 || u.ID < before) {
				all = append(all, ownProfile(u))
			}
		}
		return nil
	})
	slices.SortFunc(all, func(a, b user.User) int { return cmp.Compare(b.ID, a.ID) })
	return all[:min(limit, len(all))], err
}

// ListAuditEntries implements auth.AdminReader.
func (i *Identity) ListAuditEntries(ctx context.Context, f auth.AuditFilter, before int64, limit int) (all []audit.Entry, err error) {
	err = i.store.read(ctx, func() error {
		for _, e := range i.store.tables.auth.entries {
			if selectsAudit(f, e) && (before == 0 || e.ID < before) {
				all = append(all, e)
			}
		}
		return nil
	})
	slices.SortFunc(all, func(a, b audit.Entry) int { return cmp.Compare(b.ID, a.ID) })
	return all[:min(limit, len(all))], err
}

func selectsAudit(f auth.AuditFilter, e audit.Entry) bool {
	return (f.User == 0 || e.Actor == f.User || e.Target == f.User.String()) && (f.Action == "" || e.Action == f.Action) &&
		!e.At.Before(f.Since) && (f.Until.IsZero() || e.At.Before(f.Until))
}

// ListOpenInvitations implements auth.AdminReader.
func (i *Identity) ListOpenInvitations(ctx context.Context, now time.Time) (all []auth.Invitation, err error) {
	err = i.store.read(ctx, func() error {
		for _, inv := range i.store.tables.auth.invitations {
			if inviter, err := i.store.userByID(inv.InvitedBy); err == nil && inviter.Role >= user.Admin && !inviter.Suspended() && inv.open(now) {
				all = append(all, inv.Invitation)
			}
		}
		return nil
	})
	slices.SortFunc(all, func(a, b auth.Invitation) int { return cmp.Compare(b.ID, a.ID) })
	return all, err
}

// ListDueDeletions implements auth.DueDeletionReader.
func (i *Identity) ListDueDeletions(ctx context.Context, now time.Time, n int) (all []user.User, err error) {
	err = i.store.read(ctx, func() error {
		for _, u := range i.store.tables.auth.users {
			if u.Leaving() && !u.DeleteAt.After(now) {
				all = append(all, ownProfile(u))
			}
		}
		return nil
	})
	slices.SortFunc(all, func(a, b user.User) int { return cmp.Or(a.DeleteAt.Compare(b.DeleteAt), cmp.Compare(a.ID, b.ID)) })
	return all[:min(n, len(all))], err
}

func (i invitation) open(now time.Time) bool {
	return !i.revoked && i.AcceptedAt.IsZero() && now.Before(i.ExpiresAt)
}

// FindLink implements auth.LinkReader.
func (i *Identity) FindLink(ctx context.Context, digest [sha256.Size]byte) (found challenge.Challenge, err error) {
	err = i.store.read(ctx, func() error {
		for _, c := range i.store.tables.auth.challenges {
			if c.Digest == digest {
				found = c
				return nil
			}
		}
		return challenge.ErrLinkInvalid
	})
	return found, err
}

// FindRegistration implements auth.LinkReader.
func (i *Identity) FindRegistration(ctx context.Context, id int64, now time.Time) (found user.Registration, err error) {
	err = i.store.read(ctx, func() error {
		r, ok := i.store.tables.auth.registrations[id]
		if !ok || !now.Before(r.ExpiresAt) {
			return challenge.ErrLinkInvalid
		}
		found = r
		return nil
	})
	return found, err
}

// WithAddressLock is Atomically, because transactions never run concurrently here.
func (i *Identity) WithAddressLock(ctx context.Context, _ []user.Email, fn func(context.Context, auth.Stores) error) error {
	return i.Atomically(ctx, fn)
}

// Atomically implements auth.Database.
func (i *Identity) Atomically(ctx context.Context, fn func(context.Context, auth.Stores) error) error {
	return i.store.atomically(ctx, func() error {
		return fn(ctx, auth.Stores{
			Users:         users{i.store, i.market},
			Registrations: registrations{i.store},
			Challenges:    challenges{i.store},
			Invitations:   invitations{i.store},
			Ceremonies:    ceremonies{i.store},
			Identities:    identities{i.store},
			Passkeys:      passkeys{i.store},
			SecondFactors: secondFactors{i.store},
			EmailChanges:  emailChanges{i.store},
			Clients:       clients{i.store},
			SideEffects:   sideEffects{i.store},
		})
	})
}

package memstore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"maps"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/passkey"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// The stores of one transaction. They exist only while the store is locked.
type (
	users struct {
		store  *Store
		market *marketHooks
	}
	registrations struct{ store *Store }
	challenges    struct{ store *Store }
	invitations   struct{ store *Store }
	ceremonies    struct{ store *Store }
	sideEffects   struct{ store *Store }
)

func (u users) LockUser(_ context.Context, id user.ID) (user.User, error) {
	return u.store.userByID(id)
}

func (u users) LockUserByEmail(_ context.Context, email user.Email) (user.User, error) {
	return u.store.userByEmail(email)
}

func (u users) LockOwners(context.Context) ([]user.ID, error) {
	var ids []user.ID
	for _, o := range u.store.tables.auth.users {
		if o.Role == user.Owner && o.Email != "" && !o.Suspended() && !o.Leaving() {
			ids = append(ids, o.ID)
		}
	}
	slices.Sort(ids)
	return ids, nil
}

func (u users) SaveUser(_ context.Context, saved user.User) error {
	if other, err := u.store.userByEmail(saved.Email); err == nil && other.ID != saved.ID {
		return user.ErrEmailTaken
	}
	u.store.tables.auth.users[saved.ID] = ownProfile(saved)
	return nil
}

func (u users) EraseUsers(ctx context.Context, ids []user.ID, now time.Time) error {
	if u.market != nil { // the marketplace may still need the names
		if err := u.market.OnUsersDeleted(ctx, u.store.marketStores(), ids, now); err != nil {
			return err
		}
	}
	t := u.store.tables.auth
	for _, id := range ids {
		gone, err := u.store.userByID(id)
		if err != nil {
			return err
		}
		maps.DeleteFunc(t.registrations, func(_ int64, r user.Registration) bool { return r.Email == gone.Email })
		maps.DeleteFunc(t.challenges, func(k challengeKey, _ challenge.Challenge) bool { return k.email == gone.Email })
		maps.DeleteFunc(t.ceremonies, func(_ [sha256.Size]byte, c challenge.Ceremony) bool { return c.User == id })
		maps.DeleteFunc(t.identities, func(_ identity.ID, i identity.Identity) bool { return i.User == id })
		maps.DeleteFunc(t.passkeys, func(_ passkey.ID, p passkey.Passkey) bool { return p.User == id })
		delete(t.secondFactors, id)
		maps.DeleteFunc(t.remembered, func(_ [sha256.Size]byte, d auth.RememberedDevice) bool { return d.User == id })
		maps.DeleteFunc(t.grants, func(k grantKey, _ openid.Grant) bool { return k.of == id })
		maps.DeleteFunc(t.invitations, func(_ auth.InvitationID, i invitation) bool { return i.User == id })
		maps.DeleteFunc(t.devices, func(d device, _ time.Time) bool { return d.of == id })
		maps.DeleteFunc(t.knownClients, func(s knownClient, _ time.Time) bool { return s.of == id })
		maps.DeleteFunc(t.sessions, func(_ user.SessionID, s session.Session) bool { return s.User == id })
		u.store.eraseEmailChanges(id)
		u.store.eraseRecipients(gone.Email)
		t.users[id] = user.User{ID: id, Epoch: gone.Epoch + 1, CreatedAt: gone.CreatedAt, Lang: gone.Lang}
	}
	return nil
}

func (u users) CheckMove(ctx context.Context, id user.ID) error {
	if u.market == nil {
		return nil
	}
	return u.market.OnUserMoves(ctx, u.store.marketStores(), id)
}

func (u users) WithdrawUser(ctx context.Context, w user.Withdrawal, now time.Time) error {
	if u.market == nil {
		return nil
	}
	for _, do := range u.market.first {
		if err := do(ctx, u.store.marketStores()); err != nil {
			return err
		}
	}
	return u.market.OnUserWithdrawn(ctx, u.store.marketStores(), w, now)
}

func (r registrations) LockRegistrations(_ context.Context, email user.Email, now time.Time) ([]user.Registration, error) {
	var all []user.Registration
	for _, one := range r.store.tables.auth.registrations {
		if one.Email == email && now.Before(one.ExpiresAt) {
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b user.Registration) int { return cmp.Compare(b.ID, a.ID) })
	return all, nil
}

func (r registrations) AddRegistration(ctx context.Context, added user.Registration) error {
	all, err := r.LockRegistrations(ctx, added.Email, added.CreatedAt)
	if err != nil {
		return err
	}
	if len(all) > 0 {
		added.SetPredecessor(all[0])
	}
	for _, id := range added.Evict(all) {
		delete(r.store.tables.auth.registrations, id)
	}
	r.store.tables.auth.registrations[added.ID] = added
	return nil
}

func (r registrations) MarkRegistrationMailed(_ context.Context, id int64, until time.Time) error {
	if one, ok := r.store.tables.auth.registrations[id]; ok {
		one.Mailed = true
		if until.After(one.ExpiresAt) {
			one.ExpiresAt = until
		}
		r.store.tables.auth.registrations[id] = one
	}
	return nil
}

func (r registrations) DeleteRegistrations(_ context.Context, email user.Email) error {
	maps.DeleteFunc(r.store.tables.auth.registrations, func(_ int64, one user.Registration) bool { return one.Email == email })
	return nil
}

func (c challenges) PutChallenge(_ context.Context, put challenge.Challenge, replaced ...challenge.Purpose) error {
	t := c.store.tables.auth.challenges
	for _, p := range replaced {
		delete(t, challengeKey{p, put.Email, put.Subject})
	}
	t[challengeKey{put.Purpose, put.Email, put.Subject}] = put
	return nil
}

func (c challenges) CountAttempt(_ context.Context, p challenge.Purpose, email user.Email, by challenge.Client, now time.Time) ([]challenge.Challenge, error) {
	var open []challenge.Challenge
	for k, one := range c.store.tables.auth.challenges {
		if k.purpose != p || k.email != email || !one.Open(now) {
			continue
		}
		var counted bool
		if one.Attempts, counted = one.Attempts.Add(by); counted {
			c.store.tables.auth.challenges[k] = one
			open = append(open, one)
		}
	}
	return open, nil
}

func (c challenges) UseChallenge(_ context.Context, used challenge.Challenge, now time.Time) (bool, error) {
	k := challengeKey{used.Purpose, used.Email, used.Subject}
	one, ok := c.store.tables.auth.challenges[k]
	if !ok || one.Digest != used.Digest || !one.UsedAt.IsZero() || !now.Before(one.ExpiresAt) {
		return false, nil
	}
	one.UsedAt = now
	c.store.tables.auth.challenges[k] = one
	return true, nil
}

func (c challenges) DeleteChallenges(_ context.Context, email user.Email, except int64, purposes ...challenge.Purpose) error {
	maps.DeleteFunc(c.store.tables.auth.challenges, func(k challengeKey, _ challenge.Challenge) bool {
		return k.email == email && slices.Contains(purposes, k.purpose) && (except == 0 || k.subject != except)
	})
	return nil
}

func (i invitations) AddInvitation(_ context.Context, added auth.Invitation) error {
	i.store.tables.auth.invitations[added.ID] = invitation{Invitation: added}
	return nil
}

func (i invitations) AcceptInvitation(_ context.Context, id auth.InvitationID, now time.Time) (auth.Invitation, error) {
	return i.close(id, now, func(inv *invitation) { inv.AcceptedAt = now })
}

func (i invitations) RevokeInvitation(_ context.Context, id auth.InvitationID, now time.Time) (auth.Invitation, error) {
	return i.close(id, now, func(inv *invitation) { inv.revoked = true })
}

func (i invitations) close(id auth.InvitationID, now time.Time, how func(*invitation)) (auth.Invitation, error) {
	inv, ok := i.store.tables.auth.invitations[id]
	if !ok || !inv.open(now) {
		return auth.Invitation{}, auth.ErrInvitationNotFound
	}
	how(&inv)
	i.store.tables.auth.invitations[id] = inv
	return inv.Invitation, nil
}

func (i invitations) RevokeUserInvitation(_ context.Context, of user.ID, _ time.Time) (revoked auth.Invitation, err error) {
	for id, inv := range i.store.tables.auth.invitations {
		if inv.User == of && inv.AcceptedAt.IsZero() && !inv.revoked {
			inv.revoked = true
			i.store.tables.auth.invitations[id], revoked = inv, inv.Invitation
		}
	}
	return revoked, nil
}

func (t sideEffects) RecordSideEffects(_ context.Context, effects auth.SideEffects) error {
	t.store.record(effects)
	return nil
}

func (t sideEffects) RecordDecoy(context.Context, auth.SideEffects) error { return nil }

// record stores side effects. Call it inside atomically.
func (s *Store) record(t auth.SideEffects) {
	for _, e := range t.AuditEntries {
		s.tables.auth.entries[e.ID] = e
	}
	s.addMessages(t.Messages...)
	s.addEvents(t.Events...)
	if t.KnownClient != nil {
		s.addKnownClient(*t.KnownClient)
	}
}

// addKnownClient stores a known client and deletes the oldest beyond
// auth.MaxKnownClients. For a deleted user it stores nothing.
func (s *Store) addKnownClient(k auth.KnownClient) {
	if _, err := s.userByID(k.User); err != nil {
		return
	}
	all := s.tables.auth.knownClients
	all[knownClient{k.User, k.Key}] = k.Until
	var own []knownClient
	for one := range all {
		if one.of == k.User {
			own = append(own, one)
		}
	}
	slices.SortFunc(own, func(a, b knownClient) int { return cmp.Or(all[b].Compare(all[a]), cmp.Compare(a.name, b.name)) })
	for _, one := range own[min(auth.MaxKnownClients, len(own)):] {
		delete(all, one)
	}
}

func (c ceremonies) PutCeremony(_ context.Context, put challenge.Ceremony) error {
	put.State = slices.Clone(put.State)
	c.store.tables.auth.ceremonies[put.Digest] = put
	return nil
}

func (c ceremonies) LockCeremony(_ context.Context, p challenge.Purpose, digest [sha256.Size]byte, now time.Time) (challenge.Ceremony, error) {
	found, ok := c.store.tables.auth.ceremonies[digest]
	if !ok || found.Purpose != p || !now.Before(found.ExpiresAt) {
		return challenge.Ceremony{}, challenge.ErrCeremonyInvalid
	}
	found.State = slices.Clone(found.State)
	return found, nil
}

func (c ceremonies) DeleteCeremony(_ context.Context, digest [sha256.Size]byte) error {
	delete(c.store.tables.auth.ceremonies, digest)
	return nil
}

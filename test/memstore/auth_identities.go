package memstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/user"
)

// identities implements auth.IdentityStore.
type identities struct{ store *Store }

// ListIdentities implements auth.IdentityReader.
func (i *Identity) ListIdentities(ctx context.Context, of user.ID) (all []identity.Identity, err error) {
	err = i.store.read(ctx, func() error {
		all, err = identities{i.store}.ListIdentities(ctx, of)
		return err
	})
	return all, err
}

func (i identities) ListIdentities(_ context.Context, of user.ID) (all []identity.Identity, _ error) {
	for _, one := range i.store.tables.auth.identities {
		if one.User == of {
			all = append(all, one)
		}
	}
	slices.SortFunc(all, func(a, b identity.Identity) int { return cmp.Compare(a.ID, b.ID) })
	return all, nil
}

func (i identities) FindIdentity(_ context.Context, provider, subject string) (identity.Identity, error) {
	for _, one := range i.store.tables.auth.identities {
		if one.Provider == provider && one.Subject == subject {
			return one, nil
		}
	}
	return identity.Identity{}, identity.ErrNotFound
}

func (i identities) AddIdentity(ctx context.Context, added identity.Identity) error {
	if _, err := i.FindIdentity(ctx, added.Provider, added.Subject); err == nil {
		return identity.ErrTaken
	}
	i.store.tables.auth.identities[added.ID] = added
	return nil
}

func (i identities) DeleteIdentity(_ context.Context, of user.ID, id identity.ID) error {
	if one, ok := i.store.tables.auth.identities[id]; !ok || one.User != of {
		return identity.ErrNotFound
	}
	delete(i.store.tables.auth.identities, id)
	return nil
}

func (i identities) DeleteIdentitiesSince(_ context.Context, of user.ID, since time.Time) (int, error) {
	all := i.store.tables.auth.identities
	before := len(all)
	maps.DeleteFunc(all, func(_ identity.ID, one identity.Identity) bool { return one.User == of && !one.CreatedAt.Before(since) })
	return before - len(all), nil
}

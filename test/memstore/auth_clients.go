package memstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/octavo-books/octavo/domain/openid"
	"github.com/octavo-books/octavo/domain/user"
)

// grantKey identifies what a user has allowed a client.
type grantKey struct {
	of     user.ID
	client string
}

// FindClient implements auth.ClientReader.
func (i *Identity) FindClient(ctx context.Context, id string) (found openid.Client, err error) {
	err = i.store.read(ctx, func() error {
		one, ok := i.store.tables.auth.clients[id]
		if !ok {
			return openid.ErrClientNotFound
		}
		found = copyOfClient(one)
		return nil
	})
	return found, err
}

func copyOfClient(c openid.Client) openid.Client {
	c.RedirectURIs, c.PostLogoutRedirectURIs = slices.Clone(c.RedirectURIs), slices.Clone(c.PostLogoutRedirectURIs)
	return c
}

// ListClients implements auth.ClientReader.
func (i *Identity) ListClients(ctx context.Context) (all []openid.Client, err error) {
	err = i.store.read(ctx, func() error {
		for _, one := range i.store.tables.auth.clients {
			all = append(all, copyOfClient(one))
		}
		return nil
	})
	slices.SortFunc(all, func(a, b openid.Client) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	})
	return all, err
}

// ListGrants implements auth.ClientReader.
func (i *Identity) ListGrants(ctx context.Context, of user.ID) (all []openid.Grant, err error) {
	err = i.store.read(ctx, func() error {
		for key, g := range i.store.tables.auth.grants {
			if key.of == of {
				all = append(all, g)
			}
		}
		return nil
	})
	slices.SortFunc(all, func(a, b openid.Grant) int {
		return cmp.Or(a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.Client, b.Client))
	})
	return all, err
}

// ListGrantees implements auth.ClientReader.
func (i *Identity) ListGrantees(ctx context.Context, client string, after user.ID, n int) (all []user.ID, err error) {
	err = i.store.read(ctx, func() error {
		for key := range i.store.tables.auth.grants {
			if key.client == client && key.of > after {
				all = append(all, key.of)
			}
		}
		return nil
	})
	slices.Sort(all)
	return all[:min(n, len(all))], err
}

// clients implements auth.ClientStore.
type clients struct{ store *Store }

func (c clients) AddClient(_ context.Context, added openid.Client) error {
	c.store.tables.auth.clients[added.ID] = copyOfClient(added)
	return nil
}

func (c clients) SetSecretHash(_ context.Context, id string, hash openid.SecretHash) error {
	found, ok := c.store.tables.auth.clients[id]
	if !ok {
		return openid.ErrClientNotFound
	}
	found.SecretHash = hash
	c.store.tables.auth.clients[id] = found
	return nil
}

func (c clients) DeleteClient(_ context.Context, id string) (bool, error) {
	_, ok := c.store.tables.auth.clients[id]
	delete(c.store.tables.auth.clients, id)
	return ok, nil
}

func (c clients) LockGrant(_ context.Context, of user.ID, client string) (openid.Grant, error) {
	g, ok := c.store.tables.auth.grants[grantKey{of, client}]
	if !ok {
		return openid.Grant{}, openid.ErrGrantNotFound
	}
	return g, nil
}

func (c clients) SaveGrant(_ context.Context, g openid.Grant) error {
	c.store.tables.auth.grants[grantKey{g.User, g.Client}] = g
	return nil
}

func (c clients) DeleteGrantsSince(_ context.Context, of user.ID, since time.Time) error {
	maps.DeleteFunc(c.store.tables.auth.grants, func(k grantKey, g openid.Grant) bool { return k.of == of && !g.ChangedAt.Before(since) })
	return nil
}

func (c clients) DeleteGrant(_ context.Context, of user.ID, client string) (bool, error) {
	key := grantKey{of, client}
	_, ok := c.store.tables.auth.grants[key]
	delete(c.store.tables.auth.grants, key)
	return ok, nil
}

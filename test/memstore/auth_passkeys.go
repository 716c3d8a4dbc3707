package memstore

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"github.com/octavo-books/octavo/domain/passkey"
	"github.com/octavo-books/octavo/domain/user"
)

type passkeys struct{ store *Store }

// ListPasskeys implements auth.PasskeyReader.
func (i *Identity) ListPasskeys(ctx context.Context, of user.ID) (all []passkey.Passkey, err error) {
	err = i.store.read(ctx, func() error {
		all = i.store.passkeysOf(of)
		return nil
	})
	return all, err
}

func (s *Store) passkeysOf(of user.ID) (all []passkey.Passkey) {
	for _, p := range s.tables.auth.passkeys {
		if p.User == of {
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b passkey.Passkey) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

func (p passkeys) LockPasskeys(_ context.Context, of user.ID) ([]passkey.Passkey, error) {
	return p.store.passkeysOf(of), nil
}

func (p passkeys) AddPasskey(_ context.Context, added passkey.Passkey) error {
	for _, other := range p.store.tables.auth.passkeys {
		if bytes.Equal(other.CredentialID, added.CredentialID) {
			return passkey.ErrInvalid
		}
	}
	p.store.tables.auth.passkeys[added.ID] = added
	return nil
}

func (p passkeys) SavePasskeyUse(_ context.Context, used passkey.Passkey) error {
	if saved, ok := p.store.tables.auth.passkeys[used.ID]; ok {
		saved.Counter, saved.LastUsedAt = used.Counter, used.LastUsedAt
		p.store.tables.auth.passkeys[used.ID] = saved
	}
	return nil
}

func (p passkeys) DeletePasskeys(_ context.Context, of user.ID, ids ...passkey.ID) (deleted int, err error) {
	for _, id := range ids {
		if p.store.tables.auth.passkeys[id].User == of && of != 0 {
			delete(p.store.tables.auth.passkeys, id)
			deleted++
		}
	}
	return deleted, nil
}

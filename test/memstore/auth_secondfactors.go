package memstore

import (
	"cmp"
	"context"
	"crypto/sha256"
	"maps"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/user"
)

// HasSecondFactor implements auth.SecondFactorReader.
func (i *Identity) HasSecondFactor(ctx context.Context, of user.ID) (on bool, err error) {
	err = i.store.read(ctx, func() error {
		on = i.store.tables.auth.secondFactors[of].On()
		return nil
	})
	return on, err
}

// IsRememberedDevice implements auth.SecondFactorReader.
func (i *Identity) IsRememberedDevice(ctx context.Context, of user.ID, epoch int64, digests [][sha256.Size]byte, now time.Time) (remembered bool, err error) {
	err = i.store.read(ctx, func() error {
		for _, digest := range digests {
			d, ok := i.store.tables.auth.remembered[digest]
			remembered = remembered || ok && d.User == of && d.Epoch == epoch && now.Before(d.ExpiresAt)
		}
		return nil
	})
	return remembered, err
}

// secondFactors implements auth.SecondFactorStore within a transaction.
type secondFactors struct{ store *Store }

func (s secondFactors) LockSecondFactor(_ context.Context, of user.ID) (auth.SecondFactor, error) {
	f, ok := s.store.tables.auth.secondFactors[of]
	if !ok {
		return f, auth.ErrSecondFactorOff
	}
	return copySecondFactor(f), nil
}

func (s secondFactors) PutSecondFactor(_ context.Context, f auth.SecondFactor) error {
	s.store.tables.auth.secondFactors[f.User] = copySecondFactor(f)
	return nil
}

func copySecondFactor(f auth.SecondFactor) auth.SecondFactor {
	f.SealedSecret, f.Recovery = slices.Clone(f.SealedSecret), slices.Clone(f.Recovery)
	return f
}

func (s secondFactors) DeleteSecondFactor(_ context.Context, of user.ID) error {
	delete(s.store.tables.auth.secondFactors, of)
	maps.DeleteFunc(s.store.tables.auth.remembered, func(_ [sha256.Size]byte, d auth.RememberedDevice) bool { return d.User == of })
	return nil
}

func (s secondFactors) RememberDevice(_ context.Context, d auth.RememberedDevice) error {
	all := s.store.tables.auth.remembered
	all[d.Digest] = d
	var own []auth.RememberedDevice
	for _, one := range all {
		if one.User == d.User {
			own = append(own, one)
		}
	}
	slices.SortFunc(own, func(a, b auth.RememberedDevice) int {
		return cmp.Or(b.ExpiresAt.Compare(a.ExpiresAt), slices.Compare(a.Digest[:], b.Digest[:]))
	})
	for _, one := range own[min(len(own), auth.MaxRememberedDevices):] {
		delete(all, one.Digest)
	}
	return nil
}

package authcontract

import (
	"context"
	"crypto/sha256"
	"reflect"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/factors"
	"github.com/octavo-books/octavo/domain/totp"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

// SecondFactors tests factors.Reader and factors.Store.
func SecondFactors(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, authkit.Stores){
		"a second factor is found as it was stored":                   secondFactorRoundTrip,
		"a device is remembered in its user's epoch until it expires": rememberedDevice,
		"a user has a limited number of remembered devices":           rememberedDevicesLimited,
		"deleting a second factor forgets its devices":                secondFactorDeleted,
		"a deleted user leaves no second factor and no device":        secondFactorErased,
		"expired devices are deleted":                                 rememberedDeviceSwept,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func someSecondFactor(of user.ID) factors.SecondFactor {
	return factors.SecondFactor{
		User: of, SealedSecret: []byte("sealed:\x00secret"), StartedAt: monday, ConfirmedAt: monday.Add(time.Minute), LastStep: 59_000_000,
		Recovery: []totp.Digest{{1}, {2}, {3}},
	}
}

func putSecondFactor(t *testing.T, s authkit.Stores, f factors.SecondFactor) {
	t.Helper()
	atomically(t, s, func(ctx context.Context, st auth.Stores) error {
		return s.Identity.FactorsStore(st).PutSecondFactor(ctx, f)
	})
}

func lockSecondFactor(s authkit.Stores, of user.ID) (f factors.SecondFactor, err error) {
	err = s.Identity.Atomically(ctx, func(ctx context.Context, st auth.Stores) (err error) {
		f, err = s.Identity.FactorsStore(st).LockSecondFactor(ctx, of)
		return err
	})
	return f, err
}

func secondFactorRoundTrip(t *testing.T, s authkit.Stores) {
	addUser(t, s, 3)
	addUser(t, s, 4)
	full := someSecondFactor(3)
	pending := factors.SecondFactor{User: 3, SealedSecret: []byte("x"), StartedAt: monday}
	for _, put := range []factors.SecondFactor{pending, full, pending} {
		putSecondFactor(t, s, put)
		found := must.Get(lockSecondFactor(s, 3))(t)
		if !reflect.DeepEqual(found, put) {
			t.Errorf("found %+v, put %+v", found, put)
		}
		on, err := s.Identity.HasSecondFactor(ctx, 3)
		if err != nil || on != put.On() {
			t.Errorf("the second factor is on: %t, %v", on, err)
		}
	}
	want(t, must.Err(lockSecondFactor(s, 4)), auth.ErrSecondFactorOff)
	if on, err := s.Identity.HasSecondFactor(ctx, 4); err != nil || on {
		t.Errorf("the second factor of another user is on: %t, %v", on, err)
	}
}

func remember(t *testing.T, s authkit.Stores, d factors.RememberedDevice) {
	t.Helper()
	atomically(t, s, func(ctx context.Context, st auth.Stores) error {
		if _, err := st.LockUser(ctx, d.User); err != nil {
			return err
		}
		return s.Identity.FactorsStore(st).RememberDevice(ctx, d)
	})
}

func isRemembered(t *testing.T, s authkit.Stores, of user.ID, epoch int64, now time.Time, digests ...[sha256.Size]byte) bool {
	t.Helper()
	return must.Get(s.Identity.IsRememberedDevice(ctx, of, epoch, digests, now))(t)
}

func rememberedDevice(t *testing.T, s authkit.Stores) {
	addUser(t, s, 3)
	d := factors.RememberedDevice{User: 3, Digest: [32]byte{7}, Epoch: 5, ExpiresAt: monday.Add(time.Hour)}
	remember(t, s, d)
	last := d.ExpiresAt.Add(-time.Microsecond)
	for name, got := range map[string]bool{
		"another user":   isRemembered(t, s, 4, 5, monday, d.Digest),
		"a newer epoch":  isRemembered(t, s, 3, 6, monday, d.Digest),
		"another device": isRemembered(t, s, 3, 5, monday, [32]byte{8}),
		"no device":      isRemembered(t, s, 3, 5, monday),
		"its expiry":     isRemembered(t, s, 3, 5, d.ExpiresAt, d.Digest),
	} {
		if got {
			t.Errorf("the device is remembered for %s", name)
		}
	}
	if !isRemembered(t, s, 3, 5, last, d.Digest) || !isRemembered(t, s, 3, 5, last, [32]byte{8}, d.Digest, [32]byte{9}) {
		t.Error("the device is forgotten")
	}
}

func rememberedDevicesLimited(t *testing.T, s authkit.Stores) {
	addUser(t, s, 3)
	addUser(t, s, 4)
	remember(t, s, factors.RememberedDevice{User: 4, Digest: [32]byte{255}, ExpiresAt: monday.Add(time.Second)})
	for i := range factors.MaxRememberedDevices + 2 {
		remember(t, s, factors.RememberedDevice{User: 3, Digest: [32]byte{byte(i)}, ExpiresAt: monday.Add(time.Duration(i+1) * time.Minute)})
	}
	for i, want := range map[byte]bool{0: false, 1: false, 2: true, 10: true, factors.MaxRememberedDevices + 1: true} {
		if isRemembered(t, s, 3, 0, monday, [32]byte{i}) != want {
			t.Errorf("device %d is not remembered: %t", i, want)
		}
	}
	if !isRemembered(t, s, 4, 0, monday, [32]byte{255}) {
		t.Error("the device of another user is forgotten")
	}
}

func secondFactorDeleted(t *testing.T, s authkit.Stores) {
	for _, id := range []user.ID{3, 4} {
		addUser(t, s, id)
		putSecondFactor(t, s, someSecondFactor(id))
		remember(t, s, factors.RememberedDevice{User: id, Digest: [32]byte{byte(id)}, ExpiresAt: monday.Add(time.Hour)})
	}
	for range 2 {
		atomically(t, s, func(ctx context.Context, st auth.Stores) error {
			return s.Identity.FactorsStore(st).DeleteSecondFactor(ctx, 3)
		})
	}
	onlySecondFactorOf(t, s, 4, 3)
}

// onlySecondFactorOf checks that one user has a second factor with a device and the other
// one has neither.
func onlySecondFactorOf(t *testing.T, s authkit.Stores, one, other user.ID) {
	t.Helper()
	want(t, must.Err(lockSecondFactor(s, other)), auth.ErrSecondFactorOff)
	must.Get(lockSecondFactor(s, one))(t)
	if isRemembered(t, s, other, 0, monday, [32]byte{byte(other)}) || !isRemembered(t, s, one, 0, monday, [32]byte{byte(one)}) {
		t.Error("the wrong device is remembered")
	}
}

func secondFactorErased(t *testing.T, s authkit.Stores) {
	for _, id := range []user.ID{3, 4} {
		addUser(t, s, id)
		putSecondFactor(t, s, someSecondFactor(id))
		remember(t, s, factors.RememberedDevice{User: id, Digest: [32]byte{byte(id)}, ExpiresAt: monday.Add(time.Hour)})
	}
	atomically(t, s, func(ctx context.Context, st auth.Stores) error {
		return s.Identity.AccountStore(st).EraseUsers(ctx, []user.ID{3}, monday)
	})
	onlySecondFactorOf(t, s, 4, 3)
}

func rememberedDeviceSwept(t *testing.T, s authkit.Stores) {
	addUser(t, s, 3)
	remember(t, s, factors.RememberedDevice{User: 3, Digest: [32]byte{1}, ExpiresAt: monday.Add(time.Minute)})
	remember(t, s, factors.RememberedDevice{User: 3, Digest: [32]byte{2}, ExpiresAt: monday.Add(time.Hour)})
	for _, sweep := range s.Sweepers {
		must.Get(sweep(ctx, monday.Add(time.Minute), 100))(t)
	}
	if isRemembered(t, s, 3, 0, monday, [32]byte{1}) || !isRemembered(t, s, 3, 0, monday, [32]byte{2}) {
		t.Error("the wrong device was deleted")
	}
}

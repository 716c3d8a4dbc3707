package authcontract

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/passkey"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

// Passkeys tests factors.Reader and factors.Store.
func Passkeys(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, authkit.Stores){
		"a passkey is found as it was added and used":                passkeyRoundTrip,
		"a credential belongs to one passkey":                        passkeyUnique,
		"only the owner's passkeys are deleted":                      passkeyDeleted,
		"a deleted user leaves no passkey":                           passkeyErased,
		"a passkey without transports that was never used is stored": passkeyBare,
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			addUser(t, s, 3)
			addUser(t, s, 4)
			test(t, s)
		})
	}
}

func somePasskey(id passkey.ID, of user.ID) passkey.Passkey {
	return passkey.Passkey{
		ID: id, User: of, Name: "My phone", CreatedAt: monday,
		Credential: passkey.Credential{CredentialID: []byte{1, byte(id)}, PublicKey: []byte{0, 2}, Counter: 1<<32 - 2, Synced: true, Transports: []string{"usb", "nfc"}},
	}
}

func addPasskey(t *testing.T, s authkit.Stores, p passkey.Passkey) {
	t.Helper()
	atomically(t, s, func(ctx context.Context, st auth.Stores) error { return s.Identity.FactorsStore(st).AddPasskey(ctx, p) })
}

func passkeysOf(t *testing.T, s authkit.Stores, of user.ID, want ...passkey.Passkey) {
	t.Helper()
	read, err := s.Identity.ListPasskeys(ctx, of)
	must.Do(t, err)
	var locked []passkey.Passkey
	atomically(t, s, func(ctx context.Context, st auth.Stores) (err error) {
		locked, err = s.Identity.FactorsStore(st).LockPasskeys(ctx, of)
		return err
	})
	if len(read) != len(want) || len(want) > 0 && (!reflect.DeepEqual(read, want) || !reflect.DeepEqual(locked, want)) {
		t.Fatalf("user %d has\n%+v and locked\n%+v, want\n%+v", of, read, locked, want)
	}
}

func passkeyRoundTrip(t *testing.T, s authkit.Stores) {
	one, two := somePasskey(11, 3), somePasskey(12, 3)
	addPasskey(t, s, two)
	addPasskey(t, s, one)
	passkeysOf(t, s, 3, one, two)
	one.Counter, one.LastUsedAt = 1<<32-1, monday.Add(time.Hour)
	atomically(t, s, func(ctx context.Context, st auth.Stores) error {
		return s.Identity.FactorsStore(st).SavePasskeyUse(ctx, one)
	})
	passkeysOf(t, s, 3, one, two)
	passkeysOf(t, s, 4)
}

func passkeyBare(t *testing.T, s authkit.Stores) {
	p := somePasskey(11, 3)
	p.Transports, p.Counter, p.Synced = nil, 0, false
	addPasskey(t, s, p)
	passkeysOf(t, s, 3, p)
}

func passkeyUnique(t *testing.T, s authkit.Stores) {
	addPasskey(t, s, somePasskey(11, 3))
	copied := somePasskey(12, 4)
	copied.CredentialID = somePasskey(11, 3).CredentialID
	want(t, s.Identity.Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
		return s.Identity.FactorsStore(st).AddPasskey(ctx, copied)
	}), passkey.ErrInvalid)
	passkeysOf(t, s, 4)
}

func passkeyDeleted(t *testing.T, s authkit.Stores) {
	one, two, other := somePasskey(11, 3), somePasskey(12, 3), somePasskey(13, 4)
	for _, p := range []passkey.Passkey{one, two, other} {
		addPasskey(t, s, p)
	}
	atomically(t, s, func(ctx context.Context, st auth.Stores) error {
		n, err := s.Identity.FactorsStore(st).DeletePasskeys(ctx, 3, 11, 13, 99)
		none, err2 := s.Identity.FactorsStore(st).DeletePasskeys(ctx, 3)
		if n != 1 || none != 0 {
			t.Errorf("deleted %d and %d", n, none)
		}
		return errors.Join(err, err2)
	})
	passkeysOf(t, s, 3, two)
	passkeysOf(t, s, 4, other)
}

func passkeyErased(t *testing.T, s authkit.Stores) {
	addPasskey(t, s, somePasskey(11, 3))
	atomically(t, s, func(ctx context.Context, st auth.Stores) error {
		return s.Identity.AccountStore(st).EraseUsers(ctx, []user.ID{3}, monday)
	})
	passkeysOf(t, s, 3)
}

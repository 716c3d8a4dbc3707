package authcontract

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/passkey"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authenticator"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func passkeyGone(t *testing.T, k *authkit.Fixture) {
	ann, bob := provedCaller(t, k, "ann@u.edu"), provedCaller(t, k, "bob@u.edu")
	root := k.CreateCaller(t, "root@u.edu", user.Owner)
	removed, erased := newKey(), newKey()
	p := register(t, k, ann, removed)
	register(t, k, bob, erased)
	want(t, k.Passkeys.Remove(ctx, bob, p.ID), passkey.ErrNotFound)
	must.Do(t, k.Passkeys.Remove(ctx, ann, p.ID))
	want(t, k.Passkeys.Remove(ctx, ann, p.ID), passkey.ErrNotFound)
	must.Get(k.Users.Delete(ctx, root, []user.ID{bob.ID}))(t)
	for _, key := range []*authenticator.Key{removed, erased} {
		want(t, must.Err(signInWith(k, key.Sign)), passkey.ErrInvalid)
	}
}

// withoutPassword signs in at a provider, which creates an account without a password, and adds
// passkeys.
func withoutPassword(t *testing.T, k *authkit.Fixture, passkeys int) (by user.Caller, all []passkey.Passkey) {
	t.Helper()
	a := must.Get(externalSignIn(t, k, "trusted", provedAt(ann("1"), k.Clock.Now())))(t)
	by = k.CallerOf(t, a.TokenPair)
	for range passkeys {
		all = append(all, register(t, k, by, newKey()))
	}
	return by, all
}

// onlyIdentity returns the id of the caller's identity.
func onlyIdentity(t *testing.T, k *authkit.Fixture, by user.Caller) identity.ID {
	t.Helper()
	all := must.Get(k.Identities.List(ctx, by))(t)
	if len(all) != 1 {
		t.Fatalf("identities are %+v", all)
	}
	return all[0].ID
}

func passkeyLast(t *testing.T, k *authkit.Fixture) {
	by, all := withoutPassword(t, k, 2)
	must.Do(t, k.Identities.Unlink(ctx, by, onlyIdentity(t, k, by)))
	must.Do(t, k.Passkeys.Remove(ctx, by, all[0].ID))
	want(t, k.Passkeys.Remove(ctx, by, all[0].ID), passkey.ErrNotFound)
	want(t, k.Passkeys.Remove(ctx, by, all[1].ID), auth.ErrLastSignIn)
	passkeysOf(t, k.Store, by.ID, all[1])
	u := must.Get(k.Store.Identity.FindUser(ctx, by.ID))(t)
	u.PasswordHash = "x"
	saveUser(t, k, u)
	must.Do(t, k.Passkeys.Remove(ctx, by, all[1].ID))
	passkeysOf(t, k.Store, by.ID)
}

func passkeyLastAtOnce(t *testing.T, k *authkit.Fixture) {
	by, all := withoutPassword(t, k, 1)
	linked := onlyIdentity(t, k, by)
	var both sync.WaitGroup
	var refused atomic.Int32
	for _, remove := range []func() error{
		func() error { return k.Passkeys.Remove(ctx, by, all[0].ID) },
		func() error { return k.Identities.Unlink(ctx, by, linked) },
	} {
		both.Go(func() {
			if err := remove(); errors.Is(err, auth.ErrLastSignIn) {
				refused.Add(1)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	both.Wait()
	if refused.Load() != 1 {
		t.Errorf("%d of two removals were refused, want 1", refused.Load())
	}
}

func passkeyBesideRemovedService(t *testing.T, before *authkit.Fixture) {
	by, all := withoutPassword(t, before, 1)
	k := authkit.New(t, before.Store, func(p *authrooms.Ports, c *auth.Config) {
		c.Providers, p.NextID, p.Now = nil, before.IDs.Next, before.Clock.Now
	})
	want(t, k.Passkeys.Remove(ctx, by, all[0].ID), auth.ErrLastSignIn)
	must.Do(t, k.Identities.Unlink(ctx, by, onlyIdentity(t, k, by))) // which leaves as many ways as before
	want(t, k.Passkeys.Remove(ctx, by, all[0].ID), auth.ErrLastSignIn)
}

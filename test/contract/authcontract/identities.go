package authcontract

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

// Identities tests external.Store and external.ListIdentities.
func Identities(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, authkit.Stores){
		"an identity is found as it was added":              identityRoundTrip,
		"a subject belongs to one user for each provider":   identityUnique,
		"of many callers that add one subject one succeeds": identityRace,
		"only its user deletes an identity":                 identityDeleted,
		"identities since a time are deleted":               identitiesSince,
		"a deleted user leaves no identity":                 identityErased,
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t)
			for id := range user.ID(3) {
				someUser(t, s, id+3, user.Email(string('a'+rune(id))+"@u.edu"))
			}
			test(t, s)
		})
	}
}

func someUser(t *testing.T, s authkit.Stores, id user.ID, email user.Email) {
	t.Helper()
	atomically(t, s, func(ctx context.Context, st auth.Stores) error {
		return st.SaveUser(ctx, user.User{ID: id, Email: email, Lang: user.EN, Verified: true, CreatedAt: monday})
	})
}

func someIdentity(id identity.ID, of user.ID, subject string) identity.Identity {
	return identity.Identity{ID: id, User: of, Provider: "campus", Subject: subject, Email: "a@u.edu", CreatedAt: monday.Add(time.Duration(id) * time.Hour), LastUsedAt: monday.Add(time.Duration(id) * time.Hour)}
}

func addIdentity(s authkit.Stores, i identity.Identity) error {
	return s.Identity.Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
		return s.Identity.ExternalStore(st).AddIdentity(ctx, i)
	})
}

func wantIdentities(t *testing.T, s authkit.Stores, of user.ID, want ...identity.Identity) {
	t.Helper()
	got := must.Get(s.Identity.ListIdentities(ctx, of))(t)
	if len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
		t.Fatalf("user %d has %+v, want %+v", of, got, want)
	}
}

func identityRoundTrip(t *testing.T, s authkit.Stores) {
	one, two := someIdentity(7, 3, "x"), someIdentity(8, 3, "y")
	two.Provider, two.Email = "other", ""
	must.Do(t, addIdentity(s, two))
	must.Do(t, addIdentity(s, one))
	wantIdentities(t, s, 3, one, two)
	wantIdentities(t, s, 4)
	atomically(t, s, func(ctx context.Context, st auth.Stores) error {
		found, err := s.Identity.ExternalStore(st).FindIdentity(ctx, "campus", "x")
		if !reflect.DeepEqual(found, one) {
			t.Errorf("found %+v, added %+v", found, one)
		}
		for _, missing := range [][2]string{{"other", "x"}, {"campus", "X"}, {"campus", ""}} {
			must.Refuse(t, must.Err(s.Identity.ExternalStore(st).FindIdentity(ctx, missing[0], missing[1])), identity.ErrNotFound, missing)
		}
		return err
	})
}

func identityUnique(t *testing.T, s authkit.Stores) {
	must.Do(t, addIdentity(s, someIdentity(7, 3, "x")))
	want(t, addIdentity(s, someIdentity(8, 4, "x")), identity.ErrTaken)
	want(t, addIdentity(s, someIdentity(8, 3, "x")), identity.ErrTaken)
	other := someIdentity(8, 4, "x")
	other.Provider = "other"
	must.Do(t, addIdentity(s, other))
}

func identityRace(t *testing.T, s authkit.Stores) {
	var group sync.WaitGroup
	errs := make([]error, 8)
	for n := range errs {
		group.Go(func() { errs[n] = addIdentity(s, someIdentity(identity.ID(n+1), user.ID(3+n%3), "x")) })
	}
	group.Wait()
	added := 0
	for _, err := range errs {
		if err == nil {
			added++
		} else if !errors.Is(err, identity.ErrTaken) {
			t.Error(err)
		}
	}
	if added != 1 {
		t.Errorf("%d were added, want 1", added)
	}
}

func deleteIdentity(s authkit.Stores, of user.ID, id identity.ID) error {
	return s.Identity.Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
		return s.Identity.ExternalStore(st).DeleteIdentity(ctx, of, id)
	})
}

func identityDeleted(t *testing.T, s authkit.Stores) {
	one, two := someIdentity(7, 3, "x"), someIdentity(8, 3, "y")
	must.Do(t, addIdentity(s, one))
	must.Do(t, addIdentity(s, two))
	want(t, deleteIdentity(s, 4, 7), identity.ErrNotFound)
	want(t, deleteIdentity(s, 3, 9), identity.ErrNotFound)
	must.Do(t, deleteIdentity(s, 3, 7))
	want(t, deleteIdentity(s, 3, 7), identity.ErrNotFound)
	wantIdentities(t, s, 3, two)
	used := func(id identity.ID) error {
		return s.Identity.Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
			return s.Identity.ExternalStore(st).MarkIdentityUsed(ctx, id, monday)
		})
	}
	want(t, used(7), identity.ErrNotFound) // a sign-in that has found it before it was deleted
}

func identitiesSince(t *testing.T, s authkit.Stores) {
	for id := range identity.ID(4) {
		must.Do(t, addIdentity(s, someIdentity(id+1, 3, string('a'+rune(id)))))
	}
	must.Do(t, addIdentity(s, someIdentity(9, 4, "z")))
	atomically(t, s, func(ctx context.Context, st auth.Stores) error {
		n, err := s.Identity.ExternalStore(st).DeleteIdentitiesSince(ctx, 3, monday.Add(3*time.Hour))
		if n != 2 {
			t.Errorf("%d were deleted, want 2", n)
		}
		return err
	})
	wantIdentities(t, s, 3, someIdentity(1, 3, "a"), someIdentity(2, 3, "b"))
	wantIdentities(t, s, 4, someIdentity(9, 4, "z"))
}

func identityErased(t *testing.T, s authkit.Stores) {
	must.Do(t, addIdentity(s, someIdentity(7, 3, "x")))
	atomically(t, s, func(ctx context.Context, st auth.Stores) error {
		return s.Identity.AccountStore(st).EraseUsers(ctx, []user.ID{3}, monday)
	})
	wantIdentities(t, s, 3)
	must.Do(t, addIdentity(s, someIdentity(8, 4, "x")))
}

package authcontract

import (
	"context"
	"errors"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

// Ceremonies tests auth.Store.
func Ceremonies(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, authkit.Stores){
		"a ceremony is found as it was stored, until it expires": ceremonyRoundTrip,
		"a ceremony can be changed and deleted":                  ceremonyChanged,
		"of many callers that finish a ceremony one succeeds":    ceremonyOnce,
		"a deleted user leaves no ceremony":                      ceremonyErased,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func someCeremony() challenge.Ceremony {
	return challenge.Ceremony{
		Purpose: challenge.SignUpCode, Digest: challenge.Key{1}.CeremonyDigest(challenge.SignUpCode, "a"), User: 3, Browser: "A browser/1",
		State: []byte("{\"a\": \x00}"), Attempts: 2, CreatedAt: monday, ExpiresAt: monday.Add(5 * time.Minute),
	}
}

func atomically(t *testing.T, s authkit.Stores, fn func(context.Context, auth.Stores) error) {
	t.Helper()
	must.Do(t, s.Identity.Atomically(ctx, fn))
}

func ceremonyRoundTrip(t *testing.T, s authkit.Stores) {
	c := someCeremony()
	atomically(t, s, func(ctx context.Context, st auth.Stores) error { return st.PutCeremony(ctx, c) })
	atomically(t, s, func(ctx context.Context, st auth.Stores) error {
		found, err := st.LockCeremony(ctx, c.Purpose, c.Digest, c.ExpiresAt.Add(-time.Microsecond))
		if !reflect.DeepEqual(found, c) {
			t.Errorf("found %+v, put %+v", found, c)
		}
		return err
	})
	for name, find := range map[string]func(context.Context, auth.Stores) (challenge.Ceremony, error){
		"expired": func(ctx context.Context, st auth.Stores) (challenge.Ceremony, error) {
			return st.LockCeremony(ctx, c.Purpose, c.Digest, c.ExpiresAt)
		},
		"for another purpose": func(ctx context.Context, st auth.Stores) (challenge.Ceremony, error) {
			return st.LockCeremony(ctx, challenge.PasswordReset, c.Digest, monday)
		},
		"unknown": func(ctx context.Context, st auth.Stores) (challenge.Ceremony, error) {
			return st.LockCeremony(ctx, c.Purpose, challenge.Key{}.CeremonyDigest(c.Purpose, "b"), monday)
		},
	} {
		err := s.Identity.Atomically(ctx, func(ctx context.Context, st auth.Stores) error { return must.Err(find(ctx, st)) })
		if !errors.Is(err, challenge.ErrCeremonyInvalid) {
			t.Errorf("a ceremony that is %s: %v, want %v", name, err, challenge.ErrCeremonyInvalid)
		}
	}
}

func ceremonyChanged(t *testing.T, s authkit.Stores) {
	c := someCeremony()
	changed := c
	changed.Attempts, changed.State = 3, []byte("x")
	atomically(t, s, func(ctx context.Context, st auth.Stores) error { return st.PutCeremony(ctx, c) })
	atomically(t, s, func(ctx context.Context, st auth.Stores) error { return st.PutCeremony(ctx, changed) })
	atomically(t, s, func(ctx context.Context, st auth.Stores) error {
		found, err := st.LockCeremony(ctx, c.Purpose, c.Digest, monday)
		if !reflect.DeepEqual(found, changed) {
			t.Errorf("found %+v, put %+v", found, changed)
		}
		return errors.Join(err, st.DeleteCeremony(ctx, c.Digest), st.DeleteCeremony(ctx, c.Digest))
	})
	want(t, finishCeremony(s, c), challenge.ErrCeremonyInvalid)
}

func finishCeremony(s authkit.Stores, c challenge.Ceremony) error {
	return s.Identity.Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
		if _, err := st.LockCeremony(ctx, c.Purpose, c.Digest, monday); err != nil {
			return err
		}
		return st.DeleteCeremony(ctx, c.Digest)
	})
}

func ceremonyOnce(t *testing.T, s authkit.Stores) {
	c := someCeremony()
	atomically(t, s, func(ctx context.Context, st auth.Stores) error { return st.PutCeremony(ctx, c) })
	results := make([]error, 8)
	var all sync.WaitGroup
	for i := range results {
		all.Go(func() { results[i] = finishCeremony(s, c) })
	}
	all.Wait()
	finished := 0
	for _, err := range results {
		switch {
		case err == nil:
			finished++
		case !errors.Is(err, challenge.ErrCeremonyInvalid):
			t.Error(err)
		}
	}
	if finished != 1 {
		t.Errorf("%d callers finished one ceremony, want 1", finished)
	}
}

func ceremonyErased(t *testing.T, s authkit.Stores) {
	addUser(t, s, 3)
	c := someCeremony()
	atomically(t, s, func(ctx context.Context, st auth.Stores) error {
		if err := st.PutCeremony(ctx, c); err != nil {
			return err
		}
		return s.Identity.AccountStore(st).EraseUsers(ctx, []user.ID{3}, monday)
	})
	want(t, finishCeremony(s, c), challenge.ErrCeremonyInvalid)
}

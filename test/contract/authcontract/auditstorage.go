package authcontract

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

const auditKeep = 30 * 24 * time.Hour

// AuditStorage tests the audit log of account.Reader, and the housekeeping that uses it.
func AuditStorage(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"an entry is stored as long as AUDIT_KEEP says, and then deleted": auditKept,
		"entries of years are deleted, and new ones are stored":           auditYears,
		"no call deletes more entries than it may":                        auditBounded,
	} {
		t.Run(name, func(t *testing.T) {
			test(t, authkit.New(t, open(t), func(_ *authrooms.Ports, c *auth.Config) { c.AuditKeep = auditKeep }))
		})
	}
	t.Run("without AUDIT_KEEP entries are stored for ever", func(t *testing.T) {
		k := authkit.New(t, open(t), nil)
		k.CreateUser(t, "ann@example.org")
		k.Clock.Advance(20 * 365 * 24 * time.Hour)
		must.Do(t, k.Housekeeping.DeleteExpired(ctx))
		if n := len(auditEntries(t, k)); n == 0 {
			t.Error("no entry is left")
		}
	})
}

func auditEntries(t *testing.T, k *authkit.Fixture) []audit.Entry {
	t.Helper()
	return must.Get(k.Store.Identity.ListAuditEntries(ctx, account.AuditFilter{}, 0, 10_000))(t)
}

func auditKept(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@example.org")
	first := len(auditEntries(t, k))
	k.Clock.Advance(time.Hour)
	k.CreateUser(t, "bob@example.org")
	both := len(auditEntries(t, k))
	for _, c := range []struct {
		after time.Duration
		left  int
	}{{auditKeep - time.Hour, both}, {time.Microsecond, both - first}, {time.Hour, 0}} {
		k.Clock.Advance(c.after)
		for range 2 {
			must.Do(t, k.Housekeeping.DeleteExpired(ctx))
		}
		if n := len(auditEntries(t, k)); first == 0 || n != c.left {
			t.Errorf("%d entries are left, want %d", n, c.left)
		}
	}
}

func auditYears(t *testing.T, k *authkit.Fixture) {
	for _, name := range []string{"ann", "bob", "cid"} {
		k.CreateUser(t, name+"@example.org")
		entries := auditEntries(t, k)
		if len(entries) == 0 || !entries[len(entries)-1].At.Equal(k.Clock.Now()) {
			t.Fatalf("with %s there are %+v", name, entries)
		}
		must.Do(t, k.Housekeeping.DeleteExpired(ctx))
		if n := len(auditEntries(t, k)); n != len(entries) {
			t.Errorf("of %d new entries, %d are left", len(entries), n)
		}
		k.Clock.Advance(2 * 365 * 24 * time.Hour)
		must.Do(t, k.Housekeeping.DeleteExpired(ctx))
		if left := auditEntries(t, k); len(left) > 0 {
			t.Errorf("after two years, there are %+v", left)
		}
	}
}

func auditBounded(t *testing.T, k *authkit.Fixture) {
	for _, name := range []string{"ann", "bob", "cid"} {
		k.CreateUser(t, name+"@example.org")
	}
	storage := k.Store.Identity
	must.Do(t, storage.PrepareAuditStorage(ctx, k.Clock.Now()))
	for left := len(auditEntries(t, k)); left > 0; left = len(auditEntries(t, k)) {
		n := must.Get(storage.DeleteAuditEntries(ctx, k.Clock.Now().Add(time.Microsecond), 2))(t)
		if want := min(2, left); n != want || left-len(auditEntries(t, k)) != want {
			t.Fatalf("%d were deleted, %d are left of %d; want %d", n, len(auditEntries(t, k)), left, want)
		}
	}
}

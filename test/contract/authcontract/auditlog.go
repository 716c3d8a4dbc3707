package authcontract

import (
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func auditLog(t *testing.T, k *authkit.Fixture) {
	owner := k.CreateCaller(t, "root@example.org", user.Owner)
	ann := k.CreateUser(t, "ann@example.org")
	must.Get(k.Users.SetRole(ctx, owner, ann.ID, user.Admin))(t)
	must.Do(t, k.Users.SetPassword(ctx, owner, ann.ID, otherPassword))
	page := must.Get(k.Users.AuditLog(ctx, owner, account.AuditQuery{AuditFilter: account.AuditFilter{User: ann.ID}, First: 2}))(t)
	if len(page.Entries) != 2 || !page.HasNext || page.Entries[0].Action != "user.password_set" || page.Entries[1].Action != "user.role_set" {
		t.Fatalf("log is %+v", page)
	}
	if e := page.Entries[0]; e.Actor != owner.ID || e.Target != ann.ID.String() || e.IP != authkit.Firefox.IP || !e.At.Equal(k.Clock.Now()) {
		t.Fatalf("entry is %+v", e)
	}
	page = must.Get(k.Users.AuditLog(ctx, owner, account.AuditQuery{AuditFilter: account.AuditFilter{User: ann.ID}, First: 2, After: page.EndCursor}))(t)
	if len(page.Entries) != 1 || page.HasNext || page.Entries[0].Action != "user.verified" {
		t.Fatalf("log is %+v", page)
	}
	all := must.Get(k.Users.AuditLog(ctx, owner, account.AuditQuery{First: 100}))(t)
	for _, e := range all.Entries {
		if strings.Contains(e.Detail, otherPassword) || strings.Contains(e.Detail, authkit.Password) {
			t.Fatalf("a password is in %+v", e)
		}
	}
	auditFilter(t, k, owner, ann.ID)
	want(t, must.Err(k.Users.AuditLog(ctx, owner, account.AuditQuery{})), account.ErrBadPage)
}

// auditFilter checks that every field of a filter narrows the log, alone and together.
func auditFilter(t *testing.T, k *authkit.Fixture, owner user.Caller, ann user.ID) {
	t.Helper()
	noon := k.Clock.Now()
	k.Clock.Advance(time.Hour)
	must.Get(k.Users.SetRole(ctx, owner, ann, user.Regular))(t)
	for name, c := range map[string]struct {
		filter account.AuditFilter
		want   int
	}{
		"an action":                 {account.AuditFilter{Action: "user.password_set"}, 1},
		"another action":            {account.AuditFilter{Action: "user.role"}, 0},
		"the later one":             {account.AuditFilter{Action: "user.role_set", Since: noon.Add(time.Minute)}, 1},
		"the earlier one":           {account.AuditFilter{User: ann, Action: "user.role_set", Until: noon.Add(time.Minute)}, 1},
		"not before its moment":     {account.AuditFilter{Action: "user.role_set", Since: noon.Add(time.Hour)}, 1},
		"before its moment":         {account.AuditFilter{Action: "user.role_set", Since: noon.Add(time.Second), Until: noon.Add(time.Hour)}, 0},
		"a user and an action":      {account.AuditFilter{User: ann, Action: "user.role_set"}, 2},
		"another user and the same": {account.AuditFilter{User: owner.ID + 1_000_000, Action: "user.role_set"}, 0},
	} {
		page := must.Get(k.Users.AuditLog(ctx, owner, account.AuditQuery{AuditFilter: c.filter, First: 100}))(t)
		if len(page.Entries) != c.want {
			t.Errorf("%s: %d entries, want %d: %+v", name, len(page.Entries), c.want, page.Entries)
		}
	}
}

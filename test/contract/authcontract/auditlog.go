package authcontract

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
)

func auditLog(t *testing.T, k *authkit.Fixture) {
	owner := k.CreateCaller(t, "root@example.org", user.Owner)
	ann := k.CreateUser(t, "ann@example.org")
	_, err := k.Users.SetRole(ctx, owner, ann.ID, user.Admin)
	ok(t, err)
	ok(t, k.Users.SetPassword(ctx, owner, ann.ID, otherPassword))
	page, err := k.Users.AuditLog(ctx, owner, auth.AuditQuery{User: ann.ID, First: 2})
	ok(t, err)
	if len(page.Entries) != 2 || !page.HasNext || page.Entries[0].Action != "user.password_set" || page.Entries[1].Action != "user.role_set" {
		t.Fatalf("log is %+v", page)
	}
	if e := page.Entries[0]; e.Actor != owner.ID || e.Target != ann.ID.String() || e.IP != authkit.Firefox.IP || !e.At.Equal(k.Clock.Now()) {
		t.Fatalf("entry is %+v", e)
	}
	page, err = k.Users.AuditLog(ctx, owner, auth.AuditQuery{User: ann.ID, First: 2, After: page.EndCursor})
	ok(t, err)
	if len(page.Entries) != 1 || page.HasNext || page.Entries[0].Action != "user.verified" {
		t.Fatalf("log is %+v", page)
	}
	all, err := k.Users.AuditLog(ctx, owner, auth.AuditQuery{First: 100})
	ok(t, err)
	for _, e := range all.Entries {
		if strings.Contains(e.Detail, otherPassword) || strings.Contains(e.Detail, authkit.Password) {
			t.Fatalf("a password is in %+v", e)
		}
	}
	_, err = k.Users.AuditLog(ctx, owner, auth.AuditQuery{})
	want(t, err, auth.ErrBadPage)
}

package authcontract

import (
	"errors"
	"slices"
	"testing"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

// provisioningCases are the cases of accounts that a directory looks after.
func provisioningCases(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"an account from a directory is entered by an external service":             provisioned,
		"of directories that create one address at once one creates an account":     provisionedAtOnce,
		"an account that waits for its owner is adopted by the directory":           provisionedInvited,
		"a directory suspends at once and lets in again, but not whom an admin did": provisionedSuspension,
		"an admin's suspension stays also if a directory has suspended before":      suspendedAfterDirectory,
		"a sign-in during a directory's suspension gets no session that works":      provisionedDuringSignIn,
		"a directory renames, but not to somebody else's address":                   provisionedRename,
		"a directory leaves owners alone":                                           provisionedOwner,
		"a directory's deletion leaves nothing of the person":                       provisionedDeletion,
		"a directory finds people by address and by its own id, page by page":       provisionedList,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
}

func provision(t *testing.T, k *authkit.Fixture, address string) user.User {
	t.Helper()
	return must.Get(k.Provisioning.Create(ctx, user.Person{Email: address, Active: true, Name: "Ann Lee", ExternalID: "x-" + address}, authkit.Chrome))(t)
}

func setActive(k *authkit.Fixture, id user.ID, active bool) (user.User, error) {
	return k.Provisioning.Change(ctx, id, func(p *user.Person) error { p.Active = active; return nil }, authkit.Chrome)
}

func provisioned(t *testing.T, k *authkit.Fixture) {
	signUp(t, k, "ann@u.edu", "the stranger's password")
	code := k.LastMail(t, message.Verification, "ann@u.edu").Code
	u := must.Get(k.Provisioning.Create(ctx, user.Person{Email: "Ann@U.edu", Active: true, Name: "Ann\nLee", Lang: user.FR, ExternalID: "1", GivenName: "Ann", FamilyName: "Lee"}, authkit.Chrome))(t)
	if u.Email != "ann@u.edu" || !u.Verified || u.PasswordHash != "" || u.Name != "Ann Lee" || u.Lang != user.FR {
		t.Errorf("the account is %+v", u)
	}
	if again := must.Get(k.Provisioning.Find(ctx, u.ID))(t); again.Directory != (user.Directory{ExternalID: "1", GivenName: "Ann", FamilyName: "Lee"}) {
		t.Errorf("the directory says %+v", again.Directory)
	}
	want(t, k.Accounts.VerifyEmail(ctx, "ann@u.edu", code, authkit.Firefox), challenge.ErrCodeInvalid)
	want(t, must.Err(k.Provisioning.Create(ctx, user.Person{Email: "ann@u.edu", Active: true}, authkit.Chrome)), user.ErrEmailTaken)
	want(t, must.Err(k.Provisioning.Create(ctx, user.Person{Email: "ann", Active: true}, authkit.Chrome)), user.ErrEmailInvalid)
	if in := must.Get(externalSignIn(t, k, "trusted", ann("1")))(t); in.User.ID != u.ID {
		t.Errorf("signed in as %+v", in.User)
	}
	entries := must.Get(k.Store.Identity.ListAuditEntries(ctx, account.AuditFilter{User: u.ID, Action: "user.provisioned"}, 0, 10))(t)
	if len(entries) != 1 || entries[0].Detail != "by scim" || entries[0].Actor != 0 {
		t.Errorf("the audit log has %+v", entries)
	}
}

func provisionedAtOnce(t *testing.T, k *authkit.Fixture) {
	const n = 6
	errs := make([]error, n)
	must.Together(n, func(i int) {
		_, errs[i] = k.Provisioning.Create(ctx, user.Person{Email: "ann@u.edu", Active: true}, authkit.Chrome)
	})
	made := 0
	for _, err := range errs {
		if err == nil {
			made++
			continue
		}
		want(t, err, user.ErrEmailTaken)
	}
	if made != 1 {
		t.Errorf("%d accounts were created, want 1", made)
	}
}

func provisionedInvited(t *testing.T, k *authkit.Fixture) {
	owner := k.CreateCaller(t, "owner@u.edu", user.Owner)
	id := must.Get(k.Invitations.Invite(ctx, owner, "ann@u.edu", user.EN))(t)
	if u := provision(t, k, "ann@u.edu"); u.ID != id || !u.Verified {
		t.Errorf("the account is %+v, want the invited %s", u, id)
	}
}

func provisionedSuspension(t *testing.T, k *authkit.Fixture) {
	admin := k.CreateCaller(t, "root@u.edu", user.Admin)
	u := provision(t, k, "ann@u.edu")
	in := must.Get(externalSignIn(t, k, "trusted", ann("1")))(t)
	for range 2 {
		if u = must.Get(setActive(k, u.ID, false))(t); !u.Suspended() {
			t.Fatalf("the account is %+v", u)
		}
	}
	want(t, must.Err(k.Authenticator.Authenticate(ctx, in.AccessToken, authkit.Firefox)), user.ErrUnauthenticated)
	want(t, must.Err(externalSignIn(t, k, "trusted", ann("1"))), user.ErrSuspended)
	if n := len(k.Mails(message.Suspended, "ann@u.edu")); n != 1 {
		t.Errorf("%d mails, want 1", n)
	}
	must.Get(setActive(k, u.ID, true))(t)
	must.Get(externalSignIn(t, k, "trusted", ann("1")))(t)

	must.Get(k.Users.Suspend(ctx, admin, u.ID, "because"))(t)
	for _, active := range []bool{true, false, true} {
		if u = must.Get(setActive(k, u.ID, active))(t); !u.Suspended() {
			t.Errorf("active %t: the directory has lifted what an admin decided", active)
		}
	}
	must.Get(k.Users.Unsuspend(ctx, admin, u.ID))(t)
	off := must.Get(k.Provisioning.Create(ctx, user.Person{Email: "bob@u.edu"}, authkit.Chrome))(t)
	if u = must.Get(setActive(k, off.ID, true))(t); !off.Suspended() || u.Suspended() {
		t.Errorf("created as %+v, active as %+v", off, u)
	}
}

func suspendedAfterDirectory(t *testing.T, k *authkit.Fixture) {
	admin := k.CreateCaller(t, "root@u.edu", user.Admin)
	for address, suspend := range map[string]func(user.User) error{
		"ann@u.edu": func(u user.User) error { return must.Err(k.Users.Suspend(ctx, admin, u.ID, "because")) },
		"bob@u.edu": func(u user.User) error { return must.Err(k.Users.SuspendByOperator(ctx, string(u.Email), "because")) },
	} {
		u := provision(t, k, address)
		must.Get(setActive(k, u.ID, false))(t)
		must.Do(t, suspend(u))
		if u = must.Get(setActive(k, u.ID, true))(t); !u.Suspended() {
			t.Errorf("%s: the directory has lifted what somebody decided", address)
		}
		if m := k.LastMail(t, message.Suspended, address); m.Params[message.ParamReason] != "because" {
			t.Errorf("%s was told %v", address, m.Params)
		}
	}
}

func provisionedDuringSignIn(t *testing.T, k *authkit.Fixture) {
	u := k.CreateUser(t, "ann@u.edu")
	const signIns = 5
	grants, errs := make([]auth.TokenPair, signIns), make([]error, signIns+1)
	must.Together(signIns+1, func(i int) {
		if i == signIns {
			_, errs[i] = setActive(k, u.ID, false)
			return
		}
		grants[i], errs[i] = signIn(k, "ann@u.edu", authkit.Password, authkit.Firefox)
	})
	must.Do(t, errs[signIns])
	for i, g := range grants {
		if errs[i] != nil {
			want(t, errs[i], user.ErrSuspended)
			continue
		}
		want(t, must.Err(k.Authenticator.Authenticate(ctx, g.AccessToken, authkit.Firefox)), user.ErrUnauthenticated)
	}
}

func provisionedRename(t *testing.T, k *authkit.Fixture) {
	bob := k.CreateUser(t, "bob@u.edu")
	u := provision(t, k, "ann@u.edu")
	in := must.Get(externalSignIn(t, k, "trusted", ann("1")))(t)
	rename := func(to string) (user.User, error) {
		return k.Provisioning.Change(ctx, u.ID, func(p *user.Person) error { p.Email = to; return nil }, authkit.Chrome)
	}
	want(t, must.Err(rename("bob@u.edu")), user.ErrEmailTaken)
	want(t, must.Err(rename("no address")), user.ErrEmailInvalid)
	if moved := must.Get(rename("Ann.Lee@u.edu"))(t); moved.Email != "ann.lee@u.edu" || moved.ID != u.ID {
		t.Errorf("renamed to %+v", moved)
	}
	k.CallerOf(t, in.TokenPair) // the session goes on
	if again := must.Get(externalSignIn(t, k, "trusted", ann("1")))(t); again.User.ID != u.ID {
		t.Errorf("the subject signs in as %+v", again.User)
	}
	provision(t, k, "ann@u.edu") // the former address is free
	boom := errors.New("boom")
	want(t, must.Err(k.Provisioning.Change(ctx, bob.ID, func(*user.Person) error { return boom }, authkit.Chrome)), boom)
}

func provisionedOwner(t *testing.T, k *authkit.Fixture) {
	k.CreateCaller(t, "second@u.edu", user.Owner)
	owner := k.CreateCaller(t, "owner@u.edu", user.Owner)
	want(t, must.Err(setActive(k, owner.ID, false)), account.ErrProvisionedOwner)
	must.Get(setActive(k, owner.ID, true))(t) // as it is
	want(t, k.Provisioning.Delete(ctx, owner.ID, func(user.Person) error { return nil }, authkit.Chrome), account.ErrProvisionedOwner)
	must.Get(k.Users.Me(ctx, owner))(t)
}

func provisionedDeletion(t *testing.T, k *authkit.Fixture) {
	u := provision(t, k, "ann@u.edu")
	in := must.Get(externalSignIn(t, k, "trusted", ann("1")))(t)
	anyVersion := func(user.Person) error { return nil }
	want(t, k.Provisioning.Delete(ctx, u.ID, func(user.Person) error { return account.ErrVersion }, authkit.Chrome), account.ErrVersion)
	must.Do(t, k.Provisioning.Delete(ctx, u.ID, anyVersion, authkit.Chrome))
	want(t, k.Provisioning.Delete(ctx, u.ID, anyVersion, authkit.Chrome), user.ErrNotFound)
	want(t, must.Err(setActive(k, u.ID, true)), user.ErrNotFound)
	want(t, must.Err(k.Authenticator.Authenticate(ctx, in.AccessToken, authkit.Firefox)), user.ErrUnauthenticated)
	if found, n, err := k.Provisioning.List(ctx, account.PersonFilter{ExternalID: "x-ann@u.edu"}, 0, 10); err != nil || n != 0 || len(found) != 0 {
		t.Errorf("found %+v, %d, %v", found, n, err)
	}
	if again := must.Get(externalSignIn(t, k, "trusted", identity.Claims{Subject: "1", Email: "ann@u.edu", EmailVerified: true}))(t); again.User.ID == u.ID {
		t.Error("the deleted account was entered")
	}
}

func provisionedList(t *testing.T, k *authkit.Fixture) {
	var ids []user.ID
	for _, address := range []string{"a@u.edu", "b@u.edu", "c@u.edu"} {
		ids = append(ids, provision(t, k, address).ID)
	}
	for _, c := range []struct {
		filter        account.PersonFilter
		offset, limit int
		want          []user.ID
		total         int
	}{
		{account.PersonFilter{}, 0, 2, ids[:2], 3}, {account.PersonFilter{}, 2, 2, ids[2:], 3}, {account.PersonFilter{}, 9, 2, nil, 3}, {account.PersonFilter{}, 0, 0, nil, 3},
		{account.PersonFilter{Email: "b@u.edu"}, 0, 2, ids[1:2], 1}, {account.PersonFilter{ExternalID: "x-c@u.edu"}, 0, 2, ids[2:], 1},
		{account.PersonFilter{ID: ids[0]}, 0, 2, ids[:1], 1}, {account.PersonFilter{Email: "d@u.edu"}, 0, 2, nil, 0}, {account.PersonFilter{None: true}, 0, 2, nil, 0},
	} {
		found, total, err := k.Provisioning.List(ctx, c.filter, c.offset, c.limit)
		var got []user.ID
		for _, u := range found {
			got = append(got, u.ID)
		}
		if err != nil || total != c.total || !slices.Equal(got, c.want) {
			t.Errorf("%+v from %d: %v of %d, %v; want %v of %d", c.filter, c.offset, got, total, err, c.want, c.total)
		}
	}
}

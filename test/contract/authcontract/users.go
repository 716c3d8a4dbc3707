package authcontract

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/campus"
	"github.com/octavo-books/octavo/domain/challenge"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func userCases(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"a profile is changed field by field":                 profile,
		"users are listed and searched in pages":              listing,
		"a role takes effect at once and ends no session":     role,
		"there is always an owner":                            lastOwner,
		"a concurrent revocation does not demote a new owner": adminRevoked,
		"an admin manages regular users, an owner all users":  outrank,
		"an admin sets a password and the user is notified":   setPassword,
		"an admin ends all sessions of a user":                endSessions,
		"a deleted user is gone and the address is free":      deleteUsers,
		"the audit log lists actions, newest first":           auditLog,
		"accounts are imported with their hashes":             importUsers,
		"an account is found as it was saved":                 savedUser,
		"a suspended account cannot be used":                  suspendedSignIn,
		"a limited caller may do nothing":                     limitedCaller,
		"callers without the role are refused":                forbidden,
		"unknown users are refused":                           unknownUsers,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
}

// savedUser also tests that fields can be cleared again.
func savedUser(t *testing.T, k *authkit.Fixture) {
	u := k.CreateUser(t, "ann@u.edu")
	full := u
	full.Name, full.Metadata, full.Role, full.Lang = "Ann", `{"plan": "gold"}`, user.Admin, user.FR
	full.SuspendedAt, full.DeleteAt = monday, monday.Add(time.Hour)
	full.Profile = &user.Profile{FirstName: "A", LastName: "B", University: "C", CampusMailbox: "D", PaymentUsername: "E"}
	for _, saved := range []user.User{full, u} {
		var locked, byEmail user.User
		must.Do(t, k.Store.Identity.Atomically(ctx, func(ctx context.Context, st auth.Stores) (err error) {
			if err = st.SaveUser(ctx, saved); err == nil {
				locked, err = st.LockUser(ctx, saved.ID)
			}
			if err == nil {
				byEmail, err = st.LockUserByEmail(ctx, saved.Email)
			}
			return err
		}))
		found := must.Get(k.Store.Identity.FindUser(ctx, saved.ID))(t)
		for way, got := range map[string]user.User{"LockUser": locked, "LockUserByEmail": byEmail, "FindUser": found} {
			if !reflect.DeepEqual(got, saved) {
				t.Errorf("%s returns %+v, saved %+v", way, got, saved)
			}
		}
	}
}

func suspendedSignIn(t *testing.T, k *authkit.Fixture) {
	u := k.CreateUser(t, "ann@u.edu")
	u.SuspendedAt = monday
	must.Do(t, k.Store.Identity.Atomically(ctx, func(ctx context.Context, st auth.Stores) error { return st.SaveUser(ctx, u) }))
	want(t, must.Err(signIn(k, "ann@u.edu", authkit.Password, authkit.Firefox)), user.ErrSuspended)
	want(t, must.Err(signIn(k, "ann@u.edu", "a wrong password", authkit.Firefox)), auth.ErrInvalidCredentials)
}

func limitedCaller(t *testing.T, k *authkit.Fixture) {
	by := k.CreateCaller(t, "ann@u.edu", user.Owner)
	by.Client, by.Scopes = "some client", "openid email"
	for name, call := range map[string]func() error{
		"me":              func() error { _, err := k.Users.Me(ctx, by); return err },
		"find":            func() error { _, err := k.Users.Find(ctx, by, by.ID); return err },
		"change a role":   func() error { _, err := k.Users.SetRole(ctx, by, by.ID, user.Admin); return err },
		"change profile":  func() error { _, err := k.Users.UpdateProfile(ctx, by, fullProfile()); return err },
		"change password": func() error { return k.Passwords.Change(ctx, by, authkit.Password, "another long phrase") },
		"list sessions":   func() error { _, err := k.Sessions.List(ctx, by, by.ID); return err },
		"revoke":          func() error { return k.Sessions.Revoke(ctx, by, by.Session) },
		"revoke others":   func() error { _, err := k.Sessions.RevokeOthers(ctx, by); return err },
		"sign out":        func() error { return k.Sessions.SignOut(ctx, by) },
		"invite":          func() error { _, err := k.Invitations.Invite(ctx, by, "bob@u.edu", user.EN); return err },
		"delete":          func() error { _, err := k.Users.Delete(ctx, by, []user.ID{99}); return err },
	} {
		must.Refuse(t, call(), user.ErrForbidden, name)
	}
}

func fullProfile() account.ProfileChange {
	return account.ProfileChange{
		FirstName: new("Ann"), LastName: new("Lee"), University: new("Rochester"),
		CampusMailbox: new("CPU 271"), PaymentUsername: new("ann-lee"),
	}
}

func profile(t *testing.T, k *authkit.Fixture) {
	k.CreateUser(t, "ann@u.edu")
	ann := k.CallerOf(t, k.SignIn(t, "ann@u.edu"))
	want(t, must.Err(k.Users.UpdateProfile(ctx, ann, account.ProfileChange{FirstName: new("Ann")})), user.ErrProfileInvalid)
	whole := fullProfile()
	u := must.Get(k.Users.UpdateProfile(ctx, ann, whole))(t)
	if !u.Student() || u.Profile.University != "Rochester" {
		t.Fatalf("profile is %+v", u.Profile)
	}
	u = must.Get(k.Users.UpdateProfile(ctx, ann, account.ProfileChange{CampusMailbox: new(" CPU 1 ")}))(t)
	if u.Profile.CampusMailbox != "CPU 1" || u.Profile.FirstName != "Ann" {
		t.Fatalf("profile is %+v", u.Profile)
	}
	want(t, must.Err(k.Users.UpdateProfile(ctx, ann, account.ProfileChange{LastName: new("a\x00b")})), user.ErrProfileInvalid)
	me := must.Get(k.Users.Me(ctx, ann))(t)
	if *me.Profile != *u.Profile {
		t.Fatalf("kept %+v", me.Profile)
	}
	bob := k.CreateCaller(t, "bob@example.org", user.Regular)
	want(t, must.Err(k.Users.UpdateProfile(ctx, bob, whole)), campus.ErrAddress)
}

func listing(t *testing.T, k *authkit.Fixture) {
	admin := k.CreateCaller(t, "root@example.org", user.Admin)
	for _, email := range []string{"ann@u.edu", "bob_1@u.edu", "bobx1@u.edu", "carl%@u.edu"} {
		k.CreateUser(t, email)
	}
	ann := k.CallerOf(t, k.SignIn(t, "ann@u.edu"))
	must.Get(k.Users.UpdateProfile(ctx, ann, fullProfile()))(t)
	find := func(search string, names bool) string {
		page := must.Get(k.Users.List(ctx, admin, account.UserQuery{Search: search, InNames: names, First: 10}))(t)
		var found []string
		for _, u := range page.Users {
			found = append(found, strings.Split(string(u.Email), "@")[0])
		}
		return strings.Join(found, " ")
	}
	for search, found := range map[string]string{
		"": "carl% bobx1 bob_1 ann root", "BOB": "bobx1 bob_1", "bob_": "bob_1", "%": "carl%", "lee": "", "'; --": "", `\`: "", "bob\x00": "", "bob\xff": "",
	} {
		if got := find(search, false); got != found {
			t.Errorf("%q finds %q, want %q", search, got, found)
		}
	}
	for _, name := range []string{"LEE", "ann lee", "Änn", "LE\u0301é"} {
		if got := find(name, true); got != "ann" {
			t.Errorf("%q finds %q, want \"ann\"", name, got)
		}
	}
	var all []string
	q := account.UserQuery{First: 2}
	for {
		page := must.Get(k.Users.List(ctx, admin, q))(t)
		for i, u := range page.Users {
			all = append(all, string(u.Email))
			if i == len(page.Users)-1 && page.Cursors[i] != page.EndCursor {
				t.Fatal("the last page has a cursor for another one")
			}
		}
		if !page.HasNext {
			break
		}
		q.After = page.EndCursor
	}
	if len(all) != 5 || all[0] != "carl%@u.edu" || all[4] != "root@example.org" {
		t.Fatalf("pages hold %v", all)
	}
	for _, q := range []account.UserQuery{{First: 0}, {First: 201}, {First: -1}, {First: 1, After: "x"}, {First: 1, Search: strings.Repeat("x", 300)}} {
		want(t, must.Err(k.Users.List(ctx, admin, q)), account.ErrBadPage)
	}
}

func role(t *testing.T, k *authkit.Fixture) {
	owner := k.CreateCaller(t, "root@example.org", user.Owner)
	k.CreateUser(t, "ann@example.org")
	g := k.SignIn(t, "ann@example.org")
	u := must.Get(k.Users.SetRole(ctx, owner, g.User.ID, user.Admin))(t)
	if u.Role != user.Admin || k.CallerOf(t, g).Role != user.Admin {
		t.Fatalf("role is %d", u.Role)
	}
	must.Get(k.Users.SetRole(ctx, owner, g.User.ID, user.Regular))(t)
	if r := k.CallerOf(t, g).Role; r != user.Regular {
		t.Fatalf("role is %d, want %d", r, user.Regular)
	}
	want(t, must.Err(k.Users.SetRole(ctx, owner, g.User.ID, 3)), user.ErrRoleInvalid)
}

// adminRevoked makes an admin an owner while another owner revokes the admin role. In
// either order the result is an owner.
func adminRevoked(t *testing.T, k *authkit.Fixture) {
	one, two := k.CreateCaller(t, "root@example.org", user.Owner), k.CreateCaller(t, "second@example.org", user.Owner)
	for i := range 5 {
		third := k.CreateCaller(t, fmt.Sprintf("third%d@example.org", i), user.Regular)
		u := must.Get(k.Users.MakeAdmin(ctx, one, third.ID))(t)
		if u.Role != user.Admin {
			t.Fatalf("role is %d, want %d", u.Role, user.Admin)
		}
		errs := make([]error, 2)
		must.Together(2, func(i int) {
			if i == 0 {
				_, errs[0] = k.Users.SetRole(ctx, one, third.ID, user.Owner)
			} else {
				_, errs[1] = k.Users.RevokeAdmin(ctx, two, third.ID)
			}
		})
		must.Do(t, errs[0])
		u = must.Get(k.Users.MakeAdmin(ctx, one, third.ID))(t)
		if u.Role != user.Owner || errs[1] != nil && !errors.Is(errs[1], account.ErrIsOwner) {
			t.Fatalf("role is %d, revoking: %v", u.Role, errs[1])
		}
	}
}

func lastOwner(t *testing.T, k *authkit.Fixture) {
	owner := k.CreateCaller(t, "root@example.org", user.Owner)
	want(t, must.Err(k.Users.SetRole(ctx, owner, owner.ID, user.Admin)), account.ErrLastOwner)
	second := k.CreateCaller(t, "second@example.org", user.Owner)
	errs := make([]error, 2)
	must.Together(2, func(i int) {
		by, id := owner, second.ID
		if i == 1 {
			by, id = second, owner.ID
		}
		_, errs[i] = k.Users.SetRole(ctx, by, id, user.Regular)
	})
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Fatalf("two owners demoted each other: %v", errs)
	}
}

func outrank(t *testing.T, k *authkit.Fixture) {
	owner, admin := k.CreateCaller(t, "root@example.org", user.Owner), k.CreateCaller(t, "admin@example.org", user.Admin)
	other := k.CreateCaller(t, "other@example.org", user.Admin)
	for _, target := range []user.ID{owner.ID, other.ID, admin.ID} {
		want(t, k.Users.SetPassword(ctx, admin, target, otherPassword), user.ErrForbidden)
		want(t, must.Err(k.Users.EndSessions(ctx, admin, target)), user.ErrForbidden)
	}
	want(t, must.Err(k.Users.Delete(ctx, admin, []user.ID{other.ID})), user.ErrForbidden)
	must.Do(t, k.Users.SetPassword(ctx, owner, other.ID, otherPassword))
	n := must.Get(k.Users.Delete(ctx, owner, []user.ID{other.ID, other.ID}))(t)
	if n != 1 {
		t.Fatalf("%d deleted, want 1", n)
	}
}

func setPassword(t *testing.T, k *authkit.Fixture) {
	admin := k.CreateCaller(t, "root@example.org", user.Admin)
	k.CreateUser(t, "ann@example.org")
	g := k.SignIn(t, "ann@example.org")
	want(t, k.Users.SetPassword(ctx, admin, g.User.ID, "12345678"), user.ErrPasswordInvalid)
	must.Do(t, k.Users.SetPassword(ctx, admin, g.User.ID, otherPassword))
	assertRevoked(t, k, g)
	k.LastMail(t, message.PasswordChanged, "ann@example.org")
	must.Get(signIn(k, "ann@example.org", otherPassword, authkit.Firefox))(t)
}

func endSessions(t *testing.T, k *authkit.Fixture) {
	admin := k.CreateCaller(t, "root@example.org", user.Admin)
	k.CreateUser(t, "ann@example.org")
	first, second := k.SignIn(t, "ann@example.org"), k.SignIn(t, "ann@example.org")
	n := must.Get(k.Users.EndSessions(ctx, admin, first.User.ID))(t)
	if n != 2 {
		t.Fatalf("%d sessions were ended, want 2", n)
	}
	assertRevoked(t, k, first)
	assertRevoked(t, k, second)
	if n, err := k.Users.EndSessions(ctx, admin, first.User.ID); n != 0 || err != nil {
		t.Fatalf("%d sessions were ended again, %v; want 0", n, err)
	}
	k.SignIn(t, "ann@example.org")
}

func deleteUsers(t *testing.T, k *authkit.Fixture) {
	admin := k.CreateCaller(t, "root@example.org", user.Admin)
	ann, bob := k.CreateUser(t, "ann@example.org"), k.CreateUser(t, "bob@example.org")
	g := k.SignIn(t, "ann@example.org")
	must.Do(t, k.Passwords.RequestReset(ctx, "ann@example.org", user.EN, authkit.Firefox))
	code := k.LastMail(t, message.PasswordReset, "ann@example.org").Code
	want(t, must.Err(k.Users.Delete(ctx, admin, []user.ID{ann.ID, admin.ID})), account.ErrCannotDeleteSelf)
	want(t, must.Err(k.Users.Delete(ctx, admin, []user.ID{ann.ID, 999_999})), user.ErrNotFound)
	must.Get(k.Users.Delete(ctx, admin, make([]user.ID, 0)))(t)
	many := make([]user.ID, 101)
	for i := range many {
		many[i] = user.ID(1_000_000 + i)
	}
	want(t, must.Err(k.Users.Delete(ctx, admin, many)), account.ErrTooMany)
	k.CallerOf(t, g)
	n := must.Get(k.Users.Delete(ctx, admin, []user.ID{bob.ID, ann.ID}))(t)
	if n != 2 {
		t.Fatalf("%d deleted, want 2", n)
	}
	assertRevoked(t, k, g)
	for _, m := range k.Store.Messages() {
		if m.To == "ann@example.org" || m.To == "bob@example.org" {
			t.Errorf("a %s mail to %s is still in the outbox", m.Kind, m.To)
		}
	}
	want(t, must.Err(k.Users.Find(ctx, admin, ann.ID)), user.ErrNotFound)
	want(t, k.Passwords.Reset(ctx, "ann@example.org", code, otherPassword, authkit.Firefox), challenge.ErrCodeInvalid)
	if again := k.CreateUser(t, "ann@example.org"); again.ID == ann.ID {
		t.Fatal("a new account has the id of a deleted one")
	}
}

func forbidden(t *testing.T, k *authkit.Fixture) {
	regular := k.CreateCaller(t, "ann@example.org", user.Regular)
	admin := k.CreateCaller(t, "root@example.org", user.Admin)
	for name, by := range map[string]user.Caller{"a regular user": regular, "nobody": {}} {
		refusal := user.ErrForbidden
		if !by.SignedIn() {
			refusal = user.ErrUnauthenticated
		}
		_, list := k.Users.List(ctx, by, account.UserQuery{First: 1})
		_, find := k.Users.Find(ctx, by, admin.ID)
		_, end := k.Users.EndSessions(ctx, by, admin.ID)
		_, erase := k.Users.Delete(ctx, by, []user.ID{admin.ID})
		_, setRole := k.Users.SetRole(ctx, by, regular.ID, user.Owner)
		_, log := k.Users.AuditLog(ctx, by, account.AuditQuery{First: 1})
		for i, err := range []error{list, find, end, erase, setRole, log, k.Users.SetPassword(ctx, by, admin.ID, otherPassword)} {
			t.Logf("%s, operation %d", name, i)
			want(t, err, refusal)
		}
	}
	want(t, must.Err(k.Users.SetRole(ctx, admin, regular.ID, user.Admin)), user.ErrForbidden)
	want(t, must.Err(k.Users.AuditLog(ctx, admin, account.AuditQuery{First: 1})), user.ErrForbidden)
	want(t, must.Err(k.Users.Me(ctx, user.Caller{})), user.ErrUnauthenticated)
	want(t, must.Err(k.Users.UpdateProfile(ctx, user.Caller{}, account.ProfileChange{})), user.ErrUnauthenticated)
	own := must.Get(k.Users.Find(ctx, regular, regular.ID))(t)
	if own.ID != regular.ID {
		t.Fatalf("found %+v", own)
	}
}

func unknownUsers(t *testing.T, k *authkit.Fixture) {
	owner := k.CreateCaller(t, "root@example.org", user.Owner)
	_, find := k.Users.Find(ctx, owner, 999_999)
	_, end := k.Users.EndSessions(ctx, owner, 999_999)
	_, setRole := k.Users.SetRole(ctx, owner, 999_999, user.Admin)
	_, list := k.Sessions.List(ctx, owner, 999_999)
	_, promote := k.Users.Promote(ctx, "nobody@example.org", user.Owner)
	for _, err := range []error{find, end, setRole, list, promote, k.Users.SetPassword(ctx, owner, 999_999, otherPassword)} {
		want(t, err, user.ErrNotFound)
	}
	want(t, must.Err(k.Users.Promote(ctx, "nobody", user.Owner)), user.ErrEmailInvalid)
}

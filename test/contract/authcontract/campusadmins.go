package authcontract

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func campusCases(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"an admin of one campus lists and searches its people alone":           campusList,
		"an admin of one campus reaches nobody elsewhere":                      campusReach,
		"an admin of one campus manages its regular users":                     campusHome,
		"one stranger among the accounts to delete keeps all of them":          campusDelete,
		"an admin of one campus sees and revokes their own invitations":        campusInvitations,
		"an admin of one campus invites nobody who was imported elsewhere":     campusImported,
		"an admin of one campus stays at it":                                   campusFixed,
		"an account that became an admin before the sign-up keeps its campus":  campusSignUp,
		"an admin without a university may nothing, and gets none":             campusMissing,
		"an owner is bound to no campus":                                       campusOwner,
		"a change of role or university bounds the next request":               campusNextRequest,
		"an admin of one campus exports, suspends and deletes nobody's own":    campusSelf,
		"an address of another university moves its admin, and undoing undoes": campusAddress,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), campusOnly)) })
	}
	t.Run("an admin whose role is withheld stays at their campus", func(t *testing.T) {
		campusWithheld(t, authkit.New(t, open(t), func(p *authrooms.Ports, c *auth.Config) {
			campusOnly(p, c)
			c.RequireSecondFactor = true
		}))
	})
	t.Run("admins of all universities are bound to none", func(t *testing.T) { campusOfAll(t, authkit.New(t, open(t), nil)) })
}

func campusOnly(_ *authrooms.Ports, c *auth.Config) { c.CampusAdmins = true }

// wantReason tells apart refusals that have the same code.
func wantReason(t *testing.T, err error, reason string) {
	t.Helper()
	if f := fault.As(err); f == nil || f.Kind != fault.Forbidden || f.Details["reason"] != reason {
		t.Fatalf("error is %v, want the reason %q", err, reason)
	}
}

// resident creates an account with a profile at a university and a role, and signs it in.
func resident(t *testing.T, k *authkit.Fixture, name, university string, role user.Role) user.Caller {
	t.Helper()
	email := name + "@u.edu"
	k.CreateUser(t, email)
	g := k.SignIn(t, email)
	change := fullProfile()
	change.FirstName, change.University = &name, &university
	must.Get(k.Users.UpdateProfile(ctx, k.CallerOf(t, g), change))(t)
	must.Get(k.Users.Promote(ctx, email, role))(t)
	return k.CallerOf(t, g)
}

// adminCalls are all use cases by which an admin reads or changes another account.
func adminCalls(k *authkit.Fixture, by user.Caller) (reading, changing map[string]func(user.ID) error) {
	return map[string]func(user.ID) error{
			"find":          func(id user.ID) error { _, err := k.Users.Find(ctx, by, id); return err },
			"sessions":      func(id user.ID) error { _, err := k.Sessions.List(ctx, by, id); return err },
			"second factor": func(id user.ID) error { _, err := k.SecondFactors.Enabled(ctx, by, id); return err },
		}, map[string]func(user.ID) error{
			"suspend":      func(id user.ID) error { _, err := k.Users.Suspend(ctx, by, id, "spam"); return err },
			"unsuspend":    func(id user.ID) error { _, err := k.Users.Unsuspend(ctx, by, id); return err },
			"password":     func(id user.ID) error { return k.Users.SetPassword(ctx, by, id, otherPassword) },
			"metadata":     func(id user.ID) error { _, err := k.Users.SetMetadata(ctx, by, id, `{"plan":"gold"}`); return err },
			"end sessions": func(id user.ID) error { _, err := k.Users.EndSessions(ctx, by, id); return err },
			"delete":       func(id user.ID) error { _, err := k.Users.Delete(ctx, by, []user.ID{id}); return err },
		}
}

// unchanged returns a check that accounts, their sessions and the outbox are as they were.
func unchanged(t *testing.T, k *authkit.Fixture, of ...user.ID) func() {
	t.Helper()
	read := func() (all []any) {
		for _, id := range of {
			u := must.Get(k.Store.Identity.FindUser(ctx, id))(t)
			sessions := must.Get(k.Store.Sessions.ListSessions(ctx, id))(t)
			all = append(all, u, len(sessions))
		}
		return append(all, len(k.Store.Messages()))
	}
	before := read()
	return func() {
		t.Helper()
		if after := read(); !reflect.DeepEqual(before, after) {
			t.Errorf("was %+v, is %+v", before, after)
		}
	}
}

func campusList(t *testing.T, k *authkit.Fixture) {
	lyon := resident(t, k, "lea", "École de Lyon", user.Admin)
	for name, university := range map[string]string{"ann": "ecole de lyon", "bob": "ÉCOLE-DE-LYON", "carl": "Grenoble", "dora": "École de Lyon 2"} {
		resident(t, k, name, university, user.Regular)
	}
	resident(t, k, "eve", "Grenoble", user.Admin)
	k.CreateUser(t, "nora@u.edu")
	find := func(q account.UserQuery) string {
		found := map[string]bool{}
		for q.First = 1; ; {
			page := must.Get(k.Users.List(ctx, lyon, q))(t)
			for _, u := range page.Users {
				found[strings.Split(string(u.Email), "@")[0]] = true
			}
			if q.After = page.EndCursor; !page.HasNext {
				return namesOf(found)
			}
		}
	}
	for q, want := range map[account.UserQuery]string{
		{}: "ann bob lea", {Search: "u.edu"}: "ann bob lea", {Search: "BOB"}: "bob", {Search: "carl"}: "", {Search: "nora"}: "", {Search: "eve"}: "",
		{Search: "lee", InNames: true}: "ann bob lea", {Search: "dora", InNames: true}: "", {Search: "carl lee", InNames: true}: "",
	} {
		if got := find(q); got != want {
			t.Errorf("%+v finds %q, want %q", q, got, want)
		}
	}
	want(t, must.Err(k.Users.AuditLog(ctx, lyon, account.AuditQuery{First: 10})), user.ErrForbidden)
}

// campusReach also covers people without a profile, and other admins.
func campusReach(t *testing.T, k *authkit.Fixture) {
	lyon := resident(t, k, "lea", "Lyon", user.Admin)
	elsewhere := map[string]user.ID{
		"a user":   resident(t, k, "carl", "Grenoble", user.Regular).ID,
		"an admin": resident(t, k, "eve", "Grenoble", user.Admin).ID,
		"an owner": resident(t, k, "olga", "Grenoble", user.Owner).ID,
		"nobody's": k.CallerOf(t, k.SignIn(t, string(k.CreateUser(t, "nora@u.edu").Email))).ID,
	}
	peer := resident(t, k, "paul", "LYON", user.Admin).ID
	k.EnableSecondFactor(t, proved(t, k, "carl@u.edu"))
	reading, changing := adminCalls(k, lyon)
	for whose, id := range elsewhere {
		same := unchanged(t, k, id)
		for _, calls := range []map[string]func(user.ID) error{reading, changing} {
			for what, call := range calls {
				if f := fault.As(call(id)); f == nil || f.Details["reason"] != "OTHER_CAMPUS" {
					t.Errorf("%s of %s elsewhere: %v", what, whose, f)
				}
			}
		}
		same()
	}
	same := unchanged(t, k, peer)
	for what, call := range changing {
		if err := call(peer); !errors.Is(err, user.ErrForbidden) {
			t.Errorf("%s of another admin: %v", what, err)
		}
	}
	same()
	for what, call := range reading {
		if err := call(peer); err != nil {
			t.Errorf("%s of another admin of the campus: %v", what, err)
		}
	}
	for _, err := range []error{roleError(k, lyon, peer), roleError(k, lyon, elsewhere["a user"])} {
		want(t, err, user.ErrForbidden)
	}
}

func roleError(k *authkit.Fixture, by user.Caller, of user.ID) error {
	return must.Err(k.Users.SetRole(ctx, by, of, user.Regular))
}

func campusHome(t *testing.T, k *authkit.Fixture) {
	manages(t, k, resident(t, k, "lea", "École de Lyon", user.Admin), resident(t, k, "ann", "ecole de lyon", user.Regular).ID)
}

func campusOwner(t *testing.T, k *authkit.Fixture) {
	olga := resident(t, k, "olga", "Lyon", user.Owner)
	manages(t, k, olga, resident(t, k, "carl", "Grenoble", user.Regular).ID)
	manages(t, k, olga, resident(t, k, "eve", "Grenoble", user.Admin).ID)
	moved := "Grenoble"
	must.Get(k.Users.UpdateProfile(ctx, olga, account.ProfileChange{University: &moved}))(t)
}

func campusOfAll(t *testing.T, k *authkit.Fixture) {
	lyon := resident(t, k, "lea", "Lyon", user.Admin)
	bare := k.CreateCaller(t, "root@example.org", user.Admin)
	manages(t, k, lyon, resident(t, k, "carl", "Grenoble", user.Regular).ID)
	manages(t, k, bare, k.CreateUser(t, "nora@u.edu").ID)
	page := must.Get(k.Users.List(ctx, lyon, account.UserQuery{First: 10}))(t)
	if len(page.Users) != 2 {
		t.Errorf("%d people are listed, want 2", len(page.Users))
	}
	moved := "Grenoble"
	must.Get(k.Users.UpdateProfile(ctx, lyon, account.ProfileChange{University: &moved}))(t)
}

// manages checks that a caller may do everything to an account, and deletes it.
func manages(t *testing.T, k *authkit.Fixture, by user.Caller, id user.ID) {
	t.Helper()
	reading, changing := adminCalls(k, by)
	remove := changing["delete"]
	delete(changing, "delete")
	for _, calls := range []map[string]func(user.ID) error{reading, changing} {
		for what, call := range calls {
			if err := call(id); err != nil {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	must.Do(t, remove(id))
	want(t, reading["find"](id), user.ErrNotFound)
}

func campusDelete(t *testing.T, k *authkit.Fixture) {
	lyon := resident(t, k, "lea", "Lyon", user.Admin)
	ann, bob := resident(t, k, "ann", "Lyon", user.Regular).ID, resident(t, k, "bob", "Lyon", user.Regular).ID
	carl := resident(t, k, "carl", "Grenoble", user.Regular).ID
	same := unchanged(t, k, ann, bob, carl)
	n, err := k.Users.Delete(ctx, lyon, []user.ID{ann, carl, bob})
	wantReason(t, err, "OTHER_CAMPUS")
	if same(); n != 0 {
		t.Errorf("%d are deleted, want 0", n)
	}
	n = must.Get(k.Users.Delete(ctx, lyon, []user.ID{ann, bob}))(t)
	if n != 2 {
		t.Errorf("%d are deleted, want 2", n)
	}
}

func campusInvitations(t *testing.T, k *authkit.Fixture) {
	lyon, grenoble := resident(t, k, "lea", "Lyon", user.Admin), resident(t, k, "eve", "Grenoble", user.Admin)
	owner := k.CreateCaller(t, "root@example.org", user.Owner)
	for email, by := range map[string]user.Caller{"ann@u.edu": lyon, "carl@u.edu": grenoble, "olga@u.edu": owner} {
		must.Get(k.Invitations.Invite(ctx, by, email, user.EN))(t)
	}
	ids := map[string]account.InvitationID{}
	for by, want := range map[*user.Caller]string{&lyon: "ann@u.edu", &grenoble: "carl@u.edu", &owner: "ann@u.edu carl@u.edu olga@u.edu"} {
		found := map[string]bool{}
		open := must.Get(k.Invitations.Open(ctx, *by))(t)
		for _, inv := range open {
			found[string(inv.Email)], ids[string(inv.Email)] = true, inv.ID
		}
		if got := namesOf(found); got != want {
			t.Errorf("sees the invitations of %q, want %q", got, want)
		}
	}
	want(t, k.Invitations.Revoke(ctx, lyon, ids["carl@u.edu"]), account.ErrInvitationNotFound)
	want(t, k.Invitations.Revoke(ctx, lyon, ids["olga@u.edu"]), account.ErrInvitationNotFound)
	for _, email := range []string{"carl@u.edu", "olga@u.edu"} {
		_, err := k.Invitations.Invite(ctx, lyon, email, user.EN) // does not take them over
		wantReason(t, err, "OTHER_CAMPUS")
	}
	must.Get(k.Invitations.Invite(ctx, lyon, "ann@u.edu", user.EN))(t)
	open := must.Get(k.Invitations.Open(ctx, lyon))(t)
	must.Do(t, k.Invitations.Revoke(ctx, lyon, open[0].ID))
	_, err := k.Invitations.Invite(ctx, grenoble, "ann@u.edu", user.EN) // it is free now
	must.Do(t, err)
	must.Do(t, k.Invitations.Revoke(ctx, owner, ids["olga@u.edu"]))
	link := k.LastMail(t, message.Invitation, "carl@u.edu").Link
	must.Get(k.Invitations.Accept(ctx, link[strings.Index(link, "token=")+len("token="):], nil, authkit.Firefox))(t)
}

func campusImported(t *testing.T, k *authkit.Fixture) {
	lyon := resident(t, k, "lea", "Lyon", user.Admin)
	file := "email,hash,firstName,lastName,university,verified\nann@u.edu,x:" + otherPassword + ",Ann,Lee,LYON,false\ncarl@u.edu,x:" + otherPassword + ",Carl,Lee,Grenoble,false\n"
	importAll(t, k, file)
	must.Get(k.Invitations.Invite(ctx, lyon, "ann@u.edu", user.EN))(t)
	_, err := k.Invitations.Invite(ctx, lyon, "carl@u.edu", user.EN)
	wantReason(t, err, "OTHER_CAMPUS")
	if n := len(k.Mails(message.Invitation, "carl@u.edu")); n != 0 {
		t.Errorf("%d invitations were mailed, want 0", n)
	}
}

func importAll(t *testing.T, k *authkit.Fixture, file string) {
	t.Helper()
	result := must.Get(k.Users.Import(ctx, strings.NewReader(file), account.ImportOptions{AllowRoles: true}))(t)
	if result.Bad > 0 || result.Imported == 0 {
		t.Fatalf("imported %+v", result)
	}
}

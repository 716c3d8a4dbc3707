package authcontract

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/domain/campus"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

func namesOf(set map[string]bool) string { return strings.Join(slices.Sorted(maps.Keys(set)), " ") }

func moveTo(k *authkit.Fixture, by user.Caller, university string) error {
	return must.Err(k.Users.UpdateProfile(ctx, by, account.ProfileChange{University: &university}))
}

func wantUniversity(t *testing.T, k *authkit.Fixture, id user.ID, university string) {
	t.Helper()
	u := must.Get(k.Store.Identity.FindUser(ctx, id))(t)
	if u.University() != university {
		t.Fatalf("is at %q, want %q", u.University(), university)
	}
}

func campusFixed(t *testing.T, k *authkit.Fixture) {
	lyon := resident(t, k, "lea", "École de Lyon", user.Admin)
	wantReason(t, moveTo(k, lyon, "Grenoble"), "CAMPUS_FIXED")
	all := fullProfile()
	_, err := k.Users.UpdateProfile(ctx, lyon, all)
	wantReason(t, err, "CAMPUS_FIXED")
	want(t, moveTo(k, lyon, " "), user.ErrProfileInvalid)
	wantUniversity(t, k, lyon.ID, "École de Lyon")
	must.Do(t, moveTo(k, lyon, "ecole de LYON")) // a spelling of it
	wantUniversity(t, k, lyon.ID, "ecole de LYON")
	mailbox := "CPU 9"
	must.Get(k.Users.UpdateProfile(ctx, lyon, account.ProfileChange{CampusMailbox: &mailbox}))(t)
	must.Do(t, moveTo(k, resident(t, k, "ann", "Lyon", user.Regular), "Grenoble"))
}

// campusWithheld: without the second factor, the caller is no admin, but the account is.
func campusWithheld(t *testing.T, k *authkit.Fixture) {
	lyon := resident(t, k, "lea", "Lyon", user.Admin)
	if lyon.Role != user.Regular || !lyon.RoleWithheld {
		t.Fatalf("caller is %+v", lyon)
	}
	wantReason(t, moveTo(k, lyon, "Grenoble"), "CAMPUS_FIXED")
	wantUniversity(t, k, lyon.ID, "Lyon")
}

func campusMissing(t *testing.T, k *authkit.Fixture) {
	bare := k.CreateCaller(t, "ann@u.edu", user.Admin)
	reading, changing := adminCalls(k, bare)
	nora := k.CreateUser(t, "nora@u.edu")
	same := unchanged(t, k, nora.ID)
	for _, calls := range []map[string]func(user.ID) error{reading, changing} {
		for _, call := range calls {
			wantReason(t, call(nora.ID), "NO_CAMPUS")
		}
	}
	same()
	_, err := k.Users.List(ctx, bare, account.UserQuery{First: 10})
	wantReason(t, err, "NO_CAMPUS")
	_, err = k.Invitations.Open(ctx, bare)
	wantReason(t, err, "NO_CAMPUS")
	_, err = k.Invitations.Invite(ctx, bare, "new@u.edu", user.EN)
	wantReason(t, err, "NO_CAMPUS")
	_, err = k.Users.UpdateProfile(ctx, bare, fullProfile())
	wantReason(t, err, "CAMPUS_FIXED")
	must.Get(k.Users.Find(ctx, bare, bare.ID))(t)
}

// campusSignUp: an account that was imported as an admin is confirmed by a sign-up, whose
// university nobody has checked.
func campusSignUp(t *testing.T, k *authkit.Fixture) {
	file := "email,hash,role,firstName,lastName,university,verified\n" +
		"ann@u.edu,x:" + otherPassword + ",admin,Ann,Lee,Lyon,false\nbob@u.edu,x:" + otherPassword + ",admin,,,,false\ncarl@u.edu,x:" + otherPassword + ",user,Carl,Lee,Lyon,false\n"
	importAll(t, k, file)
	for email, university := range map[string]string{"ann@u.edu": "Lyon", "bob@u.edu": "", "carl@u.edu": "Grenoble"} {
		p := *student()
		p.University = "Grenoble"
		must.Do(t, k.Accounts.SignUp(ctx, account.SignUpRequest{Email: email, Password: authkit.Password, Profile: &p, From: authkit.Firefox}))
		must.Do(t, k.Accounts.VerifyEmail(ctx, email, k.LastMail(t, message.Verification, email).Code, authkit.Firefox))
		wantUniversity(t, k, k.CallerOf(t, k.SignIn(t, email)).ID, university)
	}
}

func campusNextRequest(t *testing.T, k *authkit.Fixture) {
	owner := k.CreateCaller(t, "root@example.org", user.Owner)
	ann, carl := resident(t, k, "ann", "Lyon", user.Regular).ID, resident(t, k, "carl", "Grenoble", user.Regular).ID
	resident(t, k, "lea", "Lyon", user.Regular)
	g := k.SignIn(t, "lea@u.edu")
	reach := func(annErr, carlErr string) {
		t.Helper()
		by := k.CallerOf(t, g)
		for id, reason := range map[user.ID]string{ann: annErr, carl: carlErr} {
			if _, err := k.Users.Find(ctx, by, id); reason == "-" {
				must.Do(t, err)
			} else {
				wantReason(t, err, reason)
			}
		}
	}
	set := func(role user.Role) {
		t.Helper()
		must.Get(k.Users.SetRole(ctx, owner, g.User.ID, role))(t)
	}
	reach("", "")
	set(user.Admin)
	reach("-", "OTHER_CAMPUS")
	set(user.Regular)
	must.Do(t, moveTo(k, k.CallerOf(t, g), "Grenoble"))
	set(user.Admin)
	reach("OTHER_CAMPUS", "-")
	set(user.Owner)
	reach("-", "-")
	set(user.Admin)
	must.Do(t, moveTo(k, k.CallerOf(t, k.SignIn(t, "carl@u.edu")), "Nice"))
	reach("OTHER_CAMPUS", "OTHER_CAMPUS")
}

func campusSelf(t *testing.T, k *authkit.Fixture) {
	lyon := resident(t, k, "lea", "Lyon", user.Admin)
	want(t, must.Err(k.Users.Suspend(ctx, lyon, lyon.ID, "spam")), user.ErrForbidden)
	want(t, must.Err(k.Users.Delete(ctx, lyon, []user.ID{lyon.ID})), account.ErrCannotDeleteSelf)
	for _, call := range []func(user.ID) error{
		func(id user.ID) error { _, err := k.Users.Find(ctx, lyon, id); return err },
		func(id user.ID) error { _, err := k.Sessions.List(ctx, lyon, id); return err },
		func(id user.ID) error { _, err := k.SecondFactors.Enabled(ctx, lyon, id); return err },
	} {
		must.Do(t, call(lyon.ID))
	}
	prove(t, k, lyon)
	must.Get(k.Exports.Mine(ctx, lyon))(t)
	must.Do(t, k.Users.Leave(ctx, lyon))
}

// campusAddress: the address proves the university, so it may move an admin.
func campusAddress(t *testing.T, old *authkit.Fixture) {
	k := authkit.New(t, old.Store, func(_ *authrooms.Ports, c *auth.Config) {
		c.CampusAdmins = true
		c.Campus = must.Get(campus.ParseFile("u.edu, Lyon\nv.edu, Grenoble\n"))(t)
	})
	resident(t, k, "lea", "Nice", user.Admin)
	carl := k.CreateUser(t, "carl@v.edu").ID
	must.Get(k.Users.UpdateProfile(ctx, k.CallerOf(t, k.SignIn(t, "carl@v.edu")), fullProfile()))(t)
	lyon := proved(t, k, "lea@u.edu")
	wantUniversity(t, k, lyon.ID, "Lyon")
	must.Do(t, moveTo(k, lyon, "Grenoble"))
	wantUniversity(t, k, lyon.ID, "Lyon")
	finds := func(email, reason string) {
		t.Helper()
		if _, err := k.Users.Find(ctx, k.CallerOf(t, k.SignIn(t, email)), carl); reason != "" {
			wantReason(t, err, reason)
		} else {
			must.Do(t, err)
		}
	}
	finds("lea@u.edu", "OTHER_CAMPUS")
	code, undo := requestChange(t, k, lyon, "lea@u.edu", "lea@v.edu")
	wantUniversity(t, k, lyon.ID, "Lyon")
	must.Get(k.EmailChanges.Confirm(ctx, lyon, code))(t)
	wantUniversity(t, k, lyon.ID, "Grenoble")
	finds("lea@v.edu", "")
	must.Do(t, k.EmailChanges.Undo(ctx, undo, authkit.Firefox))
	wantUniversity(t, k, lyon.ID, "Lyon")
	finds("lea@u.edu", "OTHER_CAMPUS")
	bare := k.CreateCaller(t, "bare@u.edu", user.Admin)
	must.Get(k.Users.UpdateProfile(ctx, bare, fullProfile()))(t)
	wantUniversity(t, k, bare.ID, "Lyon")
}

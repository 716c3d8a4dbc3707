package authcontract

import (
	"slices"
	"sync"
	"testing"

	"github.com/octavo-books/octavo/domain/identity"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/must"
)

// Grants tests what the rules of a service give at each sign-in, and take away.
func Grants(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, *authkit.Fixture){
		"a rule's roles and groups go with its claims, and others stay":    ruleLabels,
		"a rule makes an admin of a campus, and takes that back":           ruleAdmin,
		"an admin by hand and by rule at once stays when the claim goes":   ruleAdminByHand,
		"two sign-ins at once leave what one of their claims says":         rulesInParallel,
		"an owner is left alone, and so is what another service has given": ruleLeavesAlone,
	} {
		t.Run(name, func(t *testing.T) { test(t, authkit.New(t, open(t), nil)) })
	}
}

// signInGranted signs ann in at the trusted service, whose rules give grants.
func signInGranted(t *testing.T, k *authkit.Fixture, g identity.Grants) user.Caller {
	t.Helper()
	c := ann("1")
	c.Grants = g
	return k.CallerOf(t, must.Get(externalSignIn(t, k, "trusted", c))(t).TokenPair)
}

func wantNames(t *testing.T, k *authkit.Fixture, of user.ID, kind user.LabelKind, names ...string) {
	t.Helper()
	if found := user.LabelNames(must.Get(k.Users.LabelsOf(ctx, of))(t), kind); !slices.Equal(found, names) {
		t.Errorf("%ss are %q, want %q", kind, found, names)
	}
}

func ruleLabels(t *testing.T, k *authkit.Fixture) {
	root := k.CreateCaller(t, "root@u.edu", user.Owner)
	by := signInGranted(t, k, identity.Grants{Roles: []string{"editor", "staff"}, Groups: []string{"chess"}})
	must.Get(k.Users.SetLabels(ctx, root, by.ID, map[user.LabelKind][]string{user.RoleLabel: {"editor", "poet"}}))(t)
	wantNames(t, k, by.ID, user.RoleLabel, "editor", "poet", "staff")
	wantNames(t, k, by.ID, user.GroupLabel, "chess")
	signInGranted(t, k, identity.Grants{Roles: []string{"staff"}, Groups: []string{"go"}})
	wantNames(t, k, by.ID, user.RoleLabel, "editor", "poet", "staff")
	wantNames(t, k, by.ID, user.GroupLabel, "go")
	signInGranted(t, k, identity.Grants{}) // the rules were removed, or the claims
	wantNames(t, k, by.ID, user.RoleLabel, "editor", "poet")
	wantNames(t, k, by.ID, user.GroupLabel)
}

func ruleAdmin(t *testing.T, k *authkit.Fixture) {
	by := signInGranted(t, k, identity.Grants{Admin: true, Campus: "Lyon"})
	if by.Role != user.Admin || by.Campus() != "Lyon" || !by.Oversees("lyon") || by.Oversees("Grenoble") {
		t.Errorf("with the claim: %+v", by)
	}
	moved := signInGranted(t, k, identity.Grants{Admin: true, Campus: "Grenoble"})
	if moved.Oversees("Lyon") || !moved.Oversees("Grenoble") {
		t.Errorf("with another campus: %+v", moved)
	}
	everywhere := signInGranted(t, k, identity.Grants{Admin: true})
	if everywhere.Role != user.Admin || everywhere.Campus() != "" {
		t.Errorf("without a campus: %+v", everywhere)
	}
	if without := signInGranted(t, k, identity.Grants{}); without.Role != user.Regular || without.CampusOnly {
		t.Errorf("without the claim: %+v", without)
	}
	if u := must.Get(k.Store.Identity.FindUser(ctx, by.ID))(t); u.Role != user.Regular || u.AdminBy != "" || u.AdminCampus != "" {
		t.Errorf("it is stored as %+v", u)
	}
}

func ruleAdminByHand(t *testing.T, k *authkit.Fixture) {
	root := k.CreateCaller(t, "root@u.edu", user.Owner)
	by := signInGranted(t, k, identity.Grants{Admin: true, Campus: "Lyon"})
	must.Get(k.Users.SetRole(ctx, root, by.ID, user.Admin))(t)
	if now := signInGranted(t, k, identity.Grants{Admin: true, Campus: "Lyon"}); now.Role != user.Admin || now.Campus() != "" {
		t.Errorf("by hand and by rule: %+v", now)
	}
	if now := signInGranted(t, k, identity.Grants{}); now.Role != user.Admin {
		t.Errorf("by hand, without the claim: %+v", now)
	}
	must.Get(k.Users.SetRole(ctx, root, by.ID, user.Regular))(t)
	if now := signInGranted(t, k, identity.Grants{Admin: true}); now.Role != user.Admin {
		t.Errorf("by rule again: %+v", now)
	}
}

func rulesInParallel(t *testing.T, k *authkit.Fixture) {
	by := signInGranted(t, k, identity.Grants{})
	one, other := ann("1"), ann("1")
	one.Grants = identity.Grants{Roles: []string{"a", "b"}, Admin: true, Campus: "Lyon"}
	other.Grants = identity.Grants{Roles: []string{"b", "c"}}
	var all sync.WaitGroup
	for i := range 6 {
		c := one
		if i%2 == 0 {
			c = other
		}
		ticket, a := beginExternal(t, k, "trusted", c)
		all.Go(func() {
			if _, err := k.Identities.Finish(ctx, ticket, a, user.EN, authkit.Firefox); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	u, names := must.Get(k.Store.Identity.FindUser(ctx, by.ID))(t), user.LabelNames(must.Get(k.Users.LabelsOf(ctx, by.ID))(t), user.RoleLabel)
	admin := slices.Equal(names, []string{"a", "b"}) && u.Role == user.Admin && u.AdminCampus == "Lyon"
	if regular := slices.Equal(names, []string{"b", "c"}) && u.Role == user.Regular && u.AdminCampus == ""; !admin && !regular {
		t.Errorf("left are %q and %+v", names, u)
	}
}

func ruleLeavesAlone(t *testing.T, k *authkit.Fixture) {
	by := signInGranted(t, k, identity.Grants{})
	setLabels(t, k, by.ID, user.RoleLabel, "another", "editor")
	must.Get(k.Users.Promote(ctx, "ann@u.edu", user.Owner))(t)
	for _, g := range []identity.Grants{{Admin: true, Campus: "Lyon"}, {}} {
		if now := signInGranted(t, k, g); now.Role != user.Owner || now.Campus() != "" {
			t.Errorf("an owner with %+v: %+v", g, now)
		}
	}
	wantNames(t, k, by.ID, user.RoleLabel, "editor")
	u := user.User{Role: user.Admin, AdminBy: "another"}
	if u.RuleAdmin("trusted", false, "") || u.Role != user.Admin {
		t.Errorf("another service's admin is %+v", u)
	}
}

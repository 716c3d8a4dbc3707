package user_test

import (
	"errors"
	"testing"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
	"pgregory.net/rapid"
)

// reasonOf returns the reason of a refusal, which tells apart what errors.Is takes for the same.
func reasonOf(err error) string {
	if f := fault.As(err); f != nil {
		return f.Details["reason"]
	}
	return ""
}

func at(university string) *user.Profile { return &user.Profile{University: university} }

func TestAnAdminOfOneCampusOverseesItAlone(t *testing.T) {
	admin := user.Caller{ID: 2, Role: user.Admin, CampusOnly: true, University: "École de Lyon"}
	for university, overseen := range map[string]bool{
		"École de Lyon": true, "ecole de lyon": true, " ECOLE-DE LYON. ": true, "Ecole\u0301 de Lyon": true,
		"École de Lyon 2": false, "Lyon": false, "Grenoble": false, "": false, "!": false,
	} {
		err := admin.MustOversee(university)
		if admin.Oversees(university) != overseen || (err == nil) != overseen || !overseen && reasonOf(err) != "OTHER_CAMPUS" {
			t.Errorf("%q is overseen: %t, %v", university, admin.Oversees(university), err)
		}
		err = admin.MustOutrank(user.User{ID: 9, Profile: at(university)})
		if (err == nil) != overseen || !overseen && reasonOf(err) != "OTHER_CAMPUS" {
			t.Errorf("administrates somebody of %q: %v", university, err)
		}
	}
	if admin.Campus() != "École de Lyon" {
		t.Errorf("lists are narrowed to %q", admin.Campus())
	}
	for _, role := range []user.Role{user.Admin, user.Owner} {
		if err := admin.MustOutrank(user.User{ID: 9, Role: role, Profile: at("Ecole de Lyon")}); !errors.Is(err, user.ErrForbidden) || reasonOf(err) != "" {
			t.Errorf("administrates role %d: %v", role, err)
		}
	}
	if err := admin.MustOutrank(user.User{ID: 9}); reasonOf(err) != "OTHER_CAMPUS" {
		t.Errorf("administrates somebody without a profile: %v", err)
	}
}

func TestAnAdminOfOneCampusWithoutOneMayNothing(t *testing.T) {
	for _, university := range []string{"", " ", "!?", "\u0301"} {
		admin := user.Caller{ID: 2, Role: user.Admin, CampusOnly: true, University: university}
		for what, err := range map[string]error{
			"be an admin": admin.MustBe(user.Admin), "oversee nothing": admin.MustOversee(""), "oversee the same": admin.MustOversee(university),
			"outrank": admin.MustOutrank(user.User{ID: 9}),
		} {
			if reasonOf(err) != "NO_CAMPUS" {
				t.Errorf("an admin of %q may %s: %v", university, what, err)
			}
		}
		if admin.Oversees("") || admin.Oversees("Lyon") {
			t.Errorf("an admin of %q oversees something", university)
		}
		if err := admin.MustBe(user.Regular); err != nil {
			t.Errorf("an admin of %q is not a user: %v", university, err)
		}
		if err := admin.MustBe(user.Owner); !errors.Is(err, user.ErrForbidden) || reasonOf(err) != "" {
			t.Errorf("an admin of %q asks to be an owner: %v", university, err)
		}
	}
}

func TestTheCampusBoundsAdminsOnly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom([]string{"", "Lyon", "lyon", "Grenoble"})
		free := user.Caller{
			ID: 1, Role: user.Role(rapid.IntRange(0, 2).Draw(t, "role")), RoleWithheld: rapid.Bool().Draw(t, "withheld"),
			University: name.Draw(t, "own"),
		}
		bound, other := free, name.Draw(t, "other")
		bound.CampusOnly = true
		target := user.User{ID: 9, Role: user.Role(rapid.IntRange(0, 2).Draw(t, "target")), Profile: at(other)}
		if free.Campus() != "" {
			t.Fatalf("lists of an admin of all universities are narrowed to %q", free.Campus())
		}
		for what, errs := range map[string][2]error{
			"a role":       {free.MustBe(user.Admin), bound.MustBe(user.Admin)},
			"a university": {free.MustOversee(other), bound.MustOversee(other)},
			"a person":     {free.MustOutrank(target), bound.MustOutrank(target)},
		} {
			if errs[0] != nil && errs[1] == nil {
				t.Fatalf("the campus gives %s: %v", what, errs[0])
			}
			same := free.Role != user.Admin || free.University != "" && (what == "a role" || user.SameUniversity(free.University, other))
			if (errs[0] == nil) != (errs[1] == nil) && same {
				t.Fatalf("the campus takes %s from %+v: %v", what, bound, errs[1])
			}
			if !same && errs[1] == nil {
				t.Fatalf("%+v has %s of %q", bound, what, other)
			}
		}
		if bound.Oversees(other) != (bound.MustOversee(other) == nil) {
			t.Fatalf("Oversees and MustOversee differ for %+v and %q", bound, other)
		}
	})
}

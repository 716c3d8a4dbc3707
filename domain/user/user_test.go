package user_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
	"pgregory.net/rapid"
)

func TestEachRoleHasItsPermissions(t *testing.T) {
	people := map[string]user.Caller{
		"nobody": {}, "regular": {ID: 1}, "admin": {ID: 2, Role: user.Admin}, "owner": {ID: 3, Role: user.Owner},
	}
	for name, by := range people {
		for role := user.Regular; role <= user.Owner; role++ {
			err := by.MustBe(role)
			switch {
			case name == "nobody" && !errors.Is(err, user.ErrUnauthenticated),
				name != "nobody" && (err == nil) != (by.Role >= role),
				name != "nobody" && err != nil && !errors.Is(err, user.ErrForbidden):
				t.Errorf("%s asks for role %d: %v", name, role, err)
			}
			err = by.MustOutrank(user.User{ID: 9, Role: role})
			if allowed := by.Role == user.Owner || by.Role == user.Admin && role == user.Regular; (err == nil) != allowed {
				t.Errorf("%s administrates role %d: %v", name, role, err)
			}
		}
	}
}

func TestAThirdPartyApplicationMayOnlyReadWhatItsScopesAllow(t *testing.T) {
	person := user.Caller{ID: 1, Role: user.Owner, Student: true}
	app := person
	app.Client, app.Scopes = "client", "openid email"
	if app.SignedIn() || !errors.Is(app.MustBe(user.Regular), user.ErrForbidden) || !errors.Is(app.MustBeStudent(), user.ErrForbidden) {
		t.Error("an application passes for its user")
	}
	if !app.MayRead("email") || app.MayRead("profile") || app.MayRead("mail") || app.MayRead("") || (user.Caller{}).MayRead("email") || !person.MayRead("profile") {
		t.Error("scopes are not what limits an application")
	}
}

func TestOnlyUsersWithACompleteProfileAreStudents(t *testing.T) {
	if err := (user.Caller{}).MustBeStudent(); !errors.Is(err, user.ErrUnauthenticated) {
		t.Error(err)
	}
	if err := (user.Caller{ID: 1}).MustBeStudent(); !errors.Is(err, user.ErrProfileNeeded) {
		t.Error(err)
	}
	if err := (user.Caller{ID: 1, Student: true}).MustBeStudent(); err != nil {
		t.Error(err)
	}
	whole := user.Profile{FirstName: "Ann", LastName: "Lee", University: "U", CampusMailbox: "1", PaymentUsername: "ann"}
	names := user.Profile{FirstName: "Ann", LastName: "Lee", University: "U"}
	for u, student := range map[*user.User]bool{
		{Verified: true, Profile: &whole}: true,
		{Verified: true, Profile: &names}: true,
		{Verified: true}:                  false,
		{Profile: &whole}:                 false,
	} {
		if u.Student() != student {
			t.Errorf("%+v: %v, want %v", u, u.Student(), student)
		}
	}
}

func TestIdsAreDecimalOnTheWire(t *testing.T) {
	if user.ID(12).String() != "12" || user.SessionID(1<<60).String() != "1152921504606846976" {
		t.Error(user.ID(12), user.SessionID(1<<60))
	}
}

func TestAnUnsupportedLanguageIsReplacedByTheDefault(t *testing.T) {
	for in, out := range map[user.Lang]user.Lang{user.EN: user.EN, user.FR: user.FR, "": user.FR, "de": user.FR} {
		if got := in.Or(user.FR); got != out {
			t.Errorf("%q: %q, want %q", in, got, out)
		}
	}
}

func TestAnEpochOnlyIncreases(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := user.User{Epoch: rapid.Int64Range(0, 1<<62).Draw(t, "epoch")}
		before, mark := u.Epoch, rapid.Int64Range(0, 1<<62).Draw(t, "mark")
		if u.AdvanceEpoch(mark); u.Epoch <= before || u.Epoch < mark {
			t.Fatalf("%d after %d with mark %d", u.Epoch, before, mark)
		}
	})
}

func TestAProfileIsCleanedAndTheErrorNamesEveryBadField(t *testing.T) {
	good := user.Profile{FirstName: " \u202eAme\u0301lie\u202c ", LastName: "O'Neil", University: "U", CampusMailbox: "1", PaymentUsername: strings.Repeat("x", 100)}
	clean, err := good.Clean()
	if err != nil || clean.FirstName != "Am\u00e9lie" {
		t.Fatalf("%+v, %v", clean, err)
	}
	bad := user.Profile{FirstName: "", LastName: "a\nb", University: strings.Repeat("x", 101), CampusMailbox: "\xff", PaymentUsername: "\u200b\u3164"}
	_, err = bad.Clean()
	if e := fault.As(err); !errors.Is(err, user.ErrProfileInvalid) || len(e.Fields) != 5 {
		t.Fatalf("%v, %v", err, fault.As(err))
	}
	if user.ErrProfileInvalid.Fields != nil {
		t.Fatal("the sentinel was changed")
	}
}

func TestWhatTradingNeedsIsAskedForLaterAndNotEmptiedAgain(t *testing.T) {
	bare := user.Profile{FirstName: "Ada", LastName: "Byron", University: "U"}
	if clean, err := bare.Clean(); err != nil || clean != bare {
		t.Fatalf("%+v, %v", clean, err)
	}
	err := bare.CheckTrade()
	if e := fault.As(err); !errors.Is(err, user.ErrProfileNeeded) || len(e.Fields) != 2 || e.Fields["campusMailbox"] == "" || e.Fields["paymentUsername"] == "" {
		t.Errorf("without both: %v, %v", err, fault.As(err))
	}
	half := bare
	half.CampusMailbox = "12"
	if e := fault.As(half.CheckTrade()); len(e.Fields) != 1 || e.Fields["paymentUsername"] == "" {
		t.Errorf("without one: %v", e.Fields)
	}
	if _, err := bare.CleanAfter(&half); !errors.Is(err, user.ErrProfileInvalid) || fault.As(err).Fields["campusMailbox"] == "" {
		t.Errorf("the mailbox was emptied: %v", err)
	}
	half.PaymentUsername = "ada"
	if err := half.CheckTrade(); err != nil || user.ErrProfileNeeded.Fields != nil {
		t.Errorf("with both: %v; the sentinel has %v", err, user.ErrProfileNeeded.Fields)
	}
}

// Whatever sign-ups come in whatever order, the account gets a password only if all of
// them had the same.
func TestADifferentPasswordIsRememberedAfterItsSignUpIsEvicted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		passwords := rapid.SliceOfN(rapid.SampledFrom([]string{"mine", "theirs"}), 1, 30).Draw(t, "passwords")
		var all []user.Registration // newest first
		for i, p := range passwords {
			r := user.Registration{ID: int64(i + 1), PasswordFingerprint: [32]byte{p[0]}}
			if len(all) > 0 {
				r.SetPredecessor(all[0])
			}
			all = append([]user.Registration{r}, all...)
			all = all[:min(len(all), 5)]
		}
		contested := false
		for _, p := range passwords {
			contested = contested || p != passwords[0]
		}
		chosen := rapid.IntRange(0, len(all)-1).Draw(t, "confirmed")
		if got := all[chosen].ContestedAmong(all); got != contested {
			t.Fatalf("ContestedAmong is %v, want %v", got, contested)
		}
	})
}

func TestNobodyDecidesAboutTheirOwnAffair(t *testing.T) {
	affair := user.Affair{University: "Yale University", Parties: []user.ID{1, 0, 2}}
	admin := user.Staff{ID: 8, Role: user.Admin, University: "yale  university"}
	elsewhere, owner, own := user.Staff{ID: 9, Role: user.Admin, University: "École"}, user.Staff{ID: 7, Role: user.Owner}, user.Staff{ID: 1, Role: user.Owner}
	for name, test := range map[string]struct {
		by           user.Caller
		staff        []user.Staff
		alone, right bool
	}{
		"a stranger":                              {user.Caller{ID: 5, Role: user.Admin}, []user.Staff{admin}, false, true},
		"nobody is no party":                      {user.Caller{Role: user.Admin}, nil, false, true},
		"an admin":                                {user.Caller{ID: 1, Role: user.Admin}, nil, false, false},
		"an owner beside an admin":                {user.Caller{ID: 1, Role: user.Owner}, []user.Staff{own, admin}, false, false},
		"an owner beside an admin of elsewhere":   {user.Caller{ID: 1, Role: user.Owner}, []user.Staff{elsewhere}, false, false},
		"an owner beside an owner":                {user.Caller{ID: 2, Role: user.Owner}, []user.Staff{own, owner}, false, false},
		"an owner alone":                          {user.Caller{ID: 1, Role: user.Owner}, []user.Staff{own}, true, true},
		"an owner of a campus beside an admin":    {user.Caller{ID: 1, Role: user.Owner, CampusOnly: true}, []user.Staff{own, admin}, false, false},
		"an owner of a campus beside an owner":    {user.Caller{ID: 1, Role: user.Owner, CampusOnly: true}, []user.Staff{owner}, false, false},
		"an owner whose campus has no admin":      {user.Caller{ID: 1, Role: user.Owner, CampusOnly: true}, []user.Staff{own, elsewhere}, true, true},
		"an admin whose campus has nobody else":   {user.Caller{ID: 1, Role: user.Admin, CampusOnly: true}, []user.Staff{elsewhere}, false, false},
		"a user beside the owner who is no staff": {user.Caller{ID: 1, Role: user.Owner}, []user.Staff{{ID: 3}}, true, true},
	} {
		alone, err := affair.CheckDecision(test.by, test.staff)
		if alone != test.alone || (err == nil) != test.right || err != nil && !errors.Is(err, user.ErrOwnAffair) {
			t.Errorf("%s: alone %t, %v", name, alone, err)
		}
	}
	if more := affair.With(5); !more.Involves(5) || affair.Involves(5) || more.Involves(0) {
		t.Errorf("%v with 5 is %v", affair, more)
	}
}

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

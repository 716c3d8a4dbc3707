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
	imported := user.Profile{FirstName: "Ann", LastName: "Lee", University: "U"}
	for u, student := range map[*user.User]bool{
		{Verified: true, Profile: &whole}:    true,
		{Verified: true, Profile: &imported}: false,
		{Verified: true}:                     false,
		{Profile: &whole}:                    false,
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

package rest_test

import (
	"testing"

	"github.com/octavo-books/octavo/adapters/rest"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/campus"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// Where the address decides the university, a new address does not move somebody who sells, nor
// keep them from changing the rest of the profile. Later they move.
func TestANewAddressMovesItsOwnerWhenNothingIsOpen(t *testing.T) {
	w := newMarketFixtureBehind(t, rest.Default(), meeting.Desk, func(_ *auth.Ports, c *auth.Config) {
		var err error
		if c.Campus, err = campus.ParseFile("rochester.edu, Rochester\nyale.edu, Yale\n"); err != nil {
			t.Fatal(err)
		}
	})
	dean, ann := w.promoted("dean", user.Admin), w.as("ann")
	sold := object{"bookId": w.bought("ann", "bob")}
	by := w.CallerOf(t, auth.TokenPair{AccessToken: ann})
	if err := w.Store.Sessions.ProveSession(t.Context(), by.ID, by.Session, w.Clock.Now()); err != nil {
		t.Fatal(err)
	}
	if err := w.EmailChanges.Request(t.Context(), by, "ann@yale.edu"); err != nil {
		t.Fatal(err)
	}
	if _, err := w.EmailChanges.Confirm(t.Context(), by, w.LastMail(t, message.EmailChange, "ann@yale.edu").Code); err != nil {
		t.Fatal(err)
	}
	is := func(r *result, university string) {
		t.Helper()
		if r.wantStatus(200, "").text("university") != university || r.text("email") != "ann@yale.edu" {
			t.Errorf("the profile is %s, want %s", r.raw, university)
		}
	}
	is(w.get("/api/user/getUserData", ann), "Rochester")
	is(w.post("/api/auth/updateProfile", ann, object{"campusMailbox": "CPU 9"}), "Rochester")
	w.post("/api/auth/updateProfile", ann, object{"university": "Yale"}).wantStatus(409, "profile_locked")
	w.post("/api/dashboard/confirmBook", dean, sold).wantStatus(200, "")
	w.post("/api/dashboard/setBookPaid", dean, sold).wantStatus(200, "")
	is(w.post("/api/auth/updateProfile", ann, object{"campusMailbox": "CPU 10"}), "Yale")
}

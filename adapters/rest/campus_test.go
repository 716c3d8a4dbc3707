package rest_test

import (
	"io"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/rest"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/domain/campus"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
)

// newCampusFixture is a market with ADMIN_SCOPE=campus: dean is an admin of Rochester, as are
// the other students, dora one of Yale, and zoe a student of Yale.
func newCampusFixture(t testing.TB) *marketFixture {
	t.Helper()
	w := newMarketFixtureBehind(t, rest.Default(), meeting.Both, func(_ *authrooms.Ports, c *auth.Config) { c.CampusAdmins = true })
	w.asOf("dora", "Yale")
	w.asOf("zoe", "Yale")
	w.promoted("dean", user.Admin)
	w.promoted("dora", user.Admin)
	w.promoted("olga", user.Owner)
	return w
}

// asOf signs a new student of a university up, for as.
func (w *marketFixture) asOf(name, university string) {
	w.t.Helper()
	w.post("/api/auth/signup", "", with(signup(name), "university", university)).wantStatus(201, "")
	w.get("/api/auth/confirm/"+w.link(name+"@rochester.edu"), "", header("Accept", "application/json")).wantStatus(200, "")
	w.tokens[name] = w.login(name)
}

// What an admin of one campus may do is in the contract of the stores. Here each route passes the caller on.
func TestAnAdminOfOneCampusIsRefusedWhatBelongsToAnother(t *testing.T) {
	w := newCampusFixture(t)
	sold, hidden := object{"bookId": w.bought("zoe", "bob")}, w.posted("zoe")
	w.post("/api/books/deleteBook", w.as("zoe"), object{"bookId": hidden}).wantStatus(200, "")
	report := w.report("bob", object{"bookId": w.posted("zoe"), "reason": "spam", "text": "About Zoe."}).wantStatus(201, "").text("id")
	place := object{"university": "Yale", "name": "Library", "hours": "8-20"}
	id := w.post("/api/dashboard/savePlace", w.as("dora"), place).wantStatus(200, "").text("id")
	courses := func(token string) *result {
		return w.post("/api/dashboard/importCourses?university=YALE&term=2026-fall", token, io.Reader(strings.NewReader(courseHead+"CSC 172,Data,,Algorithms,\n")), header("Content-Type", "text/csv"))
	}
	courses(w.as("dora")).wantStatus(200, "")
	courses(w.as("dean")).wantStatus(403, "forbidden")
	w.refuses(
		refusal{"dean", "/api/dashboard/confirmBook", sold, 403, "forbidden", ""},
		refusal{"dean", "/api/dashboard/setBookPaid", sold, 403, "forbidden", ""},
		refusal{"dean", "/api/dashboard/settleOrder", sold, 403, "forbidden", ""},
		refusal{"dean", "/api/dashboard/cancelTransaction", with(sold, "reason", "No."), 403, "forbidden", ""},
		refusal{"dean", "/api/dashboard/resolveReport", object{"reportId": report, "action": "dismiss"}, 403, "forbidden", ""},
		refusal{"dean", "/api/dashboard/savePlace", with(place, "placeId", id, "university", "Rochester"), 403, "forbidden", ""},
		refusal{"dean", "/api/dashboard/removePlace", object{"placeId": id}, 403, "forbidden", ""},
		refusal{"dean", "/api/dashboard/removeCourseList", object{"university": "Yale", "term": "2026-fall"}, 403, "forbidden", ""},
		refusal{"dean", "/api/dashboard/getStatistics?university=Yale", nil, 403, "forbidden", ""},
		refusal{"dean", "/api/books/getBook/" + hidden, nil, 404, "book_not_found", ""},
		refusal{"dean", "/api/auth/updateProfile", object{"university": "Yale"}, 403, "forbidden", ""},
	)
	w.get("/api/books/getBook/"+hidden, w.as("dora")).wantStatus(200, "")
	w.post("/api/auth/updateProfile", w.as("dean"), object{"campusMailbox": "CPU 9"}).wantStatus(200, "")
}

// No route for admins shows the students of another campus, whatever ids it is given.
func TestNoRouteShowsAnAdminTheStudentsOfAnotherCampus(t *testing.T) {
	w := newCampusFixture(t)
	w.asOf("yves", "Yale")
	book := w.bought("zoe", "yves")
	order := w.get("/api/user/getOrders?role=seller", w.as("zoe")).text(0, "id")
	w.report("bob", object{"bookId": w.posted("zoe"), "reason": "spam"}).wantStatus(201, "")
	shown := 0
	for _, r := range w.routes() {
		if r.method != "GET" || r.who != "admin" && !strings.Contains(r.path, "getOrder") {
			continue
		}
		for _, fill := range []string{"0", "1", "2", book, order, w.id("zoe")} {
			path := strings.NewReplacer(":status", fill, ":id", fill).Replace(r.pattern)
			for _, query := range []string{"", "?search=zoe", "?status=1", "?university=Yale"} {
				if got := w.get(path+query, w.as("dean")); strings.Contains(got.raw, "zoe@") || strings.Contains(got.raw, "yves@") {
					t.Errorf("%s tells %s", path+query, got)
				}
				if strings.Contains(w.get(path+query, w.as("olga")).raw, "zoe@") {
					shown++
				}
			}
		}
	}
	if shown < 5 {
		t.Errorf("%d answers show an owner the student, want some: or this test proves nothing", shown)
	}
}

func TestNobodyChangesTheUniversityWhileSomethingIsOpen(t *testing.T) {
	w := newMarketFixture(t)
	dean, ann := w.promoted("dean", user.Admin), w.as("ann")
	move := object{"university": "Elsewhere", "firstName": "Anne"}
	sold := object{"bookId": w.bought("ann", "bob")}
	if r := w.post("/api/auth/updateProfile", ann, move).wantStatus(409, "profile_locked"); !strings.Contains(r.raw, "purchases and sales") {
		t.Errorf("the reason is %s", r)
	}
	w.post("/api/auth/updateProfile", ann, object{"university": " ROCHESTER ", "campusMailbox": "CPU 9"}).wantStatus(200, "")
	w.post("/api/dashboard/confirmBook", dean, sold).wantStatus(200, "")
	w.post("/api/dashboard/setBookPaid", dean, sold).wantStatus(200, "")
	w.report("eve", object{"bookId": w.posted("ann"), "reason": "wrong"}).wantStatus(201, "")
	if r := w.post("/api/auth/updateProfile", ann, move).wantStatus(409, "profile_locked"); !strings.Contains(r.raw, "report about you") {
		t.Errorf("the reason is %s", r)
	}
	if r := w.get("/api/user/getUserData", ann).wantStatus(200, ""); r.text("firstName") != "Ann" {
		t.Errorf("a refusal has changed %s", r)
	}
}

// Where the address decides the university, a new address does not move somebody who sells, nor
// keep them from changing the rest of the profile. Later they move.
func TestANewAddressMovesItsOwnerWhenNothingIsOpen(t *testing.T) {
	w := newMarketFixtureBehind(t, rest.Default(), meeting.Desk, func(_ *authrooms.Ports, c *auth.Config) {
		var err error
		if c.Campus, err = campus.ParseFile("rochester.edu, Rochester\nyale.edu, Yale\n"); err != nil {
			t.Fatal(err)
		}
	})
	dean, ann := w.promoted("dean", user.Admin), w.as("ann")
	sold := object{"bookId": w.bought("ann", "bob")}
	by := w.CallerOf(t, auth.TokenPair{AccessToken: ann})
	if err := w.Store.Sessions.ProveSession(t.Context(), by.ID, by.Session, session.Password, w.Clock.Now()); err != nil {
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

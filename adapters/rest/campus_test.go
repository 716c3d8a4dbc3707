package rest_test

import (
	"io"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/rest"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/user"
)

// newCampusFixture is a market with ADMIN_SCOPE=campus: dean is an admin of Rochester, as are
// the other students, dora one of Yale, and zoe a student of Yale.
func newCampusFixture(t testing.TB) *marketFixture {
	t.Helper()
	w := newMarketFixtureBehind(t, rest.Default(), meeting.Both, func(_ *auth.Ports, c *auth.Config) { c.CampusAdmins = true })
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

func TestAnAdminOfOneCampusNeitherReadsNorDecidesReportsOfAnother(t *testing.T) {
	w := newCampusFixture(t)
	dean, dora := w.as("dean"), w.as("dora")
	talk := w.post("/api/user/sendMessage", w.as("bob"), object{"bookId": w.posted("zoe"), "text": "A secret of two."}).wantStatus(201, "").text("conversationId")
	onBook := w.report("bob", object{"bookId": w.posted("zoe"), "reason": "spam", "text": "About Zoe."}).wantStatus(201, "").text("id")
	onTalk := w.report("bob", object{"conversationId": talk, "reason": "abuse"}).wantStatus(201, "").text("id")
	for _, state := range []string{"open", "done"} {
		if r := w.get("/api/dashboard/getReports?state="+state, dean).wantStatus(200, ""); len(r.list()) != 0 || strings.Contains(r.raw, "secret") {
			t.Errorf("dean reads %s", r)
		}
	}
	if r := w.get("/api/dashboard/getReports", dora).wantStatus(200, ""); len(r.list()) != 2 || !strings.Contains(r.raw, "A secret of two.") {
		t.Errorf("dora reads %s", r)
	}
	for _, id := range []string{onBook, onTalk} {
		for _, action := range []string{"dismiss", "warn", "suspend"} {
			r := w.post("/api/dashboard/resolveReport", dean, object{"reportId": id, "action": action, "note": "because"}).wantStatus(403, "forbidden")
			if strings.Contains(r.raw, "secret") || strings.Contains(r.raw, "Zoe") {
				t.Errorf("the refusal is %s", r)
			}
		}
	}
	w.post("/api/dashboard/resolveReport", dean, object{"reportId": onBook, "action": "unlist", "note": "because"}).wantStatus(403, "forbidden")
	w.get("/api/user/getMessages/"+talk, dean).wantStatus(404, "conversation_not_found")
	w.report("dean", object{"conversationId": talk, "reason": "abuse"}).wantStatus(404, "conversation_not_found")
	w.post("/api/dashboard/resolveReport", dora, object{"reportId": onTalk, "action": "warn", "note": "Be kind."}).wantStatus(200, "")
	if r := w.get("/api/dashboard/getReports", w.as("olga")).wantStatus(200, ""); len(r.list()) != 1 {
		t.Errorf("an owner reads %s", r)
	}
}

func TestAnAdminOfOneCampusChangesNeitherPlacesNorCoursesOfAnother(t *testing.T) {
	w := newCampusFixture(t)
	dean, dora := w.as("dean"), w.as("dora")
	place := object{"university": "Yale", "name": "Library", "hours": "8-20"}
	w.post("/api/dashboard/savePlace", dean, place).wantStatus(403, "forbidden")
	id := w.post("/api/dashboard/savePlace", dora, place).wantStatus(200, "").text("id")
	for _, university := range []string{"Yale", "Rochester", "Elsewhere"} { // replaced, taken over, pushed away
		w.post("/api/dashboard/savePlace", dean, with(place, "placeId", id, "university", university, "name", "Gate")).wantStatus(403, "forbidden")
	}
	w.post("/api/dashboard/savePlace", dora, with(place, "placeId", id, "university", "Rochester")).wantStatus(403, "forbidden")
	w.post("/api/dashboard/removePlace", dean, object{"placeId": id}).wantStatus(403, "forbidden")
	if r := w.get("/api/dashboard/getMeetingPlaces", dean).wantStatus(200, ""); len(r.list()) != 0 {
		t.Errorf("dean sees %s", r)
	}
	if r := w.get("/api/dashboard/getMeetingPlaces", dora).wantStatus(200, ""); len(r.list()) != 1 || r.text(0, "name") != "Library" {
		t.Errorf("dora sees %s", r)
	}

	courses := func(token, query string) *result {
		return w.post("/api/dashboard/importCourses?university=YALE&term=2026-fall"+query, token, io.Reader(strings.NewReader(courseHead+"CSC 172,Data,,Algorithms,\n")), header("Content-Type", "text/csv"))
	}
	courses(dora, "").wantStatus(200, "")
	for _, query := range []string{"", "&dryRun=true"} {
		courses(dean, query).wantStatus(403, "forbidden")
	}
	list := object{"university": "Yale", "term": "2026-fall"}
	w.post("/api/dashboard/removeCourseList", dean, list).wantStatus(403, "forbidden")
	if r := w.get("/api/dashboard/getCourseLists", dean).wantStatus(200, ""); len(r.list()) != 0 {
		t.Errorf("dean sees %s", r)
	}
	if r := w.get("/api/dashboard/getCourseLists", w.as("olga")).wantStatus(200, ""); len(r.list()) != 1 {
		t.Errorf("an owner sees %s", r)
	}
	w.post("/api/dashboard/removeCourseList", dora, list).wantStatus(200, "")
	w.post("/api/dashboard/removePlace", w.as("olga"), object{"placeId": id}).wantStatus(200, "")
}

func TestAnAdminOfOneCampusDoesNotSeeBooksOfAnotherThatAreNotForSale(t *testing.T) {
	w := newCampusFixture(t)
	dean, dora := w.as("dean"), w.as("dora")
	hidden, sold := w.posted("zoe"), w.bought("zoe", "bob") // bob is of dean's university
	w.post("/api/books/deleteBook", w.as("zoe"), object{"bookId": hidden}).wantStatus(200, "")
	for _, id := range []string{hidden, sold} {
		missing := w.get("/api/books/getBook/4242", dean).wantStatus(404, "book_not_found")
		if r := w.get("/api/books/getBook/"+id, dean).wantStatus(404, "book_not_found"); strings.ReplaceAll(r.raw, id, "4242") != missing.raw {
			t.Errorf("a book of another university: %s; one that does not exist: %s", r.raw, missing)
		}
		w.report("dean", object{"bookId": id, "reason": "spam"}).wantStatus(404, "book_not_found")
		w.get("/api/books/getBook/"+id, dora).wantStatus(200, "")
		w.get("/api/books/getBook/"+id, w.as("olga")).wantStatus(200, "")
	}
	if r := w.get("/api/books/getBook/"+sold, dora).wantStatus(200, ""); r.at("order") == nil {
		t.Errorf("dora sees %s", r)
	}
}

package rest_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
)

func TestAnAdminOfOneCampusListsItsPeopleAloneAndStaysAtIt(t *testing.T) {
	w := newCampusFixture(t)
	dean, dora := w.as("dean"), w.as("dora")
	w.as("ann")
	w.asOf("nina", "Rochester 2")
	for _, path := range []string{"/api/dashboard/getUsers", "/api/dashboard/exportUsers", "/api/dashboard/getUsers?search=doe", "/api/dashboard/exportUsers?search=rochester.edu"} {
		for who, found := range map[string][2]string{dean: {"ann@", "zoe@"}, dora: {"zoe@", "ann@"}} {
			if r := w.get(path, who).wantStatus(200, ""); strings.Contains(r.raw, found[1]) || strings.Contains(r.raw, "nina@") || !strings.Contains(path, "doe") && !strings.Contains(r.raw, found[0]) {
				t.Errorf("%s: %s", path, r)
			}
		}
		if r := w.get(strings.Split(path, "?")[0], w.as("olga")).wantStatus(200, ""); !strings.Contains(r.raw, "ann@") || !strings.Contains(r.raw, "zoe@") {
			t.Errorf("an owner: %s", r)
		}
	}
	if r := w.get("/api/dashboard/getUsers?search=zoe", dean).wantStatus(200, ""); strings.Contains(r.raw, "zoe@") {
		t.Errorf("searched: %s", r)
	}
	w.post("/api/auth/updateProfile", dean, object{"university": "Yale"}).wantStatus(403, "forbidden")
	w.post("/api/auth/updateProfile", dean, object{"campusMailbox": "CPU 9"}).wantStatus(200, "")
	w.post("/api/auth/updateProfile", w.as("ann"), object{"university": "Yale"}).wantStatus(200, "")
	if r := w.get("/api/dashboard/getUsers", dean).wantStatus(200, ""); strings.Contains(r.raw, "ann@") {
		t.Errorf("who has left is listed: %s", r)
	}
}

func TestNobodyChangesTheUniversityWhileSomethingIsOpen(t *testing.T) {
	w := newMarketFixture(t)
	dean := w.promoted("dean", user.Admin)
	ann, bob := w.as("ann"), w.as("bob")
	move := object{"university": "Elsewhere", "firstName": "Anne"}
	sold := object{"bookId": w.bought("ann", "bob")}
	for _, who := range []string{ann, bob} {
		if r := w.post("/api/auth/updateProfile", who, move).wantStatus(409, "profile_locked"); !strings.Contains(r.raw, "purchases and sales") {
			t.Errorf("the reason is %s", r)
		}
	}
	w.post("/api/auth/updateProfile", ann, object{"university": " ROCHESTER ", "campusMailbox": "CPU 9"}).wantStatus(200, "")
	w.post("/api/dashboard/confirmBook", dean, sold).wantStatus(200, "")
	w.post("/api/auth/updateProfile", ann, move).wantStatus(409, "profile_locked")
	w.post("/api/dashboard/setBookPaid", dean, sold).wantStatus(200, "")
	w.post("/api/auth/updateProfile", bob, move).wantStatus(200, "")

	id := w.report("eve", object{"bookId": w.posted("ann"), "reason": "wrong"}).wantStatus(201, "").text("id")
	if r := w.post("/api/auth/updateProfile", ann, move).wantStatus(409, "profile_locked"); !strings.Contains(r.raw, "report about you") {
		t.Errorf("the reason is %s", r)
	}
	if r := w.get("/api/user/getUserData", ann).wantStatus(200, ""); r.text("firstName") != "Ann" {
		t.Errorf("a refusal has changed %s", r)
	}
	w.post("/api/dashboard/resolveReport", dean, object{"reportId": id, "action": "dismiss"}).wantStatus(200, "")
	w.post("/api/auth/updateProfile", ann, move).wantStatus(200, "")
}

func TestAReportStaysWithTheAdminsOfItsCampus(t *testing.T) {
	w := newCampusFixture(t)
	dean, dora := w.as("dean"), w.as("dora")
	book := w.posted("ann")
	id := w.report("bob", object{"bookId": book, "reason": "wrong"}).wantStatus(201, "").text("id")
	w.post("/api/auth/updateProfile", w.as("ann"), object{"university": "Yale"}).wantStatus(409, "profile_locked")
	for who, n := range map[string]int{dean: 1, dora: 0} {
		if r := w.get("/api/dashboard/getReports", who).wantStatus(200, ""); len(r.list()) != n || n > 0 && r.text(0, "university") != "Rochester" {
			t.Errorf("listed are %s", r)
		}
	}
	w.post("/api/dashboard/resolveReport", dora, object{"reportId": id, "action": "dismiss"}).wantStatus(403, "forbidden")
	w.post("/api/dashboard/resolveReport", dean, object{"reportId": id, "action": "dismiss"}).wantStatus(200, "")
	w.post("/api/auth/updateProfile", w.as("ann"), object{"university": "Yale"}).wantStatus(200, "")
	if r := w.get("/api/dashboard/getReports?state=done", dean).wantStatus(200, ""); len(r.list()) != 1 {
		t.Errorf("decided are %s", r)
	}
}

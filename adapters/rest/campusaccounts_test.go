package rest_test

import (
	"strings"
	"testing"
)

func TestAnAdminOfOneCampusListsItsPeopleAloneAndStaysAtIt(t *testing.T) {
	w := newCampusFixture(t)
	dean, dora := w.as("dean"), w.as("dora")
	w.as("ann")
	w.asOf("nina", "Rochester 2")
	for _, path := range []string{"/api/dashboard/getUsers", "/api/dashboard/exportUsers", "/api/dashboard/getUsers?search=doe", "/api/dashboard/exportUsers?search=rochester.edu"} {
		for who, found := range map[string][2]string{dean: {"ann@", "zoe@"}, dora: {"zoe@", "ann@"}} {
			if r := w.get(path, who).wantStatus(200, ""); strings.Contains(r.raw, found[1]) || strings.Contains(r.raw, "nina@") || !strings.Contains(path, "doe") && !strings.Contains(r.raw, found[0]) {
				t.Errorf("%s: %s", path, r.raw)
			}
		}
		if r := w.get(strings.Split(path, "?")[0], w.as("olga")).wantStatus(200, ""); !strings.Contains(r.raw, "ann@") || !strings.Contains(r.raw, "zoe@") {
			t.Errorf("an owner: %s", r.raw)
		}
	}
	if r := w.get("/api/dashboard/getUsers?search=zoe", dean).wantStatus(200, ""); strings.Contains(r.raw, "zoe@") {
		t.Errorf("searched: %s", r.raw)
	}
	w.post("/api/auth/updateProfile", dean, object{"university": "Yale"}).wantStatus(403, "forbidden")
	w.post("/api/auth/updateProfile", dean, object{"campusMailbox": "CPU 9"}).wantStatus(200, "")
	w.post("/api/auth/updateProfile", w.as("ann"), object{"university": "Yale"}).wantStatus(200, "")
	if r := w.get("/api/dashboard/getUsers", dean).wantStatus(200, ""); strings.Contains(r.raw, "ann@") {
		t.Errorf("who has left is listed: %s", r.raw)
	}
}

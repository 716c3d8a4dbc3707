package rest_test

import (
	"strings"
	"testing"
)

func TestAnAdminOfOneCampusDoesNotTouchTheSalesOfAnother(t *testing.T) {
	w := newCampusFixture(t)
	dean, dora, olga := w.as("dean"), w.as("dora"), w.as("olga")
	w.asOf("yves", "Yale")
	there, here := w.bought("zoe", "yves"), w.bought("ann", "yves", "name", "Topology")
	order := w.get("/api/user/getOrders?role=seller", w.as("zoe")).text(0, "id")
	for path, body := range map[string]object{
		"/api/dashboard/confirmBook": {"bookId": there}, "/api/dashboard/setBookPaid": {"bookId": there}, "/api/dashboard/settleOrder": {"bookId": there},
		"/api/dashboard/cancelTransaction": {"bookId": there, "reason": "No."},
	} {
		if r := w.post(path, dean, body).wantStatus(403, "forbidden"); strings.Contains(r.raw, "zoe") {
			t.Errorf("the refusal is %s", r)
		}
	}
	w.get("/api/user/getOrder/"+order, dean).wantStatus(404, "order_not_found")
	if w.get("/api/dashboard/getStatistics?university=Yale", dean).wantStatus(403, "forbidden"); w.get("/api/dashboard/getStatistics", dean).at("users") != 3.0 {
		t.Error("the dean counts others than Dean, Olga and Ann")
	}
	w.get("/api/dashboard/getBooksWithStatus/1", dean).lists("Topology")
	w.get("/api/dashboard/getBooksWithStatus/1", dora).lists("Calculus: Early Transcendentals")
	w.get("/api/dashboard/getBooksWithStatus/1", olga).lists("Topology", "Calculus: Early Transcendentals")
	w.post("/api/dashboard/confirmBook", dora, object{"bookId": there}).wantStatus(200, "")
	w.post("/api/dashboard/confirmBook", dean, object{"bookId": here}).wantStatus(200, "")
	w.post("/api/dashboard/cancelTransaction", olga, object{"bookId": there, "reason": "Lost."}).wantStatus(200, "")
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

package rest_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

func TestRolesChangeOnTheNextRequest(t *testing.T) {
	w := newMarketFixture(t)
	owner, ann := w.promoted("olga", user.Owner), w.as("ann")
	one, self := object{"userId": w.id("ann")}, object{"userId": w.id("olga")}
	for range 2 {
		if r := w.call("PUT", "/api/dashboard/makeAdmin", owner, one).wantStatus(200, ""); r.at("permissionType") != 1.0 {
			t.Errorf("answered %s", r)
		}
	}
	w.get("/api/dashboard/getUsers", ann).wantStatus(200, "")
	if r := w.call("PUT", "/api/dashboard/revokeAdmin", owner, one).wantStatus(200, ""); r.at("permissionType") != 0.0 {
		t.Errorf("answered %s", r)
	}
	w.get("/api/dashboard/getUsers", ann).wantStatus(403, "forbidden")
	for _, none := range noIDs {
		w.call("PUT", "/api/dashboard/makeAdmin", owner, object{"userId": none}).wantStatus(404, "not_found")
	}
	if r := w.call("PUT", "/api/dashboard/makeAdmin", owner, self).wantStatus(200, ""); r.at("permissionType") != 2.0 {
		t.Errorf("an owner was demoted: %s", r)
	}
	w.call("PUT", "/api/dashboard/revokeAdmin", owner, self).wantStatus(409, "is_owner")
}

func TestOwnersSayWhoIsACampusStoreAndReadTheAuditLog(t *testing.T) {
	w := newMarketFixture(t)
	owner := w.promoted("olga", user.Owner)
	for _, store := range []bool{true, false} {
		if r := w.post("/api/dashboard/setStore", owner, object{"userId": w.id("ann"), "store": store}).wantStatus(200, ""); r.at("store") != store || r.at("id") != w.id("ann") {
			t.Errorf("answered %s", r)
		}
		if r := w.get("/api/user/getUserData", w.as("ann")); r.at("store") != store {
			t.Errorf("the account says %s", r)
		}
	}
	for _, none := range noIDs {
		w.refuses(refusal{"olga", "/api/dashboard/setStore", object{"userId": none, "store": true}, 404, "not_found", ""})
	}
	r := w.get("/api/dashboard/getAuditLog?limit=1", owner).wantStatus(200, "")
	if r.text(0, "actor") != w.id("olga") || r.text(0, "target") != w.id("ann") || r.text(0, "action") != "user.store_set" || r.text(0, "ip") != "192.0.2.1" {
		t.Errorf("answered %s", r)
	}
	if older := w.get(next.FindStringSubmatch(r.header.Get("Link"))[1], owner).wantStatus(200, ""); older.text(0, "detail") != "store" {
		t.Errorf("the next page is %s", older)
	}
}

func TestAdminsFindUsersByPartOfAddressOrName(t *testing.T) {
	w := newMarketFixture(t)
	admin := w.promoted("root", user.Admin)
	w.as("ann")
	w.as("annika")
	emails := func(r *result) (out []string) {
		for i := range r.wantStatus(200, "").list() {
			out = append(out, r.text(i, "email"))
		}
		return out
	}
	for search, want := range map[string][]string{"ANN": {"annika@rochester.edu", "ann@rochester.edu"}, "nnik": {"annika@rochester.edu"}, "%25": nil} {
		if got := emails(w.get("/api/dashboard/getUsers?search="+search, admin)); !slices.Equal(got, want) {
			t.Errorf("%s finds %v, want %v", search, got, want)
		}
	}
	first := w.get("/api/dashboard/getUsers?limit=2", admin)
	rest := w.get(next.FindStringSubmatch(first.header.Get("Link"))[1], admin)
	if all := append(emails(first), emails(rest)...); len(all) != 3 || rest.header.Get("Link") != "" {
		t.Errorf("walked over %v", all)
	}
}

func TestBooksAreListedByStatus(t *testing.T) {
	w := newMarketFixture(t)
	admin := w.promoted("root", user.Admin)
	w.posted("ann", "name", "A")
	w.bought("ann", "bob", "name", "B")
	w.post("/api/deleteBook", w.as("ann"), object{"bookId": w.posted("ann", "name", "C")})
	for status, want := range map[string][]string{"0": {"A"}, "1": {"B"}, "2": {}, "3": {}, "5": {"C"}} {
		w.get("/api/dashboard/getBooksWithStatus/"+status, admin).lists(want...)
	}
}

func TestStatisticsAddUp(t *testing.T) {
	w := newMarketFixture(t)
	admin := w.promoted("root", user.Admin)
	w.posted("ann")
	sold := w.bought("ann", "bob")
	w.post("/api/dashboard/confirmBook", admin, object{"bookId": sold})
	r := w.get("/api/dashboard/getStatistics", admin).wantStatus(200, "")
	days, _ := r.at("daily").([]any)
	last, _ := days[len(days)-1].(map[string]any)
	if r.at("booksByStatus", "0") != 1.0 || r.at("booksByStatus", "2") != 1.0 || r.at("booksByStatus", "5") != 0.0 || r.at("users") != 3.0 ||
		r.at("moneyMoved") != 40.0 || r.at("feesEarned") != 2.0 || r.text("topCourses", 0, "course") != "MATH 161" ||
		last["day"] != "2026-09-07" || last["posted"] != 2.0 || last["sold"] != 1.0 || last["newUsers"] != 3.0 {
		t.Errorf("answered %s", r)
	}
}

func TestOldBooksAreUnlistedAfterADryRun(t *testing.T) {
	w := newMarketFixture(t)
	w.promoted("olga", user.Owner)
	old := w.posted("ann")
	w.Clock.Advance(61 * 24 * time.Hour)
	w.tokens = map[string]string{"ann": w.login("ann"), "olga": w.login("olga")}
	w.posted("ann", "name", "Young")
	path := "/api/dashboard/deactivateBooks"
	if r := w.post(path, w.as("olga"), nil).wantStatus(200, ""); r.at("count") != 0.0 {
		t.Errorf("without a body: %s", r)
	}
	for _, dryRun := range []bool{true, false} {
		if r := w.post(path, w.as("olga"), object{"olderThanDays": 61, "dryRun": dryRun}).wantStatus(200, ""); r.at("count") != 1.0 || r.text("bookIds", 0) != old {
			t.Errorf("answered %s", r)
		}
		if n := strings.Count(w.get("/api/books/getAllBooks", "").raw, `"id":"`+old); (n == 1) != dryRun {
			t.Errorf("after dryRun=%v the old book is listed %d times", dryRun, n)
		}
	}
}

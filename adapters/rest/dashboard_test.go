package rest_test

import (
	"encoding/csv"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

func TestEveryDashboardRouteRequiresItsRole(t *testing.T) {
	w := newMarketFixture(t)
	student, admin := w.as("ann"), w.promoted("root", user.Admin)
	for route, owners := range map[string]bool{
		"GET getStatistics": false, "GET getUsers": false, "GET getTransactions": false, "GET exportTransactions": false, "GET exportBooks": false, "GET exportUsers": false, "GET getBooksWithStatus/0": false,
		"POST confirmBook": false, "POST setBookPaid": false, "POST settleOrder": false, "POST cancelTransaction": false, "GET getReports": false, "POST resolveReport": false,
		"PUT makeAdmin": true, "PUT revokeAdmin": true, "POST setStore": true, "POST deactivateBooks": true, "GET getAuditLog": true,
	} {
		method, path, _ := strings.Cut(route, " ")
		path = "/api/dashboard/" + path
		w.call(method, path, "", nil).wantStatus(401, "unauthenticated")
		w.call(method, path, student, nil).wantStatus(403, "forbidden")
		if r := w.call(method, path, admin, nil); (r.status == 403) != owners {
			t.Errorf("%s answered an admin with %d", route, r.status)
		}
	}
}

func TestRolesChangeOnTheNextRequest(t *testing.T) {
	w := newMarketFixture(t)
	owner, ann := w.promoted("olga", user.Owner), w.as("ann")
	one := object{"userId": w.id("ann")}
	if r := w.call("PUT", "/api/dashboard/makeAdmin", owner, one).wantStatus(200, ""); r.at("permissionType") != 1.0 {
		t.Errorf("answered %s", r)
	}
	w.get("/api/dashboard/getUsers", ann).wantStatus(200, "")
	w.call("PUT", "/api/dashboard/makeAdmin", owner, one).wantStatus(200, "")
	if r := w.call("PUT", "/api/dashboard/revokeAdmin", owner, one).wantStatus(200, ""); r.at("permissionType") != 0.0 {
		t.Errorf("answered %s", r)
	}
	w.get("/api/dashboard/getUsers", ann).wantStatus(403, "forbidden")
	w.call("PUT", "/api/dashboard/revokeAdmin", owner, one).wantStatus(200, "")
	for _, none := range []string{"999", "x"} {
		w.call("PUT", "/api/dashboard/makeAdmin", owner, object{"userId": none}).wantStatus(404, "not_found")
	}
	self := object{"userId": w.id("olga")}
	if r := w.call("PUT", "/api/dashboard/makeAdmin", owner, self).wantStatus(200, ""); r.at("permissionType") != 2.0 {
		t.Errorf("an owner was demoted: %s", r)
	}
	w.call("PUT", "/api/dashboard/revokeAdmin", owner, self).wantStatus(409, "is_owner")
}

func TestOwnersSayWhoIsACampusStore(t *testing.T) {
	w := newMarketFixture(t)
	owner, ann := w.promoted("olga", user.Owner), w.as("ann")
	set := func(store any) *result {
		return w.post("/api/dashboard/setStore", owner, object{"userId": w.id("ann"), "store": store})
	}
	if r := w.get("/api/user/getUserData", ann); r.at("store") != false {
		t.Errorf("a newcomer is %s", r)
	}
	for range 2 {
		if r := set(true).wantStatus(200, ""); r.at("store") != true || r.at("id") != w.id("ann") {
			t.Errorf("answered %s", r)
		}
	}
	log := w.get("/api/dashboard/getAuditLog", owner).wantStatus(200, "").raw
	if strings.Count(log, `"user.store_set"`) != 1 || !strings.Contains(log, `"detail":"store"`) {
		t.Errorf("the audit log has %s", log)
	}
	set(false).wantStatus(200, "")
	if r := w.get("/api/user/getUserData", ann); r.at("store") != false {
		t.Errorf("a former store is %s", r)
	}
	set("yes").wantStatus(400, "invalid_fields")
	w.post("/api/dashboard/setStore", owner, object{"userId": "999", "store": true}).wantStatus(404, "not_found")
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
	if got := emails(w.get("/api/dashboard/getUsers?search=ANN", admin)); !slices.Equal(got, []string{"annika@rochester.edu", "ann@rochester.edu"}) {
		t.Errorf("found %v", got)
	}
	if got := emails(w.get("/api/dashboard/getUsers?search=nnik", admin)); len(got) != 1 {
		t.Errorf("found %v", got)
	}
	if got := emails(w.get("/api/dashboard/getUsers?search=%25", admin)); len(got) != 0 {
		t.Errorf("a wildcard found %v", got)
	}
	first := w.get("/api/dashboard/getUsers?limit=2", admin)
	rest := w.get(next.FindStringSubmatch(first.header.Get("Link"))[1], admin)
	if all := append(emails(first), emails(rest)...); len(all) != 3 || rest.header.Get("Link") != "" {
		t.Errorf("walked over %v", all)
	}
	w.get("/api/dashboard/getUsers?cursor=x", admin).wantStatus(400, "")
}

func TestTransactionsAreSearchedAndExported(t *testing.T) {
	w := newMarketFixture(t)
	admin := w.promoted("root", user.Admin)
	w.bought("ann", "bob", "name", "=HYPERLINK(\"http://evil\")", "price", 20)
	done := w.bought("cyd", "bob", "name", "Zoology, the \"big\" one")
	w.post("/api/dashboard/confirmBook", admin, object{"bookId": done})
	w.get("/api/dashboard/getTransactions?search=zoo", admin).lists("Zoology, the \"big\" one")
	w.get("/api/dashboard/getTransactions?search=CYD", admin).lists("Zoology, the \"big\" one")
	w.get("/api/dashboard/getTransactions?status=2", admin).lists("Zoology, the \"big\" one")
	w.get("/api/dashboard/getTransactions?status=3", admin).lists()
	r := w.get("/api/dashboard/exportTransactions", admin)
	rows, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(r.raw, "\ufeff"))).ReadAll()
	if err != nil || len(rows) != 3 || !strings.HasPrefix(r.header.Get("Content-Type"), "text/csv") || !strings.Contains(r.header.Get("Content-Disposition"), "attachment") {
		t.Fatalf("exported %q, %v, %v", r.raw, r.header, err)
	}
	if rows[1][2] != "Zoology, the \"big\" one" || rows[1][3] != "verified" || rows[1][6] != "42.00" || rows[2][2] != "'=HYPERLINK(\"http://evil\")" || rows[2][6] != "21.00" {
		t.Errorf("exported %q", rows)
	}
	if r := w.get("/api/dashboard/exportTransactions?status=2&search=zoo", admin); strings.Count(r.raw, "\n") != 2 {
		t.Errorf("exported %q", r.raw)
	}
	w.get("/api/dashboard/exportTransactions?status=7", admin).wantStatus(400, "invalid_fields")
}

func TestTheExportContainsAllPages(t *testing.T) {
	w := newMarketFixture(t)
	admin := w.promoted("root", user.Admin)
	w.makeStore("ann")
	const orders = 205
	for range orders {
		w.bought("ann", "bob")
	}
	if r := w.get("/api/dashboard/exportTransactions", admin); strings.Count(r.raw, "\n") != orders+1 {
		t.Errorf("%d lines", strings.Count(r.raw, "\n"))
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
	young := w.posted("ann")
	path := "/api/dashboard/deactivateBooks"
	if r := w.post(path, w.as("olga"), nil).wantStatus(200, ""); r.at("count") != 0.0 {
		t.Errorf("answered %s", r)
	}
	if r := w.post(path, w.as("olga"), object{"olderThanDays": 61, "dryRun": true}).wantStatus(200, ""); r.at("count") != 1.0 || r.text("bookIds", 0) != old {
		t.Errorf("answered %s", r)
	}
	if r := w.get("/api/books/getAllBooks", ""); len(r.list()) != 2 {
		t.Error("a dry run changed something")
	}
	w.post(path, w.as("olga"), object{"olderThanDays": 61}).wantStatus(200, "")
	if r := w.get("/api/books/getAllBooks", ""); len(r.list()) != 1 || r.text(0, "id") != young {
		t.Errorf("answered %s", r)
	}
	if r := w.post(path, w.as("olga"), object{"olderThanDays": 0}).wantStatus(200, ""); r.at("count") != 1.0 {
		t.Errorf("answered %s", r)
	}
}

func TestOwnersReadTheAuditLog(t *testing.T) {
	w := newMarketFixture(t)
	owner := w.promoted("olga", user.Owner)
	w.call("PUT", "/api/dashboard/makeAdmin", owner, object{"userId": w.id("ann")}).wantStatus(200, "")
	r := w.get("/api/dashboard/getAuditLog?limit=1", owner).wantStatus(200, "")
	if r.text(0, "actor") != w.id("olga") || r.text(0, "target") != w.id("ann") || r.text(0, "action") == "" || r.text(0, "ip") != "192.0.2.1" {
		t.Errorf("answered %s", r)
	}
	older := w.get(next.FindStringSubmatch(r.header.Get("Link"))[1], owner).wantStatus(200, "")
	if older.text(0, "id") == r.text(0, "id") {
		t.Error("the next page is the same")
	}
	for _, path := range []string{"/api/dashboard/getAuditLog?cursor=x", "/api/dashboard/getUsers?cursor=x"} {
		if r := w.get(path, owner).wantStatus(400, "cursor_invalid"); r.fields()["cursor"] == nil || len(r.fields()) != 1 {
			t.Errorf("%s: the error names the fields %v", path, r.fields())
		}
	}
}

func TestNobodyDecidesAboutTheirOwnSaleListingOrReport(t *testing.T) {
	w := newMarketFixture(t)
	dean, owner := w.promoted("dean", user.Admin), w.promoted("olga", user.Owner)
	sale, purchase := object{"bookId": w.bought("dean", "bob"), "reason": "broken"}, object{"bookId": w.bought("ann", "dean"), "reason": "broken"}
	for _, body := range []object{sale, purchase} {
		for _, route := range []string{"confirmBook", "setBookPaid", "cancelTransaction"} {
			w.post("/api/dashboard/"+route, dean, only(route, body)).wantStatus(403, "own_affair")
		}
		w.post("/api/dashboard/confirmBook", owner, only("confirmBook", body)).wantStatus(200, "")
	}
	mine := w.report("dean", object{"bookId": w.posted("ann"), "reason": "wrong"}).wantStatus(201, "").text("id")
	about := w.report("bob", object{"bookId": w.posted("dean"), "reason": "wrong"}).wantStatus(201, "").text("id")
	w.post("/api/dashboard/resolveReport", dean, object{"reportId": mine, "action": "dismiss"}).wantStatus(403, "own_affair")
	w.post("/api/dashboard/resolveReport", dean, object{"reportId": about, "action": "dismiss"}).wantStatus(403, "report_about_you")
	w.post("/api/dashboard/resolveReport", owner, object{"reportId": about, "action": "dismiss"}).wantStatus(200, "")
}

// only leaves the reason to the one route that takes it.
func only(route string, body object) object {
	if route == "cancelTransaction" {
		return body
	}
	return object{"bookId": body["bookId"]}
}

package rest_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
)

func TestTheCartContainsBooksOfOthersOnce(t *testing.T) {
	w := newMarketFixture(t)
	a, b := w.posted("ann", "name", "A"), w.posted("ann", "name", "B")
	for _, id := range []string{a, b, a} {
		w.post("/api/addToCart", w.as("bob"), object{"bookId": id}).wantStatus(200, "")
	}
	w.post("/api/books/checkoutCart", w.as("cyd"), object{"bookIds": []string{a}}).wantStatus(201, "")
	r := w.get("/api/getCartItems", w.as("bob")).lists("B", "A")
	if r.at(0, "available") != true || r.at(1, "available") != false || r.at(1, "status") != 1.0 {
		t.Errorf("answered %s", r)
	}
	w.refuses(
		refusal{who: "ann", path: "/api/user/addToCart", body: object{"bookId": b}, status: 409, code: "own_book"},
		refusal{who: "bob", path: "/api/user/addToCart", body: object{"bookId": "999"}, status: 404, code: "book_not_found"},
		refusal{who: "dan", path: "/api/user/addToCart", body: object{"bookId": a}, status: 409, code: "book_not_available"},
	)
	w.post("/api/removeFromCart", w.as("bob"), object{"bookId": a}).wantStatus(200, "")
	w.get("/api/getCartItems", w.as("bob")).lists("B")
	w.post("/api/clearCart", w.as("bob"), nil).wantStatus(200, "")
	w.get("/api/getCartItems", w.as("bob")).lists()
}

func TestACartIsReadPageByPage(t *testing.T) {
	w := newMarketFixture(t)
	for _, name := range []string{"A", "B", "C"} {
		w.post("/api/addToCart", w.as("bob"), object{"bookId": w.posted("ann", "name", name)}).wantStatus(200, "")
	}
	first := w.get("/api/getCartItems?limit=2", w.as("bob")).lists("C", "B")
	if last := w.get(next.FindStringSubmatch(first.header.Get("Link"))[1], w.as("bob")).lists("A"); last.header.Get("Link") != "" {
		t.Errorf("the last page links to %s", last.header.Get("Link"))
	}
}

func TestCheckoutBuysTheCartAndCountsTheFee(t *testing.T) {
	w := newMarketFixture(t)
	for _, id := range []string{w.posted("ann", "name", "A", "price", 10.10), w.posted("ann", "name", "B", "price", 0.01)} {
		w.post("/api/addToCart", w.as("bob"), object{"bookId": id})
	}
	r := w.post("/api/books/checkoutCart", w.as("bob"), nil).wantStatus(201, "")
	if r.at("orders", 0, "fee") != 0.51 || r.at("orders", 1, "fee") != 0.0 || r.at("total") != 10.62 || len(r.at("unavailable").([]any)) != 0 {
		t.Errorf("answered %s", r)
	}
	p := w.get("/api/getPurchasedBooks", w.as("bob")).lists("B", "A")
	if p.text(0, "order", "seller", "firstName") != "Ann" || p.at(0, "order", "seller", "campusMailbox") != nil || p.at(0, "order", "status") != 1.0 {
		t.Errorf("answered %s", p)
	}
	w.get("/api/getSoldBooks", w.as("ann")).lists("B", "A")
	w.post("/api/books/checkoutCart", w.as("bob"), nil).wantStatus(400, "nothing_to_buy")
	many := make([]string, 101)
	for i := range many {
		many[i] = fmt.Sprint(1000 + i)
	}
	const path = "/api/books/checkoutCart"
	mine := w.posted("ann", "price", 10.0)
	w.refuses(
		refusal{"bob", path, object{"bookIds": []string{}}, 400, "nothing_to_buy", ""},
		refusal{"ann", path, object{"bookIds": []string{mine}}, 409, "own_book", ""},
		refusal{"bob", path, object{"bookIds": many}, 400, "too_many_books", "bookIds"},
		refusal{"bob", path, object{"bookIds": []string{mine}, "total": 10.505}, 400, "", "total"},
	)
	if r := w.post(path, w.as("bob"), object{"bookIds": []string{mine}, "total": 10.49}).wantStatus(409, "price_changed"); r.at("total") != 10.5 {
		t.Errorf("at another total: %s", r)
	}
}

func TestCheckoutIsAllOrNothingUnlessAPartIsAllowed(t *testing.T) {
	w := newMarketFixture(t)
	lost, left := w.bought("ann", "cyd"), w.posted("ann")
	basket := object{"bookIds": []string{lost, left, left, "999", "nonsense"}}
	r := w.post("/api/books/checkoutCart", w.as("bob"), basket).wantStatus(409, "book_not_available")
	gone, _ := r.at("unavailable").([]any)
	if len(gone) != 3 || !slices.Contains(gone, any(lost)) || !slices.Contains(gone, "999") || !slices.Contains(gone, "nonsense") {
		t.Errorf("answered %s", r)
	}
	r = w.post("/api/books/checkoutCart", w.as("bob"), with(basket, "allowPartial", true)).wantStatus(201, "")
	if r.text("orders", 0, "bookId") != left || len(r.at("unavailable").([]any)) != 3 || r.at("total") != 42.0 {
		t.Errorf("answered %s", r)
	}
}

func TestAdminsVerifyDeliverAndCancelSales(t *testing.T) {
	w := newMarketFixture(t)
	admin := w.promoted("root", user.Admin)
	one, other := object{"bookId": w.bought("ann", "bob")}, object{"bookId": w.bought("ann", "bob", "name", "B"), "reason": "The buyer fell ill."}
	w.post("/api/dashboard/setBookPaid", admin, one).wantStatus(409, "book_transition")
	r := w.post("/api/dashboard/confirmBook", admin, one).wantStatus(200, "")
	if r.at("status") != 2.0 || r.at("verifiedAt") == nil || r.at("deliveredAt") != nil || r.text("seller", "paymentUsername") != "pay-ann" {
		t.Errorf("answered %s", r)
	}
	if r := w.post("/api/dashboard/setBookPaid", admin, one).wantStatus(200, ""); r.at("status") != 3.0 || r.at("deliveredAt") == nil {
		t.Errorf("answered %s", r)
	}
	if r := w.get("/api/getUserStatistics", w.as("ann")); r.at("moneyMade") != 80.0 || r.at("numberOfBooksSold") != 2.0 {
		t.Errorf("answered %s", r)
	}
	if r := w.post("/api/dashboard/cancelTransaction", admin, other).wantStatus(200, ""); r.at("status") != 0.0 || r.at("order") != nil {
		t.Errorf("answered %s", r)
	}
	w.get("/api/dashboard/getTransactions?status=-1", admin).lists("B")
	w.refuses(
		refusal{"root", "/api/dashboard/confirmBook", one, 409, "book_transition", ""},
		refusal{"root", "/api/dashboard/cancelTransaction", other, 409, "book_transition", ""},
		refusal{"root", "/api/dashboard/settleOrder", one, 409, "not_handed_over", ""},
	)
	for _, none := range noIDs {
		for _, path := range []string{"confirmBook", "setBookPaid", "settleOrder"} {
			w.refuses(refusal{"root", "/api/dashboard/" + path, object{"bookId": none}, 404, "book_not_found", ""})
		}
		w.refuses(refusal{"root", "/api/dashboard/cancelTransaction", with(other, "bookId", none), 404, "book_not_found", ""})
	}
}

func TestNobodyDecidesAboutTheirOwnSaleListingOrReport(t *testing.T) {
	w := newMarketFixture(t)
	w.promoted("dean", user.Admin)
	w.promoted("olga", user.Owner) // without another who may decide, the dean could
	sale := object{"bookId": w.bought("dean", "bob")}
	mine := w.report("dean", object{"bookId": w.posted("ann"), "reason": "wrong"}).wantStatus(201, "").text("id")
	about := w.report("bob", object{"bookId": w.posted("dean"), "reason": "wrong"}).wantStatus(201, "").text("id")
	for _, by := range []string{"dean", "olga"} {
		for _, r := range w.get("/api/dashboard/getReports", w.as(by)).wantStatus(200, "").data.([]any) {
			told := r.(object)["reporter"].(object)["firstName"] != ""
			if r.(object)["id"] == about && told != (by == "olga") {
				t.Errorf("%s is told %v", by, r)
			}
		}
	}
	w.refuses(
		refusal{"dean", "/api/dashboard/confirmBook", sale, 403, "own_affair", ""},
		refusal{"dean", "/api/dashboard/setBookPaid", sale, 403, "own_affair", ""},
		refusal{"dean", "/api/dashboard/cancelTransaction", with(sale, "reason", "broken"), 403, "own_affair", ""},
		refusal{"dean", "/api/dashboard/resolveReport", object{"reportId": mine, "action": "dismiss"}, 403, "own_affair", ""},
		refusal{"dean", "/api/dashboard/resolveReport", object{"reportId": about, "action": "dismiss"}, 403, "report_about_you", ""},
	)
}

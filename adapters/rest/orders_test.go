package rest_test

import (
	"fmt"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
)

// ordered returns the id of Bob's newest order.
func (w *marketFixture) ordered() string {
	w.t.Helper()
	return w.get("/api/user/getOrders?role=buyer&limit=1", w.as("bob")).wantStatus(200, "").text(0, "id")
}

func TestABuyerCancelsAPurchaseAndTheBookIsForSaleAgain(t *testing.T) {
	w := newMarketFixture(t)
	w.bought("ann", "bob")
	id := w.ordered()
	r := w.post("/api/books/cancelOrder", w.as("bob"), object{"orderId": id, "reason": "Found it."}).wantStatus(200, "")
	if r.at("status") != -1.0 || r.text("cancelReason") != "Found it." || r.text("cancelledBy", "firstName") != "Bob" || r.at("cancelledAt") == nil || r.at("next") != nil || r.at("book", "status") != 0.0 {
		t.Errorf("answered %s", r)
	}
	w.get("/api/books/getAllBooks", "").lists("Calculus: Early Transcendentals")
	for _, name := range []string{"ann", "bob"} {
		r := w.get("/api/user/getOrders?status=-1", w.as(name)).lists("Calculus: Early Transcendentals")
		if r.text(0, "cancelReason") != "Found it." || r.text(0, "cancelledBy", "firstName") != "Bob" || r.text(0, "book", "id") != r.text(0, "bookId") {
			t.Errorf("%s gets %s", name, r)
		}
		if r := w.get("/api/user/getNotifications", w.as(name)); r.text(0, "kind") != "order_cancelled" || r.text(0, "orderId") != id {
			t.Errorf("%s is notified of %s", name, r)
		}
	}
	w.post("/api/books/cancelOrder", w.as("bob"), object{"orderId": id, "reason": "again"}).wantStatus(409, "order_transition")
	w.get("/api/user/getPurchasedBooks", w.as("bob")).lists()
}

func TestASellerCancelsASaleAndTheBookIsUnlisted(t *testing.T) {
	w := newMarketFixture(t)
	w.bought("ann", "bob")
	r := w.post("/api/books/cancelOrder", w.as("ann"), object{"orderId": w.ordered(), "reason": "I lost it."}).wantStatus(200, "")
	if r.at("status") != -1.0 || r.text("cancelledBy", "firstName") != "Ann" || r.at("book", "status") != 5.0 {
		t.Errorf("answered %s", r)
	}
	w.get("/api/books/getAllBooks", "").lists()
}

func TestAnOrderOfOthersOrAVerifiedOneCannotBeCancelled(t *testing.T) {
	w := newMarketFixture(t)
	admin := w.promoted("root", user.Admin)
	book := w.bought("ann", "bob")
	cancel := object{"orderId": w.ordered(), "reason": "because"}
	for _, id := range []string{"999", "x", "-1", "0", "9223372036854775808"} {
		w.post("/api/books/cancelOrder", w.as("bob"), with(cancel, "orderId", id)).wantStatus(404, "order_not_found")
		w.get("/api/user/getOrder/"+id, w.as("bob")).wantStatus(404, "order_not_found")
	}
	w.post("/api/books/cancelOrder", w.as("eve"), cancel).wantStatus(404, "order_not_found")
	w.get("/api/user/getOrder/"+cancel["orderId"].(string), w.as("eve")).wantStatus(404, "order_not_found")
	w.get("/api/user/getOrder/"+cancel["orderId"].(string), "").wantStatus(401, "unauthenticated")
	w.post("/api/books/cancelOrder", "", cancel).wantStatus(401, "unauthenticated")
	for _, bad := range []any{"", " ", nil, 7, "a\x00"} {
		if r := w.post("/api/books/cancelOrder", w.as("bob"), with(cancel, "reason", bad)).wantStatus(400, ""); r.fields()["reason"] == nil {
			t.Errorf("%v answered %s", bad, r)
		}
	}
	w.post("/api/dashboard/confirmBook", admin, object{"bookId": book}).wantStatus(200, "")
	w.post("/api/books/cancelOrder", w.as("bob"), cancel).wantStatus(409, "order_transition")
	w.post("/api/books/cancelOrder", w.as("ann"), cancel).wantStatus(409, "order_transition")
}

func TestABuyerWhoCancelsTooOftenIsRefused(t *testing.T) {
	w := newMarketFixture(t)
	id := w.posted("ann")
	for i := range 6 {
		w.post("/api/books/checkoutCart", w.as("bob"), object{"bookIds": []string{id}}).wantStatus(201, "")
		want, code := 200, ""
		if i == 5 {
			want, code = 409, "too_many_cancels"
		}
		w.post("/api/books/cancelOrder", w.as("bob"), object{"orderId": w.ordered(), "reason": "because"}).wantStatus(want, code)
	}
}

func TestAnOrderShowsItsTimelineToBuyerSellerAndAdmins(t *testing.T) {
	w := newMarketFixture(t)
	admin := w.promoted("root", user.Admin)
	book := w.bought("ann", "bob")
	path := "/api/user/getOrder/" + w.ordered()
	next := func(who, what string) {
		t.Helper()
		for _, token := range []string{w.as("ann"), w.as("bob"), admin} {
			r := w.get(path, token).wantStatus(200, "")
			if who == "" && r.at("next") != nil || who != "" && (r.text("next", "who") != who || r.text("next", "what") != what) {
				t.Errorf("next is %s", r)
			}
		}
	}
	next("seller", "hand_in")
	w.post("/api/dashboard/confirmBook", admin, object{"bookId": book}).wantStatus(200, "")
	next("buyer", "pick_up")
	w.post("/api/dashboard/setBookPaid", admin, object{"bookId": book}).wantStatus(200, "")
	next("", "")
	r := w.get(path, w.as("bob")).wantStatus(200, "")
	steps := ""
	for i := range r.at("timeline").([]any) {
		steps += fmt.Sprint(r.text("timeline", i, "step"), " by ", r.text("timeline", i, "by", "firstName"), "; ")
	}
	if steps != "placed by Bob; verified by Root; delivered by Root; " || r.at("cancelReason") != nil || r.at("cancelledBy") != nil || r.at("seller", "paymentUsername") != nil {
		t.Errorf("answered %s", r)
	}
	if found := w.get("/api/dashboard/getTransactions?search="+r.text("code"), admin).lists("Calculus: Early Transcendentals"); found.text(0, "id") != r.text("id") {
		t.Errorf("the code finds %s", found)
	}
}

func TestOrdersAreListedBySideAndStatus(t *testing.T) {
	w := newMarketFixture(t)
	w.bought("ann", "bob")
	w.bought("bob", "ann")
	for query, want := range map[string]int{"": 2, "role=buyer": 1, "role=seller": 1, "role=buyer&status=1": 1, "role=buyer&status=-1": 0, "status=2": 0} {
		if r := w.get("/api/user/getOrders?"+query, w.as("bob")).wantStatus(200, ""); len(r.data.([]any)) != want {
			t.Errorf("%s lists %s", query, r)
		}
	}
	for _, query := range []string{"role=admin", "status=0", "status=5", "status=x", "limit=0", "cursor=!!"} {
		w.get("/api/user/getOrders?"+query, w.as("bob")).wantStatus(400, "")
	}
	w.get("/api/user/getOrders", "").wantStatus(401, "unauthenticated")
}

func TestACheckoutAtAnotherTotalBuysNothing(t *testing.T) {
	w := newMarketFixture(t)
	id := w.posted("ann", "price", 10.0)
	key := header("Idempotency-Key", "one")
	basket := object{"bookIds": []string{id}, "total": 10.49}
	for _, replayed := range []string{"", "true"} {
		r := w.post("/api/books/checkoutCart", w.as("bob"), basket, key).wantStatus(409, "price_changed")
		if r.at("total") != 10.5 || r.header.Get("Idempotent-Replayed") != replayed {
			t.Errorf("answered %s", r)
		}
	}
	w.get("/api/user/getOrders", w.as("bob")).lists()
	lost := w.bought("ann", "cyd")
	both := object{"bookIds": []string{id, lost}, "allowPartial": true, "total": 52.5}
	if r := w.post("/api/books/checkoutCart", w.as("bob"), both).wantStatus(409, "price_changed"); r.at("total") != 10.5 {
		t.Errorf("answered %s", r)
	}
	w.post("/api/books/checkoutCart", w.as("bob"), with(basket, "total", 10.505)).wantStatus(400, "")
	w.post("/api/books/checkoutCart", w.as("bob"), with(both, "total", 10.5)).wantStatus(201, "")
}

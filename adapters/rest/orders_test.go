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

func TestABuyerCancelsAPurchaseAndBothSidesReadWhy(t *testing.T) {
	w := newMarketFixture(t)
	w.bought("ann", "bob")
	id := w.ordered()
	r := w.post("/api/books/cancelOrder", w.as("bob"), object{"orderId": id, "reason": "Found it."}).wantStatus(200, "")
	if r.at("status") != -1.0 || r.text("cancelReason") != "Found it." || r.text("cancelledBy", "firstName") != "Bob" || r.at("cancelledAt") == nil || r.at("next") != nil || r.at("book", "status") != 0.0 {
		t.Errorf("answered %s", r)
	}
	for _, name := range []string{"ann", "bob"} {
		r := w.get("/api/user/getOrders?status=-1", w.as(name)).lists("Calculus: Early Transcendentals")
		if r.text(0, "cancelReason") != "Found it." || r.text(0, "cancelledBy", "firstName") != "Bob" || r.text(0, "book", "id") != r.text(0, "bookId") {
			t.Errorf("%s gets %s", name, r)
		}
		if r := w.get("/api/user/getNotifications", w.as(name)); r.text(0, "kind") != "order_cancelled" || r.text(0, "orderId") != id {
			t.Errorf("%s is notified of %s", name, r)
		}
	}
}

func TestAnOrderThatCannotBeCancelledIsRefusedWithItsReason(t *testing.T) {
	w := newMarketFixture(t)
	w.bought("ann", "bob")
	const path = "/api/books/cancelOrder"
	cancel := object{"orderId": w.ordered(), "reason": "because"}
	for _, id := range append(noIDs, cancel["orderId"].(string)) {
		w.refuses(
			refusal{"eve", path, with(cancel, "orderId", id), 404, "order_not_found", ""},
			refusal{"eve", "/api/user/getOrder/" + id, nil, 404, "order_not_found", ""},
		)
	}
	for _, bad := range []any{"", " ", nil, 7, "a\x00"} {
		w.refuses(refusal{"bob", path, with(cancel, "reason", bad), 400, "", "reason"})
	}
	w.post(path, w.as("bob"), cancel).wantStatus(200, "")
	w.refuses(refusal{"bob", path, cancel, 409, "order_transition", ""})
	for range 4 {
		w.bought("ann", "bob")
		w.post(path, w.as("bob"), with(cancel, "orderId", w.ordered())).wantStatus(200, "")
	}
	w.bought("ann", "bob")
	w.refuses(refusal{"bob", path, with(cancel, "orderId", w.ordered()), 409, "too_many_cancels", ""})
}

func TestAnOrderShowsItsTimelineToBuyerSellerAndAdmins(t *testing.T) {
	w := newMarketFixture(t)
	admin := w.promoted("root", user.Admin)
	book := object{"bookId": w.bought("ann", "bob")}
	path := "/api/user/getOrder/" + w.ordered()
	if r := w.get(path, w.as("ann")).wantStatus(200, ""); r.text("next", "who") != "seller" || r.text("next", "what") != "hand_in" {
		t.Errorf("next is %s", r)
	}
	w.post("/api/dashboard/confirmBook", admin, book).wantStatus(200, "")
	if r := w.get(path, admin).wantStatus(200, ""); r.text("next", "who") != "buyer" || r.text("next", "what") != "pick_up" {
		t.Errorf("next is %s", r)
	}
	w.post("/api/dashboard/setBookPaid", admin, book).wantStatus(200, "")
	r := w.get(path, w.as("bob")).wantStatus(200, "")
	steps := ""
	for i := range r.at("timeline").([]any) {
		steps += fmt.Sprint(r.text("timeline", i, "step"), " by ", r.text("timeline", i, "by", "firstName"), "; ")
	}
	if steps != "placed by Bob; verified by Root; delivered by Root; " || r.at("next") != nil || r.at("cancelReason") != nil || r.at("cancelledBy") != nil || r.at("seller", "paymentUsername") != nil {
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
		if r := w.get("/api/user/getOrders?"+query, w.as("bob")).wantStatus(200, ""); len(r.list()) != want {
			t.Errorf("%s lists %s", query, r)
		}
	}
	for _, query := range []string{"role=admin", "status=0", "status=5", "status=x", "limit=0", "cursor=!!"} {
		w.get("/api/user/getOrders?"+query, w.as("bob")).wantStatus(400, "")
	}
}

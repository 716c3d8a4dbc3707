package rest_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
)

func TestBothSidesSayWhetherASaleWasAsDescribed(t *testing.T) {
	w := newMarketFixture(t)
	admin := w.promoted("dean", user.Admin)
	id := w.bought("ann", "bob")
	order := w.get("/api/user/getOrders", w.as("bob")).wantStatus(200, "").text(0, "id")
	rating := object{"orderId": order, "asDescribed": true, "text": "<i>Thanks</i>"}
	w.post("/api/user/rateOrder", w.as("bob"), rating).wantStatus(409, "rating_early")
	w.post("/api/dashboard/confirmBook", admin, object{"bookId": id}).wantStatus(200, "")
	w.post("/api/dashboard/setBookPaid", admin, object{"bookId": id}).wantStatus(200, "")
	r := w.post("/api/user/rateOrder", w.as("bob"), rating).wantStatus(200, "")
	if r.at("buyer", "asDescribed") != true || r.text("buyer", "text") != "<i>Thanks</i>" || r.at("seller") != nil {
		t.Errorf("answered %s", r)
	}
	for _, token := range []string{w.as("eve"), admin} {
		w.post("/api/user/rateOrder", token, rating).wantStatus(404, "order_not_found")
	}
	w.get("/api/user/getRatings/"+order, w.as("eve")).wantStatus(404, "order_not_found")
	w.get("/api/user/getRatings/4242", w.as("eve")).wantStatus(404, "order_not_found")
	for _, token := range []string{w.as("ann"), admin} {
		if r := w.get("/api/user/getRatings/"+order, token).wantStatus(200, ""); r.at("buyer", "asDescribed") != true {
			t.Errorf("answered %s", r)
		}
	}
	w.post("/api/user/rateOrder", "", rating).wantStatus(401, "unauthenticated")
	for _, bad := range []string{strings.Repeat("x", 201), "a\nb"} {
		if r := w.post("/api/user/rateOrder", w.as("bob"), with(rating, "text", bad)).wantStatus(400, ""); r.fields()["text"] == nil {
			t.Errorf("%q: %s", bad, r)
		}
	}
}

func TestASellersRecordIsShownWithABookThatOneSees(t *testing.T) {
	w := newMarketFixture(t)
	sold, listed := w.bought("ann", "bob"), w.posted("ann")
	r := w.get("/api/books/getSeller/"+listed, w.as("eve")).wantStatus(200, "")
	if r.text("firstName") != "Ann" || r.at("sales") != 0.0 || r.at("cancelled") != 0.0 || r.at("ratings") != nil || r.at("memberSince") == nil || r.at("email") != nil {
		t.Errorf("answered %s", r)
	}
	w.get("/api/books/getSeller/"+sold, w.as("eve")).wantStatus(404, "book_not_found")
	w.get("/api/books/getSeller/"+listed, "").wantStatus(401, "unauthenticated")
}

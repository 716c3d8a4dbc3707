package rest_test

import (
	"strings"
	"testing"
)

func TestBothSidesSayWhetherASaleWasAsDescribed(t *testing.T) {
	w := newMarketFixture(t)
	w.bought("ann", "bob")
	early := object{"orderId": w.ordered(), "asDescribed": true}
	w.delivered("ann", "bob")
	rating := object{"orderId": w.ordered(), "asDescribed": true, "text": "<i>Thanks</i>"}
	r := w.post("/api/user/rateOrder", w.as("bob"), rating).wantStatus(200, "")
	if r.at("buyer", "asDescribed") != true || r.text("buyer", "text") != "<i>Thanks</i>" || r.at("seller") != nil {
		t.Errorf("answered %s", r)
	}
	if r := w.get("/api/user/getRatings/"+w.ordered(), w.as("ann")).wantStatus(200, ""); r.at("buyer", "asDescribed") != true {
		t.Errorf("answered %s", r)
	}
	w.refuses(
		refusal{"bob", "/api/user/rateOrder", early, 409, "rating_early", ""},
		refusal{"bob", "/api/user/rateOrder", with(rating, "text", strings.Repeat("x", 201)), 400, "", "text"},
		refusal{"bob", "/api/user/rateOrder", with(rating, "text", "a\nb"), 400, "", "text"},
	)
	for _, none := range append(noIDs, w.ordered()) {
		w.refuses(
			refusal{"eve", "/api/user/rateOrder", with(rating, "orderId", none), 404, "order_not_found", ""},
			refusal{"eve", "/api/user/getRatings/" + none, nil, 404, "order_not_found", ""},
		)
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
}

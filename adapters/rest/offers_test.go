package rest_test

import "testing"

func TestABuyerOffersLessAndPaysWhatTheSellerAccepts(t *testing.T) {
	w := newMarketFixture(t)
	id := w.posted("ann")
	price := w.get("/api/books/getBook/"+id, w.as("bob")).wantStatus(200, "").at("price").(float64)
	body := object{"bookId": id, "price": price - 5, "text": "<i>Today?</i>"}
	made := w.post("/api/books/makeOffer", w.as("bob"), body).wantStatus(201, "")
	if made.at("price") != price-5 || made.at("listPrice") != price || made.text("currency") != "USD" || made.text("text") != "<i>Today?</i>" || made.text("state") != "open" ||
		made.text("buyer", "firstName") != "Bob" || made.text("seller", "firstName") != "Ann" || made.at("answeredAt") != nil || made.at("validUntil") != nil {
		t.Errorf("answered %s", made)
	}
	offer := object{"offerId": made.text("id")}
	answer := func(by, with string, price any) *result {
		return w.post("/api/books/answerOffer", w.as(by), object{"offerId": offer["offerId"], "answer": with, "price": price})
	}
	w.post("/api/books/makeOffer", w.as("bob"), body).wantStatus(409, "offer_open")
	w.post("/api/books/makeOffer", w.as("ann"), body).wantStatus(409, "own_book")
	w.post("/api/books/makeOffer", w.as("eve"), with(body, "price", price)).wantStatus(400, "offer_price")
	answer("ann", "counter", nil).wantStatus(400, "offer_counter_price")
	answer("ann", "perhaps", nil).wantStatus(400, "")
	answer("eve", "accept", nil).wantStatus(404, "offer_not_found")
	answer("ann", "counter", price-2).wantStatus(200, "")
	answer("bob", "counter", price-3).wantStatus(403, "offer_counter")
	if r := answer("bob", "accept", nil).wantStatus(200, ""); r.text("state") != "accepted" || r.at("validUntil") == nil {
		t.Errorf("answered %s", r)
	}
	w.post("/api/user/addToCart", w.as("bob"), object{"bookId": id}).wantStatus(200, "")
	if r := w.get("/api/user/getCartItems", w.as("bob")).wantStatus(200, ""); r.at(0, "price") != price-2 || r.at(0, "listPrice") != price {
		t.Errorf("the cart has %s", r)
	}
	if r := w.post("/api/books/checkoutCart", w.as("bob"), object{}).wantStatus(201, ""); r.at("orders", 0, "price") != price-2 {
		t.Errorf("bought %s", r)
	}
	w.post("/api/books/withdrawOffer", w.as("bob"), offer).wantStatus(409, "offer_answered")
	w.post("/api/books/makeOffer", w.as("eve"), body).wantStatus(409, "book_not_available")
}

func TestOffersAreListedBySideAndState(t *testing.T) {
	w := newMarketFixture(t)
	made := w.post("/api/books/makeOffer", w.as("bob"), object{"bookId": w.posted("ann"), "price": 0.01}).wantStatus(201, "")
	for path, want := range map[string]int{"?role=buyer": 0, "?role=seller&state=open": 1, "?state=accepted": 0, "": 1} {
		r := w.get("/api/user/getOffers"+path, w.as("ann")).wantStatus(200, "")
		if got := len(r.list()); got != want {
			t.Errorf("%q lists %d, want %d", path, got, want)
		}
	}
	w.get("/api/user/getOffers?role=admin", w.as("ann")).wantStatus(400, "")
	w.get("/api/user/getOffers?state=sold", w.as("ann")).wantStatus(400, "")
	w.get("/api/user/getOffers", "").wantStatus(401, "unauthenticated")
	withdraw := func(by string) *result {
		return w.post("/api/books/withdrawOffer", w.as(by), object{"offerId": made.text("id")})
	}
	withdraw("ann").wantStatus(403, "offer_withdraw")
	if r := withdraw("bob").wantStatus(200, ""); r.text("state") != "withdrawn" {
		t.Errorf("answered %s", r)
	}
}

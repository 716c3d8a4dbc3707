package rest_test

import (
	"net/url"
	"testing"
)

func TestQueriesMayHoldWhatPeoplePaste(t *testing.T) {
	w := newMarketFixture(t)
	book := calculus()
	book["ISBN"], book["price"], book["condition"] = "978-0-306-40615-7", 12.5, "Good"
	w.post("/api/postBook", w.as("ann"), book).wantStatus(201, "")
	for _, typed := range []string{"ISBN 978-0-306-40615-7 (pbk.)", "https://shop.example/dp/0306406152"} {
		if found := w.get("/api/books/suggest?ISBN="+url.QueryEscape(typed), w.as("ben")).wantStatus(200, ""); found.at("name") != book["name"] {
			t.Errorf("%q suggests %s", typed, found)
		}
		w.get("/api/books/priceHint?ISBN="+url.QueryEscape(typed), "").wantStatus(200, "")
	}
	for query, want := range map[string]int{
		"minPrice=12,50&maxPrice=$12.50": 1, "minPrice=12,51": 0, "maxPrice=" + url.QueryEscape("12.–"): 0, "condition=" + url.QueryEscape("très bon état"): 1, "condition=neuf": 0, "course=%20math%09161": 1,
	} {
		if n := len(w.get("/api/books/getAllBooks?"+query, "").wantStatus(200, "").list()); n != want {
			t.Errorf("%s finds %d books, want %d", query, n, want)
		}
	}
	for _, query := range []string{"minPrice=cheap", "minPrice=1e3x", "maxPrice=12.345", "condition=used"} {
		w.get("/api/books/getAllBooks?"+query, "").wantStatus(400, "invalid_fields")
	}
	book["ISBN"] = "ISBN 978-0-306-40615-7" // a body keeps to the contract
	w.post("/api/postBook", w.as("ann"), book).wantStatus(400, "invalid_fields")
}

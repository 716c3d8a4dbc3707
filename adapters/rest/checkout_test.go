package rest_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

func TestTheCartContainsBooksOfOthersOnce(t *testing.T) {
	w := newMarketFixture(t)
	a, b := w.posted("ann", "name", "A"), w.posted("ann", "name", "B")
	for _, id := range []string{a, b, a} {
		w.post("/api/addToCart", w.as("bob"), object{"bookId": id}).wantStatus(200, "")
	}
	r := w.get("/api/user/getCartItems", w.as("bob"))
	r.lists("B", "A")
	if r.at(0, "available") != true {
		t.Errorf("answered %s", r)
	}
	w.post("/api/user/addToCart", w.as("ann"), object{"bookId": a}).wantStatus(409, "own_book")
	w.post("/api/user/addToCart", w.as("bob"), object{"bookId": "999"}).wantStatus(404, "book_not_found")
	w.bought("ann", "cyd")
	w.post("/api/books/checkoutCart", w.as("cyd"), object{"bookIds": []string{a}}).wantStatus(201, "")
	if r := w.get("/api/getCartItems", w.as("bob")); r.at(1, "available") != false || r.at(1, "status") != 1.0 {
		t.Errorf("answered %s", r)
	}
	w.post("/api/user/addToCart", w.as("dan"), object{"bookId": a}).wantStatus(409, "book_not_available")
	for range 2 {
		w.post("/api/removeFromCart", w.as("bob"), object{"bookId": a}).wantStatus(200, "")
	}
	w.get("/api/getCartItems", w.as("bob")).lists("B")
	w.post("/api/clearCart", w.as("bob"), nil).wantStatus(200, "")
	w.get("/api/getCartItems", w.as("bob")).lists()
}

func TestACartIsReadPageByPage(t *testing.T) {
	w := newMarketFixture(t)
	for _, name := range []string{"A", "B", "C", "D", "E"} {
		w.post("/api/addToCart", w.as("bob"), object{"bookId": w.posted("ann", "name", name)}).wantStatus(200, "")
	}
	r := w.get("/api/getCartItems?limit=2", w.as("bob"))
	r.lists("E", "D")
	next, ok := strings.CutPrefix(r.header.Get("Link"), "</api/getCartItems?")
	next, rel := strings.CutSuffix(next, `>; rel="next"`)
	if !ok || !rel {
		t.Fatalf("the link is %q", r.header.Get("Link"))
	}
	w.post("/api/removeFromCart", w.as("bob"), object{"bookId": r.text(1, "id")}).wantStatus(200, "")
	w.get("/api/getCartItems?"+next, w.as("bob")).lists("C", "B")
	if r := w.get("/api/user/getCartItems?limit=4", w.as("bob")); r.header.Get("Link") != "" {
		t.Errorf("the last page links to %s", r.header.Get("Link"))
	}
	for query, field := range map[string]string{"limit=0": "limit", "limit=201": "limit", "limit=x": "limit", "cursor=!!": "cursor", "cursor=AAAA": "cursor"} {
		if r := w.get("/api/getCartItems?"+query, w.as("bob")).wantStatus(400, ""); r.fields()[field] == nil {
			t.Errorf("%s answered %s", query, r)
		}
	}
}

func TestCheckoutBuysTheCartAndCountsTheFee(t *testing.T) {
	w := newMarketFixture(t)
	a, b := w.posted("ann", "name", "A", "price", 10.10), w.posted("ann", "name", "B", "price", 0.01)
	for _, id := range []string{a, b} {
		w.post("/api/addToCart", w.as("bob"), object{"bookId": id})
	}
	r := w.post("/api/books/checkoutCart", w.as("bob"), nil).wantStatus(201, "")
	if r.at("orders", 0, "fee") != 0.51 || r.at("orders", 1, "fee") != 0.0 || r.at("total") != 10.62 || len(r.at("unavailable").([]any)) != 0 {
		t.Errorf("answered %s", r)
	}
	w.get("/api/getCartItems", w.as("bob")).lists()
	p := w.get("/api/getPurchasedBooks", w.as("bob"))
	p.lists("B", "A")
	if p.text(0, "order", "seller", "firstName") != "Ann" || p.at(0, "order", "seller", "campusMailbox") != nil || p.at(0, "order", "status") != 1.0 {
		t.Errorf("answered %s", p)
	}
	w.get("/api/getSoldBooks", w.as("ann")).lists("B", "A")
	w.post("/api/books/checkoutCart", w.as("bob"), nil).wantStatus(400, "nothing_to_buy")
	w.post("/api/books/checkoutCart", w.as("bob"), object{"bookIds": []string{}}).wantStatus(400, "nothing_to_buy")
	w.post("/api/books/checkoutCart", w.as("ann"), object{"bookIds": []string{w.posted("ann")}}).wantStatus(409, "own_book")
	many := make([]string, 101)
	for i := range many {
		many[i] = fmt.Sprint(1000 + i)
	}
	if r := w.post("/api/books/checkoutCart", w.as("bob"), object{"bookIds": many}).wantStatus(400, "too_many_books"); r.fields()["bookIds"] == nil {
		t.Errorf("answered %s", r)
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
	w.get("/api/getPurchasedBooks", w.as("bob")).lists()
	r = w.post("/api/books/checkoutCart", w.as("bob"), with(basket, "allowPartial", true)).wantStatus(201, "")
	if r.text("orders", 0, "bookId") != left || len(r.at("unavailable").([]any)) != 3 || r.at("total") != 42.0 {
		t.Errorf("answered %s", r)
	}
	w.post("/api/books/checkoutCart", w.as("bob"), with(basket, "allowPartial", true)).wantStatus(409, "book_not_available")
}

func TestAnIdempotencyKeyRepeatsTheFirstResponse(t *testing.T) {
	w := newMarketFixture(t)
	a, b := w.posted("ann"), w.posted("ann")
	key := header("Idempotency-Key", "one")
	first := w.post("/api/books/checkoutCart", w.as("bob"), object{"bookIds": []string{a}}, key).wantStatus(201, "")
	if first.header.Get("Idempotent-Replayed") != "" {
		t.Error("the first answer says that it is a repetition")
	}
	again := w.post("/api/books/checkoutCart", w.as("bob"), ` { "bookIds" : [ "`+a+`" ] } `, key).wantStatus(201, "")
	if again.header.Get("Idempotent-Replayed") != "true" || again.text("orders", 0, "id") != first.text("orders", 0, "id") {
		t.Errorf("answered %s", again)
	}
	w.post("/api/books/checkoutCart", w.as("bob"), object{"bookIds": []string{b}}, key).wantStatus(409, "idempotency_mismatch")
	refused := header("Idempotency-Key", "two")
	for i, want := range []string{"", "true"} {
		r := w.post("/api/books/checkoutCart", w.as("cyd"), object{"bookIds": []string{a}}, refused).wantStatus(409, "book_not_available")
		if r.header.Get("Idempotent-Replayed") != want || r.text("unavailable", 0) != a {
			t.Errorf("time %d: %q %s", i, r.header.Get("Idempotent-Replayed"), r)
		}
	}
	for _, want := range []string{"", "true"} {
		r := w.post("/api/books/checkoutCart", w.as("ann"), object{"bookIds": []string{b}}, refused).wantStatus(409, "own_book")
		if r.header.Get("Idempotent-Replayed") != want {
			t.Errorf("one's own book: %q %s", r.header.Get("Idempotent-Replayed"), r)
		}
	}
	w.post("/api/books/checkoutCart", w.as("cyd"), object{"bookIds": []string{b}}, key).wantStatus(201, "") // keys belong to one user
	w.Clock.Advance(24*time.Hour + time.Second)
	w.post("/api/books/checkoutCart", w.login("bob"), object{"bookIds": []string{a}}, key).wantStatus(409, "book_not_available")
}

func TestOneOfManyBuyersGetsTheBook(t *testing.T) {
	w := newMarketFixture(t)
	id := w.posted("ann")
	tokens := make([]string, 20)
	for i := range tokens {
		tokens[i] = w.as(fmt.Sprintf("buyer%d", i))
	}
	var mu sync.Mutex
	answers := map[int]int{}
	var all sync.WaitGroup
	for _, token := range tokens {
		all.Go(func() {
			r := w.post("/api/books/checkoutCart", token, object{"bookIds": []string{id}})
			mu.Lock()
			defer mu.Unlock()
			answers[r.status]++
		})
	}
	all.Wait()
	if answers[201] != 1 || answers[409] != 19 {
		t.Errorf("answers by status: %v", answers)
	}
}

func TestAdminsVerifyAndDeliverABook(t *testing.T) {
	w := newMarketFixture(t)
	admin := w.promoted("root", user.Admin)
	id := w.bought("ann", "bob")
	one := object{"bookId": id}
	w.post("/api/dashboard/setBookPaid", admin, one).wantStatus(409, "book_transition")
	r := w.post("/api/dashboard/confirmBook", admin, one).wantStatus(200, "")
	if r.at("status") != 2.0 || r.at("verifiedAt") == nil || r.at("deliveredAt") != nil || r.text("seller", "paymentUsername") != "pay-ann" {
		t.Errorf("answered %s", r)
	}
	w.post("/api/dashboard/confirmBook", admin, one).wantStatus(409, "book_transition")
	if r := w.post("/api/dashboard/setBookPaid", admin, one).wantStatus(200, ""); r.at("status") != 3.0 || r.at("deliveredAt") == nil {
		t.Errorf("answered %s", r)
	}
	w.post("/api/dashboard/cancelTransaction", admin, with(one, "reason", "too late")).wantStatus(409, "book_transition")
	if r := w.get("/api/getUserStatistics", w.as("ann")); r.at("moneyMade") != 40.0 || r.at("numberOfBooksSold") != 1.0 {
		t.Errorf("answered %s", r)
	}
	if r := w.get("/api/getUserStatistics", w.as("bob")); r.at("moneySpent") != 42.0 || r.at("numberOfBooksBought") != 1.0 {
		t.Errorf("answered %s", r)
	}
	for _, path := range []string{"confirmBook", "setBookPaid"} {
		w.post("/api/dashboard/"+path, admin, object{"bookId": "999"}).wantStatus(404, "")
		w.post("/api/dashboard/"+path, admin, object{"bookId": "x"}).wantStatus(404, "")
		w.post("/api/dashboard/"+path, w.as("ann"), one).wantStatus(403, "forbidden")
		w.post("/api/dashboard/"+path, "", one).wantStatus(401, "unauthenticated")
	}
}

func TestACancelledSaleRelistsTheBook(t *testing.T) {
	w := newMarketFixture(t)
	admin := w.promoted("root", user.Admin)
	id := w.bought("ann", "bob")
	cancel := object{"bookId": id, "reason": "The buyer fell ill."}
	w.post("/api/dashboard/cancelTransaction", w.as("bob"), cancel).wantStatus(403, "forbidden")
	if r := w.post("/api/dashboard/cancelTransaction", admin, cancel).wantStatus(200, ""); r.at("status") != 0.0 || r.at("order") != nil {
		t.Errorf("answered %s", r)
	}
	w.post("/api/dashboard/cancelTransaction", admin, cancel).wantStatus(409, "book_transition")
	w.post("/api/dashboard/cancelTransaction", admin, with(cancel, "bookId", "999")).wantStatus(404, "")
	w.get("/api/getPurchasedBooks", w.as("bob")).lists()
	if r := w.get("/api/getUserStatistics", w.as("bob")); r.at("moneySpent") != 0.0 || r.at("numberOfBooksBought") != 0.0 {
		t.Errorf("answered %s", r)
	}
	w.get("/api/books/getAllBooks", "").lists("Calculus: Early Transcendentals")
	w.get("/api/dashboard/getTransactions?status=-1", admin).lists("Calculus: Early Transcendentals")
}

package rest_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// has checks the ids in a list.
func (w *marketFixture) has(path, token string, want ...string) {
	w.t.Helper()
	got := []string{}
	for _, v := range w.get(path, token).wantStatus(200, "").list() {
		got = append(got, v.(map[string]any)["id"].(string))
	}
	if !slices.Equal(got, want) {
		w.t.Errorf("%s lists %v, want %v", path, got, want)
	}
}

func TestAKeyPostsABookOnce(t *testing.T) {
	w := newMarketFixture(t)
	key := header("Idempotency-Key", "one")
	first := w.post("/api/books/postBook", w.as("ann"), calculus(), key).wantStatus(201, "")
	w.post("/api/books/updateBook", w.as("ann"), object{"bookId": first.text("id"), "price": 12}).wantStatus(200, "")
	for _, path := range []string{"/api/books/postBook", "/api/postBook"} {
		again := w.post(path, w.as("ann"), calculus(), key).wantStatus(201, "")
		if first.header.Get("Idempotent-Replayed") != "" || again.header.Get("Idempotent-Replayed") != "true" || !reflect.DeepEqual(again.at(), first.at()) {
			t.Errorf("first %s\nagain %s", first.raw, again)
		}
	}
	w.post("/api/books/postBook", w.as("ann"), with(calculus(), "price", 13), key).wantStatus(409, "idempotency_mismatch")
	w.has("/api/getUsersPosts", w.as("ann"), first.text("id"))
	other := w.post("/api/books/postBook", w.as("bob"), calculus(), key).wantStatus(201, "") // keys belong to one user
	w.has("/api/getUsersPosts", w.as("bob"), other.text("id"))
	w.Clock.Advance(24*time.Hour + time.Second)
	late := w.post("/api/books/postBook", w.login("ann"), calculus(), key).wantStatus(201, "")
	w.has("/api/getUsersPosts", w.login("ann"), late.text("id"), first.text("id"))
}

func TestAKeyAddsARequestOnce(t *testing.T) {
	w := newMarketFixture(t)
	w.posted("ann")
	key, wish := header("Idempotency-Key", "one"), object{"name": "calculus", "course": "MATH 200"}
	first := w.post("/api/books/requestBook", w.as("bob"), wish, key).wantStatus(201, "")
	w.posted("ann")
	for _, path := range []string{"/api/books/requestBook", "/api/requestBook"} {
		again := w.post(path, w.as("bob"), wish, key).wantStatus(201, "")
		if again.header.Get("Idempotent-Replayed") != "true" || !reflect.DeepEqual(again.at(), first.at()) {
			t.Errorf("first %s\nagain %s", first.raw, again)
		}
	}
	w.post("/api/books/requestBook", w.as("bob"), with(wish, "maxPrice", 13), key).wantStatus(409, "idempotency_mismatch")
	w.has("/api/getRequests", w.as("bob"), first.text("request", "id"))
}

func TestAnIdempotencyKeyBelongsToOneOperation(t *testing.T) {
	w := newMarketFixture(t)
	key := header("Idempotency-Key", "one")
	w.post("/api/books/postBook", w.as("ann"), calculus(), key).wantStatus(201, "")
	w.post("/api/books/requestBook", w.as("ann"), calculus(), key).wantStatus(409, "idempotency_mismatch")
	w.post("/api/books/checkoutCart", w.as("ann"), object{"bookIds": []string{"1"}}, key).wantStatus(409, "idempotency_mismatch")
	w.has("/api/getRequests", w.as("ann"))
}

func TestAnInvalidRequestCanBeCorrectedUnderTheSameKey(t *testing.T) {
	w := newMarketFixture(t)
	key := header("Idempotency-Key", "one")
	w.post("/api/books/postBook", w.as("ann"), with(calculus(), "price", 0), key).wantStatus(400, "invalid_fields")
	w.post("/api/books/postBook", w.as("ann"), calculus(), key).wantStatus(201, "")
	for _, bad := range []string{"", strings.Repeat("k", 256)} {
		for _, path := range []string{"/api/postBook", "/api/requestBook"} {
			r := w.post(path, w.as("ann"), calculus(), header("Idempotency-Key", bad)).wantStatus(400, "invalid_fields")
			if r.fields()["Idempotency-Key"] == "" {
				t.Errorf("the error names the fields %v", r.fields())
			}
		}
	}
}

func TestConcurrentPostsWithOneKeyCreateOneBook(t *testing.T) {
	w := newMarketFixture(t)
	token, key := w.as("ann"), header("Idempotency-Key", "one")
	var mu sync.Mutex
	answers := map[string]int{}
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			r := w.post("/api/books/postBook", token, calculus(), key)
			mu.Lock()
			defer mu.Unlock()
			answers[fmt.Sprint(r.status, r.text("id"), r.header.Get("Idempotent-Replayed"))]++
		})
	}
	all.Wait()
	id := w.get("/api/getUsersPosts", token).text(0, "id")
	if answers["201"+id] != 1 || answers["201"+id+"true"] != 19 {
		t.Errorf("answers: %v", answers)
	}
}

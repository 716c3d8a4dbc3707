package rest_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
)

func (w *marketFixture) report(by string, body object) *result {
	w.t.Helper()
	return w.post("/api/user/report", w.as(by), body)
}

func TestAReportedSellerIsSuspendedAndTheirBooksAreGone(t *testing.T) {
	w := newMarketFixture(t)
	admin := w.promoted("dean", user.Admin)
	reported, ann := w.posted("ann"), w.as("ann")
	id := w.report("bob", object{"bookId": reported, "reason": "wrong", "text": "<script>alert(1)</script>\nHalf is missing."}).wantStatus(201, "").text("id")
	w.post("/api/books/updateBook", ann, object{"bookId": reported, "name": "Something else"}).wantStatus(200, "")
	r := w.get("/api/dashboard/getReports?state=open", admin).wantStatus(200, "")
	if len(r.list()) != 1 || r.text(0, "id") != id || r.text(0, "state") != "open" || r.text(0, "book", "name") != calculus()["name"] || r.text(0, "bookId") != reported ||
		r.text(0, "text") != "<script>alert(1)</script>\nHalf is missing." || r.text(0, "reporter", "firstName") != "Bob" || r.text(0, "person", "firstName") != "Ann" {
		t.Errorf("open are %s", r)
	}
	decision := object{"reportId": id, "action": "suspend", "note": "Fraud."}
	done := w.post("/api/dashboard/resolveReport", admin, decision).wantStatus(200, "")
	if done.text("state") != "done" || done.text("action") != "suspend" || done.text("note") != "Fraud." || done.text("resolvedBy", "firstName") != "Dean" || done.at("resolvedAt") == nil {
		t.Errorf("decided %s", done)
	}
	w.post("/api/dashboard/resolveReport", admin, decision).wantStatus(409, "report_resolved")
	w.get("/api/books/getBook/"+reported, "").wantStatus(404, "book_not_found")
	w.get("/api/user/getUserData", ann).wantStatus(401, "")
	w.post("/api/auth/login", "", object{"email": "ann@rochester.edu", "password": password}).wantStatus(403, "suspended")
	w.post("/api/auth/login", "", object{"email": "ann@rochester.edu", "password": "a wrong password"}).wantStatus(401, "invalid_credentials")
	if r := w.get("/api/dashboard/getReports?state=done", admin).wantStatus(200, ""); len(r.list()) != 1 || r.text(0, "id") != id {
		t.Errorf("done are %s", r)
	}
}

func TestAdminsReadWhatAReportIsAbout(t *testing.T) {
	w := newMarketFixture(t)
	admin := w.promoted("dean", user.Admin)
	w.bought("ann", "bob")
	mine := w.ordered()
	talk := w.post("/api/user/sendMessage", w.as("bob"), object{"bookId": w.posted("ann"), "text": "<b>Pay</b> me outside."}).wantStatus(201, "").text("conversationId")
	w.report("ann", object{"conversationId": talk, "reason": "abuse"}).wantStatus(201, "")
	w.report("bob", object{"userId": w.id("ann"), "orderId": mine, "reason": "abuse"}).wantStatus(201, "")
	r := w.get("/api/dashboard/getReports", admin).wantStatus(200, "")
	if r.text(0, "conversationId") != talk || r.text(0, "messages", 0, "text") != "<b>Pay</b> me outside." || r.text(0, "messages", 0, "from", "firstName") != "Bob" ||
		r.text(0, "person", "firstName") != "Bob" || r.text(1, "orderId") != mine {
		t.Errorf("reported is %s", r)
	}
}

func TestAReportIsRefusedWithItsReason(t *testing.T) {
	w := newMarketFixture(t)
	book, sold := w.posted("ann"), w.bought("ann", "bob")
	const path = "/api/user/report"
	valid, person := object{"bookId": book, "reason": "spam"}, object{"userId": w.id("bob"), "reason": "abuse"}
	w.report("ann", person).wantStatus(201, "")
	w.refuses(
		refusal{"ann", path, person, 409, "already_reported", ""},
		refusal{"ann", path, with(person, "userId", w.id("ann")), 409, "own_report", ""},
		refusal{"bob", path, with(valid, "userId", w.id("ann")), 400, "report_target", ""},
		refusal{"bob", path, object{"bookId": book, "orderId": w.ordered(), "reason": "abuse"}, 400, "report_target", ""},
		refusal{"bob", path, object{"userId": w.id("ann"), "orderId": "4242", "reason": "abuse"}, 404, "order_not_found", ""},
		refusal{"bob", path, object{"reason": "boring"}, 400, "invalid_fields", "bookId"},
		refusal{"bob", path, with(valid, "reason", "because"), 400, "invalid_fields", "reason"},
		refusal{"bob", path, with(valid, "text", strings.Repeat("x", 1001)), 400, "", "text"},
		refusal{"bob", path, with(valid, "text", "a\u0007"), 400, "invalid_fields", "text"},
	)
	for field, c := range map[string]struct{ hidden, code string }{
		"bookId": {sold, "book_not_found"}, "userId": {w.id("bob"), "not_found"}, "conversationId": {"7", "conversation_not_found"},
	} {
		texts := map[string]bool{}
		for _, id := range []string{c.hidden, "4242", "x"} {
			texts[w.report("eve", object{field: id, "reason": "abuse"}).wantStatus(404, c.code).text("error")] = true
		}
		if len(texts) != 1 {
			t.Errorf("what one cannot see and what does not exist differ: %v", texts)
		}
	}
	for range 10 {
		w.report("eve", object{"bookId": w.posted("ann"), "reason": "spam"}).wantStatus(201, "")
	}
	if r := w.report("eve", valid).wantStatus(429, "rate_limited"); r.header.Get("Retry-After") == "" {
		t.Errorf("no Retry-After: %s", r)
	}
}

func TestADecisionNeedsTheRightRankAndANote(t *testing.T) {
	w := newMarketFixture(t)
	w.promoted("dean", user.Admin)
	w.promoted("olga", user.Owner)
	id := w.report("bob", object{"bookId": w.posted("olga"), "reason": "spam"}).wantStatus(201, "").text("id")
	about := w.report("bob", object{"userId": w.id("olga"), "reason": "spam"}).wantStatus(201, "").text("id")
	decision := object{"reportId": id, "action": "suspend", "note": "because"}
	const path = "/api/dashboard/resolveReport"
	w.refuses(
		refusal{"dean", path, decision, 403, "forbidden", ""},
		refusal{"dean", path, with(decision, "note", "  "), 400, "", "note"},
		refusal{"dean", path, with(decision, "note", "a\r\nBcc: everybody@rochester.edu"), 400, "", "note"},
		refusal{"dean", path, with(decision, "reportId", about, "action", "unlist"), 400, "report_action", ""},
	)
	for _, none := range noIDs {
		w.refuses(refusal{"dean", path, with(decision, "reportId", none), 404, "report_not_found", ""})
	}
}

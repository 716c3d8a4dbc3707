package rest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

func (w *marketFixture) report(by string, body object) *result {
	w.t.Helper()
	return w.post("/api/user/report", w.as(by), body)
}

func TestAReportedSellerIsSuspendedAndTheirBooksAreGone(t *testing.T) {
	w := newMarketFixture(t)
	admin := w.promoted("dean", user.Admin)
	reported, sold := w.posted("ann"), w.bought("ann", "eve")
	ann := w.as("ann")
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
	if r := w.get("/api/user/getOrders", w.as("eve")).wantStatus(200, ""); r.at(0, "status") != -1.0 || r.text(0, "bookId") != sold {
		t.Errorf("the buyer's orders are %s", r)
	}
	if m := w.LastMail(t, message.Suspended, "ann@rochester.edu"); m.Kind != message.Suspended {
		t.Errorf("mailed %+v", m)
	}
	if r := w.get("/api/user/getNotifications", w.as("bob")).wantStatus(200, ""); r.text(0, "kind") != "report_resolved" {
		t.Errorf("the reporter's notifications are %s", r)
	}
	if r := w.get("/api/dashboard/getReports?state=done", admin).wantStatus(200, ""); len(r.list()) != 1 || r.text(0, "id") != id {
		t.Errorf("done are %s", r)
	}
}

func TestWhatOneCannotSeeIsReportedLikeWhatDoesNotExist(t *testing.T) {
	w := newMarketFixture(t)
	sold := w.bought("ann", "bob")
	buyer := w.id("bob")
	for _, c := range []struct {
		field, hidden, missing, code string
	}{
		{"bookId", sold, "4242", "book_not_found"},
		{"userId", buyer, "4242", "not_found"},
		{"conversationId", "7", "4242", "conversation_not_found"},
	} {
		hidden := w.report("eve", object{c.field: c.hidden, "reason": "abuse"}).wantStatus(404, c.code)
		missing := w.report("eve", object{c.field: c.missing, "reason": "abuse"}).wantStatus(404, c.code)
		if fmt.Sprint(hidden.data) != fmt.Sprint(missing.data) {
			t.Errorf("%s: %s and %s differ", c.field, hidden.raw, missing.raw)
		}
		w.report("eve", object{c.field: "x", "reason": "abuse"}).wantStatus(404, c.code)
	}
	w.report("ann", object{"userId": buyer, "reason": "abuse"}).wantStatus(201, "")
	w.report("ann", object{"userId": buyer, "reason": "abuse"}).wantStatus(409, "already_reported")
	w.report("ann", object{"userId": w.id("ann"), "reason": "abuse"}).wantStatus(409, "own_report")
	w.post("/api/user/report", "", object{"bookId": sold, "reason": "spam"}).wantStatus(401, "unauthenticated")
}

func TestAdminsReadAConversationOnlyThroughAReport(t *testing.T) {
	w := newMarketFixture(t)
	admin := w.promoted("dean", user.Admin)
	said := w.post("/api/user/sendMessage", w.as("bob"), object{"bookId": w.posted("ann"), "text": "<b>Pay</b> me outside."}).wantStatus(201, "")
	id := said.text("conversationId")
	w.get("/api/user/getMessages/"+id, admin).wantStatus(404, "conversation_not_found")
	for _, stranger := range []string{"eve", "dean"} {
		w.report(stranger, object{"conversationId": id, "reason": "abuse"}).wantStatus(404, "conversation_not_found")
	}
	w.report("ann", object{"conversationId": id, "reason": "abuse"}).wantStatus(201, "")
	w.post("/api/user/sendMessage", w.as("bob"), object{"conversationId": id, "text": "After the report."}).wantStatus(201, "")
	r := w.get("/api/dashboard/getReports", admin).wantStatus(200, "")
	if r.text(0, "conversationId") != id || r.text(0, "messages", 0, "text") != "<b>Pay</b> me outside." || r.text(0, "messages", 0, "from", "firstName") != "Bob" ||
		r.text(0, "person", "firstName") != "Bob" || strings.Contains(r.raw, "After the report.") {
		t.Errorf("reported is %s", r)
	}
	w.get("/api/user/getMessages/"+id, admin).wantStatus(404, "conversation_not_found")
}

func TestAReportHasOneTargetAReasonAndAShortText(t *testing.T) {
	w := newMarketFixture(t)
	id := w.posted("ann")
	valid := object{"bookId": id, "reason": "spam"}
	for field, body := range map[string]object{
		"bookId": {"reason": "spam"},
		"userId": {"userId": "", "reason": "spam"},
		"reason": {"bookId": id},
		"text":   with(valid, "text", strings.Repeat("x", 1001)),
	} {
		if r := w.report("bob", body).wantStatus(400, ""); r.fields()[field] == nil {
			t.Errorf("%s: %s", field, r)
		}
	}
	w.report("bob", with(valid, "userId", w.id("ann"))).wantStatus(400, "report_target")
	if fields := w.report("bob", object{"reason": "boring"}).wantStatus(400, "invalid_fields").fields(); fields["bookId"] == nil || fields["reason"] == nil {
		t.Errorf("without a target and with a wrong reason, the error names %v", fields)
	}
	w.report("bob", with(valid, "reason", "because")).wantStatus(400, "invalid_fields")
	w.report("bob", with(valid, "text", "a\u0007")).wantStatus(400, "invalid_fields")
}

func TestTheEleventhReportOfADayIsRefused(t *testing.T) {
	w := newMarketFixture(t)
	for range 10 {
		w.report("bob", object{"bookId": w.posted("ann"), "reason": "spam"}).wantStatus(201, "")
	}
	r := w.report("bob", object{"bookId": w.posted("ann"), "reason": "spam"}).wantStatus(429, "rate_limited")
	if r.header.Get("Retry-After") == "" {
		t.Errorf("no Retry-After: %s", r)
	}
}

func TestADecisionNeedsTheRightRankAndANote(t *testing.T) {
	w := newMarketFixture(t)
	admin := w.promoted("dean", user.Admin)
	w.promoted("olga", user.Owner)
	id := w.report("bob", object{"bookId": w.posted("olga"), "reason": "spam"}).wantStatus(201, "").text("id")
	decision := object{"reportId": id, "action": "suspend", "note": "because"}
	w.post("/api/dashboard/resolveReport", w.as("bob"), decision).wantStatus(403, "forbidden")
	w.post("/api/dashboard/resolveReport", admin, decision).wantStatus(403, "forbidden")
	w.post("/api/dashboard/resolveReport", admin, with(decision, "reportId", "4242")).wantStatus(404, "report_not_found")
	for _, note := range []string{"", "  ", "a\r\nBcc: everybody@rochester.edu"} {
		if r := w.post("/api/dashboard/resolveReport", admin, with(decision, "note", note)).wantStatus(400, ""); r.fields()["note"] == nil {
			t.Errorf("%q: %s", note, r)
		}
	}
	about := w.report("bob", object{"userId": w.id("olga"), "reason": "spam"}).wantStatus(201, "").text("id")
	w.post("/api/dashboard/resolveReport", admin, object{"reportId": about, "action": "unlist", "note": "because"}).wantStatus(400, "report_action")
	w.post("/api/dashboard/resolveReport", admin, object{"reportId": id, "action": "dismiss"}).wantStatus(200, "")
}

func TestAReportOfAPersonNamesTheirOrder(t *testing.T) {
	w := newMarketFixture(t)
	dean, book := w.promoted("dean", user.Admin), w.bought("ann", "bob")
	mine := w.get("/api/user/getOrders", w.as("bob")).wantStatus(200, "").text(0, "id")
	body := object{"userId": w.id("ann"), "orderId": mine, "reason": "abuse"}
	w.report("eve", body).wantStatus(404, "")
	w.report("bob", with(body, "orderId", "4242")).wantStatus(404, "order_not_found")
	w.report("bob", object{"bookId": book, "orderId": mine, "reason": "abuse"}).wantStatus(400, "report_target")
	w.report("bob", body).wantStatus(201, "")
	if r := w.get("/api/dashboard/getReports", dean).wantStatus(200, ""); r.text(0, "orderId") != mine {
		t.Errorf("open are %s", r)
	}
}

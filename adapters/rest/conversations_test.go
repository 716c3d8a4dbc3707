package rest_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
)

// writesToAnn sends bob's first message about a book of ann's and returns the response.
func (w *marketFixture) writesToAnn(text string) *result {
	w.t.Helper()
	return w.post("/api/user/sendMessage", w.as("bob"), object{"bookId": w.posted("ann"), "text": text}).wantStatus(201, "")
}

func TestTwoPeopleHoldAConversationOverTheAPI(t *testing.T) {
	w := newMarketFixture(t)
	first := w.writesToAnn(" Is it\r\nstill there?\u202e ")
	id := first.text("conversationId")
	if first.text("text") != "Is it\nstill there?" || first.text("from", "firstName") != "Bob" || first.at("readAt") != nil || first.text("id") == "" {
		t.Errorf("the message is %s", first)
	}
	all := w.get("/api/user/getConversations", w.as("ann")).wantStatus(200, "")
	for path, want := range map[string]any{"id": id, "bookName": "Calculus: Early Transcendentals", "unread": 1.0} {
		if got := all.at(0, path); got != want {
			t.Errorf("%s is %v, want %v: %s", path, got, want, all)
		}
	}
	if all.text(0, "with", "firstName") != "Bob" || all.text(0, "lastMessage", "id") != first.text("id") {
		t.Errorf("the conversations are %s", all)
	}
	notified := w.get("/api/user/getNotifications", w.as("ann")).wantStatus(200, "")
	if notified.text(0, "kind") != "message_received" || notified.text(0, "conversationId") != id {
		t.Errorf("notified of %s", notified)
	}
	read := w.get("/api/user/getMessages/"+id, w.as("ann")).wantStatus(200, "")
	if read.text(0, "id") != first.text("id") || read.at(0, "readAt") == nil || read.method != "/api/user/getMessages/:conversationId" {
		t.Errorf("the messages are %s", read)
	}
	w.post("/api/user/sendMessage", w.as("ann"), object{"conversationId": id, "text": "<script>alert(1)</script>"}).wantStatus(201, "")
	page := w.get("/api/user/getMessages/"+id+"?limit=1", w.as("bob")).wantStatus(200, "")
	if page.text(0, "text") != "<script>alert(1)</script>" || page.text(0, "from", "firstName") != "Ann" || !strings.Contains(page.header.Get("Link"), "/api/user/getMessages/"+id+"?cursor=") {
		t.Errorf("the page is %s with the link %q", page.raw, page.header.Get("Link"))
	}
}

func TestWhoAsksOnlyForTheHeadersHasReadNothing(t *testing.T) {
	w := newMarketFixture(t)
	id := w.writesToAnn("Is it still there?").text("conversationId")
	ann := w.as("ann")
	for range 2 {
		if r := w.call(http.MethodHead, "/api/user/getMessages/"+id, ann, nil); r.status != 200 {
			t.Errorf("HEAD is answered with %d", r.status)
		}
	}
	if all := w.get("/api/user/getConversations", ann).wantStatus(200, ""); all.at(0, "unread") != 1.0 {
		t.Errorf("after HEAD the conversations are %s", all)
	}
	w.get("/api/user/getMessages/"+id, ann).wantStatus(200, "")
	if all := w.get("/api/user/getConversations", ann).wantStatus(200, ""); all.at(0, "unread") != 0.0 {
		t.Errorf("after GET the conversations are %s", all)
	}
}

func TestNothingOfAConversationIsReadableByAThirdPerson(t *testing.T) {
	w := newMarketFixture(t)
	first := w.writesToAnn("a secret")
	id := first.text("conversationId")
	w.promoted("dean", user.Admin)
	w.promoted("owner", user.Owner)
	for _, who := range []string{"eve", "dean", "owner"} {
		for _, r := range []*result{
			w.get("/api/user/getMessages/"+id, w.as(who)),
			w.post("/api/user/sendMessage", w.as(who), object{"conversationId": id, "text": "Hi"}),
		} {
			missing := w.get("/api/user/getMessages/404", w.as(who))
			if r.wantStatus(404, "conversation_not_found").text("error") != missing.wantStatus(404, "conversation_not_found").text("error") {
				t.Errorf("an existing conversation is refused as %s, a missing one as %s", r.raw, missing)
			}
		}
		if n := len(w.get("/api/user/getConversations", w.as(who)).wantStatus(200, "").list()); n != 0 {
			t.Errorf("%s lists %d conversations", who, n)
		}
	}
	for _, path := range []string{"/api/user/getMessages/" + id, "/api/user/getConversations", "/api/user/getBlocked"} {
		w.get(path, "").wantStatus(401, "unauthenticated")
	}
	for _, path := range []string{"/api/user/getMessages/0", "/api/user/getMessages/-1", "/api/user/getMessages/x", "/api/user/getMessages/0" + id, "/api/user/getMessages/" + id + "%20"} {
		w.get(path, w.as("ann")).wantStatus(404, "conversation_not_found")
	}
}

func TestAMessageThatCannotBeSentIsRefusedWithItsReason(t *testing.T) {
	w := newMarketFixture(t)
	id := w.posted("ann")
	send := func(who string, body any) *result { return w.post("/api/user/sendMessage", w.as(who), body) }
	send("ann", object{"bookId": id, "text": "Hi"}).wantStatus(409, "own_book")
	send("bob", object{"bookId": "404", "text": "Hi"}).wantStatus(404, "book_not_found")
	send("bob", object{"bookId": "x", "text": "Hi"}).wantStatus(404, "book_not_found")
	w.post("/api/user/sendMessage", "", object{"bookId": id, "text": "Hi"}).wantStatus(401, "unauthenticated")
	for _, c := range []struct {
		body   object
		fields string
	}{
		{object{"text": "Hi"}, "bookId conversationId"},
		{object{"bookId": id, "conversationId": "1", "text": "Hi"}, "bookId conversationId"},
		{object{"bookId": id}, "text"},
		{object{"bookId": id, "text": " \n"}, "text"},
		{object{"bookId": id, "text": 5}, "text"},
		{object{"bookId": 5, "text": strings.Repeat("x", 2001)}, "bookId text"},
		{object{"bookId": id, "text": "a\x00b"}, "text"},
	} {
		r := send("bob", c.body).wantStatus(400, "")
		for _, f := range strings.Fields(c.fields) {
			if r.fields()[f] == nil {
				t.Errorf("%v: refused as %s", c.body, r)
			}
		}
	}
	send("bob", object{"bookId": id, "text": strings.Repeat("é", 2000)}).wantStatus(201, "")
}

func TestAFloodOfMessagesIsRefusedWithTheTimeToWait(t *testing.T) {
	w := newMarketFixture(t)
	id := w.writesToAnn("Hello").text("conversationId")
	body := object{"conversationId": id, "text": "Hello"}
	for i := range 59 {
		w.post("/api/user/sendMessage", w.as("bob"), with(body, "text", fmt.Sprint("Hello ", i))).wantStatus(201, "")
	}
	r := w.post("/api/user/sendMessage", w.as("bob"), body).wantStatus(429, "rate_limited")
	if wait, err := strconv.Atoi(r.header.Get("Retry-After")); err != nil || wait < 1 || wait > 60 {
		t.Errorf("Retry-After is %q", r.header.Get("Retry-After"))
	}
	w.post("/api/user/sendMessage", w.as("ann"), body).wantStatus(201, "")
}

func TestBlockedPeopleExchangeNoMessages(t *testing.T) {
	w := newMarketFixture(t)
	first := w.writesToAnn("Hello")
	bob, id := first.text("from", "id"), first.text("conversationId")
	for range 2 {
		w.post("/api/user/blockUser", w.as("ann"), object{"userId": bob}).wantStatus(200, "")
	}
	var refusals []string
	for _, who := range []string{"ann", "bob"} {
		refusals = append(refusals, w.post("/api/user/sendMessage", w.as(who), object{"conversationId": id, "text": "Hi"}).wantStatus(403, "messages_refused").text("error"))
	}
	if refusals[0] != refusals[1] {
		t.Errorf("the refusals tell who has blocked whom: %q", refusals)
	}
	if r := w.get("/api/user/getBlocked", w.as("ann")).wantStatus(200, ""); r.text(0, "id") != bob || r.text(0, "firstName") != "Bob" {
		t.Errorf("blocked are %s", r)
	}
	if n := len(w.get("/api/user/getBlocked", w.as("bob")).wantStatus(200, "").list()); n != 0 {
		t.Errorf("a blocked person lists %d", n)
	}
	w.post("/api/user/unblockUser", w.as("ann"), object{"userId": bob}).wantStatus(200, "")
	w.post("/api/user/sendMessage", w.as("bob"), object{"conversationId": id, "text": "Hi"}).wantStatus(201, "")
	w.post("/api/user/blockUser", w.as("bob"), object{"userId": bob}).wantStatus(400, "block_self")
	for _, unknown := range []string{"404", "x", "-1"} {
		w.post("/api/user/blockUser", w.as("ann"), object{"userId": unknown}).wantStatus(404, "not_found")
	}
	for _, path := range []string{"/api/user/blockUser", "/api/user/unblockUser"} {
		w.post(path, w.as("ann"), object{}).wantStatus(400, "invalid_fields")
		w.post(path, "", object{"userId": bob}).wantStatus(http.StatusUnauthorized, "unauthenticated")
	}
}

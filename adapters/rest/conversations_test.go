package rest_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
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
	if all.at(0, "id") != id || all.at(0, "bookName") != "Calculus: Early Transcendentals" || all.at(0, "unread") != 1.0 ||
		all.text(0, "with", "firstName") != "Bob" || all.text(0, "lastMessage", "id") != first.text("id") {
		t.Errorf("the conversations are %s", all)
	}
	notified := w.get("/api/user/getNotifications", w.as("ann")).wantStatus(200, "")
	if notified.text(0, "kind") != "message_received" || notified.text(0, "conversationId") != id {
		t.Errorf("notified of %s", notified)
	}
	w.call(http.MethodHead, "/api/user/getMessages/"+id, w.as("ann"), nil)
	if all := w.get("/api/user/getConversations", w.as("ann")).wantStatus(200, ""); all.at(0, "unread") != 1.0 {
		t.Errorf("after HEAD, which reads nothing, the conversations are %s", all)
	}
	read := w.get("/api/user/getMessages/"+id, w.as("ann")).wantStatus(200, "")
	if read.text(0, "id") != first.text("id") || read.at(0, "readAt") == nil || read.method != "/api/user/getMessages/:conversationId" {
		t.Errorf("the messages are %s", read)
	}
	w.post("/api/user/sendMessage", w.as("ann"), object{"conversationId": id, "text": "<script>alert(1)</script>"}).wantStatus(201, "")
	page := w.get("/api/user/getMessages/"+id+"?limit=1", w.as("bob")).wantStatus(200, "")
	if page.text(0, "text") != "<script>alert(1)</script>" || !strings.Contains(page.header.Get("Link"), "/api/user/getMessages/"+id+"?cursor=") {
		t.Errorf("the page is %s with the link %q", page.raw, page.header.Get("Link"))
	}
}

func TestAConversationOfOthersIsRefusedLikeOneThatDoesNotExist(t *testing.T) {
	w := newMarketFixture(t)
	id := w.writesToAnn("a secret").text("conversationId")
	texts := map[string]bool{}
	for _, one := range append(noIDs, id, "0"+id, id+"%20") {
		texts[w.get("/api/user/getMessages/"+one, w.as("eve")).wantStatus(404, "conversation_not_found").text("error")] = true
		texts[w.post("/api/user/sendMessage", w.as("eve"), object{"conversationId": one, "text": "Hi"}).wantStatus(404, "conversation_not_found").text("error")] = true
	}
	if len(texts) != 1 {
		t.Errorf("the refusals differ: %v", texts)
	}
}

func TestAMessageThatCannotBeSentIsRefusedWithItsReason(t *testing.T) {
	w := newMarketFixture(t)
	id := w.posted("ann")
	const path = "/api/user/sendMessage"
	w.refuses(
		refusal{"ann", path, object{"bookId": id, "text": "Hi"}, 409, "own_book", ""},
		refusal{"bob", path, object{"bookId": "x", "text": "Hi"}, 404, "book_not_found", ""},
		refusal{"bob", path, object{"text": "Hi"}, 400, "", "conversationId"},
		refusal{"bob", path, object{"bookId": id, "conversationId": "1", "text": "Hi"}, 400, "", "bookId"},
		refusal{"bob", path, object{"bookId": id, "text": " \n"}, 400, "", "text"},
		refusal{"bob", path, object{"bookId": id, "text": strings.Repeat("x", 2001)}, 400, "", "text"},
		refusal{"bob", path, object{"bookId": id, "text": "a\x00b"}, 400, "", "text"},
	)
	talk := object{"conversationId": w.writesToAnn("Hello").text("conversationId"), "text": "Hello"}
	for i := range 59 {
		w.post(path, w.as("bob"), with(talk, "text", fmt.Sprint("Hello ", i))).wantStatus(201, "")
	}
	r := w.post(path, w.as("bob"), talk).wantStatus(429, "rate_limited")
	if wait, err := strconv.Atoi(r.header.Get("Retry-After")); err != nil || wait < 1 || wait > 60 {
		t.Errorf("Retry-After is %q", r.header.Get("Retry-After"))
	}
}

func TestBlockedPeopleExchangeNoMessages(t *testing.T) {
	w := newMarketFixture(t)
	first := w.writesToAnn("Hello")
	bob, talk := first.text("from", "id"), object{"conversationId": first.text("conversationId"), "text": "Hi"}
	for range 2 {
		w.post("/api/user/blockUser", w.as("ann"), object{"userId": bob}).wantStatus(200, "")
	}
	var refusals []string
	for _, who := range []string{"ann", "bob"} {
		refusals = append(refusals, w.post("/api/user/sendMessage", w.as(who), talk).wantStatus(403, "messages_refused").text("error"))
	}
	if refusals[0] != refusals[1] {
		t.Errorf("the refusals tell who has blocked whom: %q", refusals)
	}
	if r := w.get("/api/user/getBlocked", w.as("ann")).wantStatus(200, ""); r.text(0, "id") != bob || r.text(0, "firstName") != "Bob" {
		t.Errorf("blocked are %s", r)
	}
	w.post("/api/user/unblockUser", w.as("ann"), object{"userId": bob}).wantStatus(200, "")
	w.post("/api/user/sendMessage", w.as("bob"), talk).wantStatus(201, "")
	w.refuses(refusal{"bob", "/api/user/blockUser", object{"userId": bob}, 400, "block_self", ""})
	for _, unknown := range noIDs {
		w.refuses(refusal{"ann", "/api/user/blockUser", object{"userId": unknown}, 404, "not_found", ""})
	}
}

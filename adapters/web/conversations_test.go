package web_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
)

// talk writes to the seller of a book and returns the page of the conversation and its id.
func (v *visit) talk(book, text string) (p page, id string) {
	v.t.Helper()
	p = v.send("/conversation", "book", book, "text", text)
	_, id, ok := strings.Cut(p.at, "/conversation?id=")
	if !ok {
		v.t.Fatalf("sent to %s: %s", p.at, p.body)
	}
	return p, id
}

func TestBuyerAndSellerWriteToEachOther(t *testing.T) {
	c := newCampus(t)
	ada, ben := c.student("Ada"), c.student("Ben")
	id := ada.offers("Linear <Algebra>", "40")
	ben.open("/book?id="+id).shows(200, `href="/conversation?book=`+id+`"`, "Message the seller")
	ben.open("/conversation?book="+id).shows(200, "Linear <Algebra>", `value="Is the book still available?"`, "Send").lacks("ada@campus.edu")
	p, talk := ben.talk(id, "Hello <script>alert(1)</script>\nsee https://evil.example/x")
	p.shows(200, "Hello <script>alert(1)</script>\nsee https://evil.example/x").lacks(`href="https://evil`)
	if strings.Contains(p.body, "<script>alert") {
		t.Error("the page runs the script in a message")
	}
	if p := ben.open("/conversation?book=" + id); p.at != "/conversation?id="+talk {
		t.Errorf("the second visit is led to %s", p.at)
	}
	ada.open("/me").shows(200, "1 unread message", `href="/messages"`)
	ada.open("/messages").shows(200, "Ben: Linear <Algebra>", "1 unread message", "Hello <script>")
	ada.open("/notifications").shows(200, "You have a new message about “Linear <Algebra>”.", `href="/conversation?id=`+talk+`"`)
	ada.exchange("HEAD", "/conversation?id="+talk, nil) // reads nothing
	ada.open("/me").shows(200, "1 unread message")
	ada.open("/conversation?id="+talk).shows(200, `value="Yes, the book is still available."`, "Ben ·").lacks("1 unread message", `href="https://evil`)
	ada.open("/me").lacks("unread message")
	ada.send("/conversation", "id", talk, "book", id, "text", "Yes: https://campus.example/map, room 2").
		shows(200, `<a href="https://campus.example/map" rel="noopener nofollow ugc">https://campus.example/map</a>, room 2`, `<a href="https://evil.example/x" rel="noopener nofollow ugc">`)
	ben.open("/conversation?id="+talk).shows(200, "You ·", "· read", `rel="noopener nofollow ugc"`)
	ben.lang = "fr"
	ben.open("/conversation?id="+talk).shows(200, "Votre message", "Bloquer cette personne")
}

func TestAConversationThatOneIsNoPartOfDoesNotExist(t *testing.T) {
	c := newCampus(t)
	ada, ben, adam := c.student("Ada"), c.student("Ben"), c.staff("Adam", user.Owner)
	id := ada.offers("Algebra", "40")
	_, talk := ben.talk(id, "a secret")
	adam.open("/messages").shows(200, "No messages yet.").lacks("secret")
	adam.open("/conversation?book="+id).shows(200, "Is the book still available?").lacks("secret")
	adam.send("/conversation", "id", talk, "text", "Hi").shows(404)
	for _, path := range []string{"/conversation?id=" + talk, "/conversation", "/conversation?id=x", "/conversation?book=x", "/conversation?id=0"} {
		adam.open(path).shows(404, "does not exist.").lacks("secret", "Ben")
	}
	for _, path := range []string{"/conversation?id=" + talk, "/messages", "/messages/blocked"} {
		if p := c.visitor().open(path); !strings.HasPrefix(p.at, "/login") {
			t.Errorf("a visitor of %s is led to %s", path, p.at)
		}
	}
	ada.open("/conversation?book="+id).shows(409, "This is your own book")
	ada.send("/conversation", "book", id, "text", "Me").shows(409, "This is your own book")
}

func TestAMessageThatIsRefusedStaysInTheForm(t *testing.T) {
	c := newCampus(t)
	ada, ben := c.student("Ada"), c.student("Ben")
	id := ada.offers("Algebra", "40")
	ben.send("/conversation", "book", id, "text", strings.Repeat("x", 2001)).shows(400, "Write a message of 1 to 2,000 characters.", "xxxx</textarea>")
	_, talk := ben.talk(id, "Hello")
	ben.send("/conversation", "id", talk, "text", " ").shows(400, "Write a message of 1 to 2,000 characters.", "Hello")
}

func TestABlockedPersonCannotWriteUntilUnblocked(t *testing.T) {
	c := newCampus(t)
	ada, ben := c.student("Ada"), c.student("Ben")
	id := ada.offers("Algebra", "40")
	_, talk := ben.talk(id, "Hello")
	p := ada.open("/conversation?id=" + talk)
	_, rest, _ := strings.Cut(p.body, `action="/conversation/block"`)
	_, rest, _ = strings.Cut(rest, `name="id" value="`)
	who, _, _ := strings.Cut(rest, `"`)
	ada.send("/conversation/block", "id", who, "back", "/conversation?id="+talk).shows(200, "You have blocked this person.", "Unblock").lacks(`id="reply"`)
	ben.send("/conversation", "id", talk, "text", "Hello?").shows(403, "You and this person do not exchange messages.")
	ben.open("/conversation?id="+talk).shows(200, `id="reply"`).lacks("blocked this person")
	ada.open("/messages/blocked").shows(200, "Ben", "Unblock")
	ada.send("/conversation/unblock", "id", who, "back", "/messages/blocked").shows(200, "You have not blocked anybody.")
	ben.send("/conversation", "id", talk, "text", "Hello again").shows(200, "Hello again")
	ada.send("/conversation/block", "id", "404").shows(404)
}

func TestAnOrderLinksToItsConversation(t *testing.T) {
	c := newCampus(t)
	ada, ben := c.student("Ada"), c.student("Ben")
	id := ada.offers("Algebra", "40")
	_, talk := ben.talk(id, "Hello")
	ben.buys(id)
	_, order := ben.order()
	ben.open("/order?id="+order).shows(200, "Message Ada", `href="/conversation?book=`+id+`"`)
	ada.open("/order?id="+order).shows(200, "Message Ben")
	for _, v := range []*visit{ada, ben} {
		if p := v.open("/conversation?book=" + id); p.at != "/conversation?id="+talk {
			t.Errorf("the order leads to %s", p.at)
		}
	}
}

package e2e_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/octavo-books/octavo/test/e2e"
)

func TestTwoBrowsersHoldAConversationLive(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t)
	ada := s.Student("ada@campus.edu", "Ada")
	s.Student("ben@campus.edu", "Ben")
	id := ada.Post(t, "Topology <and> Knots", "MTH 440")
	buyer, seller := openBrowser(t, s.URL), openBrowser(t, s.URL)
	buyer.signIn("ben@campus.edu")
	seller.signIn("ada@campus.edu")
	seller.open("/messages")
	seller.text("No messages yet.")

	buyer.open("/book?id=" + id)
	buyer.follow("/conversation?book=" + id)
	buyer.do(chromedp.Click(chromedp.CSS(`form.quick button`)))
	buyer.await(`document.querySelector(".talk")?.innerText ?? ""`, "Is the book still available?")

	seller.open("/messages")
	seller.follow("/conversation?id=")
	seller.await(`document.querySelector(".talk")?.innerText ?? ""`, "Is the book still available?")
	seller.typed("text", "a half-written answer")

	for _, text := range []string{"I can pay <b>cash</b>.", "Or come by https://map.example.edu/library", "Hello?"} {
		buyer.say(text)
		seller.await(`document.querySelector(".talk").innerText`, text)
	}
	seller.await(`document.querySelector("#reply textarea").value`, "a half-written answer") // new messages leave it alone
	seller.await(`String(document.querySelectorAll(".talk a").length)`, "0")

	seller.do(chromedp.Click(chromedp.CSS(`form#reply button`)))
	buyer.await(`document.querySelector(".talk").innerText`, "a half-written answer")
	seller.say("Tomorrow at noon?")
	buyer.await(`document.querySelector(".talk").innerText`, "Tomorrow at noon?")
	seller.await(`document.querySelector(".talk a")?.rel ?? ""`, "noopener nofollow ugc") // both have written

	seller.do(chromedp.Click(chromedp.CSS(`form[action="/conversation/block"] button`)))
	seller.text("You have blocked this person.")
	mail := s.Mail("ada@campus.edu", "message_received")
	if mail.Link == nil || *mail.Link == "" {
		t.Fatalf("the mail has no link: %+v", mail)
	}
	seller.do(chromedp.Navigate(*mail.Link))
	seller.text("I can pay <b>cash</b>.")
}

// say sends a message from the page of a conversation.
func (b *tab) say(text string) {
	b.t.Helper()
	b.typed("text", text)
	b.do(chromedp.Click(chromedp.CSS(`form#reply button`)))
	b.await(`document.querySelector(".talk").innerText`, text)
	b.await(`"empty " + (document.querySelector("#reply textarea").value === "")`, "empty true")
}

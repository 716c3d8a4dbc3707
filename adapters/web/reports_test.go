package web_test

import (
	"html"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
)

// link returns where the first link with a text leads.
func (p page) link(text string) string {
	p.t.Helper()
	found := regexp.MustCompile(`<a[^>]* href="([^"]*)"[^>]*>` + regexp.QuoteMeta(text)).FindStringSubmatch(p.body)
	if found == nil {
		p.t.Fatalf("%s has no link %q: %s", p.at, text, p.body)
	}
	return html.UnescapeString(found[1])
}

func TestAReportedSellerIsSuspendedWithinTwoClicksAndTheirBooksAreGone(t *testing.T) {
	c := newCampus(t)
	ann, bob, adam := c.student("Ann"), c.student("Bob"), c.staff("Adam", user.Admin)
	id := ann.offers("Calculus", "40")
	form := bob.open(bob.open("/book?id="+id).shows(200).link("Report this book")).shows(200, "Report “Calculus”", "What is wrong?", "Spam or fraud")
	back := form.hidden("back")
	bob.send("/report", "book", id, "back", back, "reason", "wrong", "text", "<script>alert(1)</script>\r\nBcc: all").shows(200, "Thank you. An admin will look at it.", "Calculus")
	bob.send("/report", "book", id, "reason", "wrong").shows(409, "You have reported this already.")

	queue := adam.open("/dashboard/reports").shows(200, "Calculus", "Not as described", `Reports <span class="count"><span aria-hidden="true">1<`, "waiting for 0 days")
	if strings.Contains(queue.body, "<script>alert") {
		t.Error("the page runs the reporter's script")
	}
	adam.open(queue.link("Calculus")).shows(200, "40.00 USD", "Campus", "Bob", "Unlist the book").lacks("Decision")
	decision := adam.open(queue.link("Suspend the person")).shows(200, "Not as described</textarea>", "their books are unlisted")
	for range 2 { // a second press is not an error
		adam.send("/dashboard/reports/decide", "id", decision.hidden("id"), "action", decision.hidden("action"), "note", "Not as\r\ndescribed").
			shows(200, "The decision is stored", "Nothing waits to be looked at.")
	}
	adam.send("/dashboard/reports/decide", "id", decision.hidden("id"), "action", "dismiss").shows(409, "An admin has already decided")
	bob.open("/book?id=" + id).shows(404)
	ann.open("/mine").shows(200, "Password").lacks("My books</h1>")
	done := adam.open("/dashboard/reports?state=done").shows(200, "Calculus", "Suspended", "Adam")
	adam.open(done.link("Calculus")).shows(200, "Decision", "Suspended").lacks("Unlist the book")
	if m := c.LastMail(t, message.Suspended, "ann@campus.edu"); m.Params[message.ParamReason] != "Not as described" {
		t.Errorf("mailed %+v", m)
	}
}

func TestOnlyAdminsSeeReports(t *testing.T) {
	c := newCampus(t)
	ann, bob, adam := c.student("Ann"), c.student("Bob"), c.staff("Adam", user.Admin)
	bob.buys(ann.offers("Calculus", "40"))
	order := bob.open(bob.open("/purchases").link("Calculus"))
	seller := order.link("Report a problem")
	bob.open(seller).shows(200, "What is wrong?")
	person := regexp.MustCompile(`person=(\d+)`).FindStringSubmatch(seller)[1]
	c.student("Eve").send("/report", "person", person, "reason", "abuse").shows(404)
	bob.send("/report", "person", person, "reason", "abuse", "text", "Rude.").shows(200, "Thank you.")
	bob.send("/report", "person", person, "book", "1", "reason", "abuse").shows(400, "exactly one")
	about := adam.open("/dashboard/reports").link("Ann")
	for _, path := range []string{"/dashboard/reports", "/dashboard/reports?state=done", about, strings.Replace(about, "/report?", "/decide?action=suspend&", 1)} {
		bob.open(path).shows(403)
	}
	bob.send("/dashboard/reports/decide", "id", "1", "action", "dismiss").shows(403)
	adam.open("/dashboard/reports/report?id=4242").shows(404)
	adam.open("/dashboard/people/person?id="+person).shows(200, "Reports", "Abuse or harassment")
	adam.open(strings.Replace(about, "/report?", "/decide?action=unlist&", 1)).shows(400)
	again := adam.open(strings.Replace(about, "/report?", "/decide?action=warn&", 1))
	adam.send("/dashboard/reports/decide", "id", again.hidden("id"), "action", "warn", "note", " ").shows(400, "at most 300 characters")
	adam.send("/dashboard/reports/decide", "id", again.hidden("id"), "action", "warn", "note", "Be kind.").shows(200, "The decision is stored")
}

func TestAdminsReadAConversationOnlyThroughAReport(t *testing.T) {
	c := newCampus(t)
	ada, ben, adam := c.student("Ada"), c.student("Ben"), c.staff("Adam", user.Admin)
	_, talk := ben.talk(ada.offers("Algebra", "40"), "give me your <b>number</b>")
	adam.open("/conversation?id=" + talk).shows(404)
	ada.open("/conversation?id="+talk).shows(200, `href="/report?conversation=`+talk+`&back=%2fconversation%3fid%3d`+talk+`"`, "Report this conversation")
	ada.open("/report?conversation="+talk).shows(200, "Abuse")
	ada.send("/report", "conversation", talk, "reason", "abuse", "text", "Not nice.").shows(200)
	p := adam.open("/dashboard/reports").shows(200, "Not nice.")
	_, rest, _ := strings.Cut(p.body, `href="/dashboard/reports/report?id=`)
	id, _, _ := strings.Cut(rest, `"`)
	adam.open("/dashboard/reports/report?id="+id).shows(200, "give me your <b>number</b>", "Ben")
	adam.open("/conversation?id=" + talk).shows(404)
}

func TestBothSidesRateASaleOnThePageOfTheOrder(t *testing.T) {
	c := newCampus(t)
	ann, adam := c.student("Ann"), c.staff("Adam", user.Admin)
	var last page
	for _, name := range []string{"Bob", "Cat", "Eve"} {
		buyer := c.student(name)
		buyer.buys(ann.offers("Calculus", "40"))
		order := buyer.open("/purchases").link("Calculus")
		buyer.open(order).shows(200).lacks("Was it as described?")
		adam.take(adam.step("confirm", adam.open("/dashboard/orders?status=1")), "confirm")
		adam.take(adam.step("pay", adam.open("/dashboard/orders?status=2")), "pay")
		asked := buyer.open(order).shows(200, "Was it as described?")
		id := asked.hidden("id")
		buyer.send("/order/rate", "id", id, "described", "yes", "text", strings.Repeat("x", 201)).shows(400, "at most 200 characters")
		last = buyer.send("/order/rate", "id", id, "described", "yes", "text", "<b>Thanks</b>").shows(200, "Thank you. You can change it", "The buyer says", "as described")
		if strings.Contains(last.body, "<b>Thanks") {
			t.Error("the page shows the buyer's markup")
		}
	}
	c.student("Zoe").open("/book?id="+ann.offers("Algebra", "20")).shows(200, "3 sales", "3 of 3 as described").lacks("Thanks")
	c.student("Max").send("/order/rate", "id", last.hidden("id"), "described", "no").shows(404)
}

func TestTheReportOfASellerNamesThePersonAndTheOrder(t *testing.T) {
	c := newCampus(t)
	ann, bob, adam := c.student("Ann"), c.student("Bob"), c.staff("Adam", user.Admin)
	bob.buys(ann.offers("Calculus", "40"))
	_, id := bob.order()
	shown := bob.open("/order?id=" + id)
	form := bob.open(shown.link("Report a problem")).shows(200, "<h1>Report Ann</h1>", "You are reporting Ann because of order", "“Calculus”")
	code := regexp.MustCompile(`[0-9A-Z]{4}-[0-9A-Z]{4}`).FindString(form.body)
	bob.send("/report", "person", form.hidden("person"), "order", form.hidden("order"), "reason", "", "text", "Rude.").shows(400, "Report Ann", "Rude.")
	bob.send("/report", "person", form.hidden("person"), "order", form.hidden("order"), "reason", "abuse", "back", form.hidden("back")).shows(200, "Thank you.")
	found := adam.open(adam.open("/dashboard/reports").link("Ann")).shows(200, code)
	adam.open(found.link(code)).shows(200, "Calculus", code)
	seller := ann.open(ann.open("/order?id="+id).link("Report a problem")).shows(200, "Report Bob")
	ann.open("/report?person=" + seller.hidden("person") + "&order=4242").shows(404)
	bob.lang = "fr"
	bob.open(shown.link("Report a problem")).shows(200, "<h1>Signaler Ann</h1>", "«\u00a0Calculus\u00a0»")
}

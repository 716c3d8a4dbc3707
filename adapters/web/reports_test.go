package web_test

import (
	"errors"
	"fmt"
	"mime/multipart"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/fake"
)

// link returns where the first link with a text leads.
func (p page) link(text string) string {
	p.t.Helper()
	found := regexp.MustCompile(`<a[^>]* href="([^"]*)"[^>]*>` + regexp.QuoteMeta(text)).FindStringSubmatch(p.read())
	if found == nil {
		p.t.Fatalf("%s has no link %q: %s", p.at, text, p.body)
	}
	return found[1]
}

func TestAReportedSellerIsSuspendedWithinTwoClicksAndTheirBooksAreGone(t *testing.T) {
	c := newCampus(t)
	ann, bob, adam := c.student("Ann"), c.student("Bob"), c.staff("Adam", user.Admin)
	id := ann.offers("Calculus", "40")
	form := bob.open(bob.open("/book?id="+id).shows(200).link("Report this book")).shows(200, "Report “Calculus”", "What is wrong?", "Spam or fraud")
	back := form.hidden("back")
	bob.send("/report", "book", id, "back", back, "reason", "wrong", "text", "<script>alert(1)</script>\r\nBcc: all").shows(200, "Thank you. An admin will look at it.", "Calculus")
	bob.send("/report", "book", id, "reason", "wrong").shows(409, "You have reported this already.")

	queue := adam.open("/dashboard/reports").shows(200, "Calculus", "Not as described", `Reports <span class="count"><span aria-hidden="true">1<`, "waiting for less than a day")
	if strings.Contains(queue.body, "<script>alert") {
		t.Error("the page runs the reporter's script")
	}
	adam.open(queue.link("Calculus")).shows(200, "$40.00", "Campus", "Bob", "Unlist the book").lacks("Decision")
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
	person := c.idOf("Ann")
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

func TestBothSidesOfAnOrderAndAdminsSeeAProblemWithItsPhotos(t *testing.T) {
	c := newCampus(t)
	ann, bob, eve, adam := c.student("Ann"), c.student("Bob"), c.student("Eve"), c.staff("Adam", user.Admin)
	bob.buys(ann.offers("Calculus", "40"))
	_, id := bob.order()
	bob.open(bob.open("/order?id="+id).link("Report a problem")).shows(200, "<h1>Report a problem</h1>", "Calculus", "Ann is told and reads what you write")
	eve.open("/order/problem?id=" + id).shows(404)
	bob.reportsProblem(id, "", "Half of the pages are missing.").shows(400, "Half of the pages", "Choose what is wrong")
	told := bob.reportsProblem(id, "wrong", "Half of the pages are missing.", string(fake.Picture), "no picture").
		shows(400, "IMG_2.jpg was not added", "1 other photo was added", "You can add 3 more photos.")
	picture := regexp.MustCompile(`/problem/photos/\d+/thumb`).FindString(told.body)
	for _, v := range []*visit{ann, bob, adam} {
		v.open(picture).shows(200)
		v.open(strings.TrimSuffix(picture, "/thumb")).shows(200)
	}
	eve.open(picture).shows(404)
	c.visitor().open(picture).shows(404)
	seller := ann.open("/order?id="+id).shows(200, "Reported problem", "Half of the pages are missing.", picture, "An admin looks at it.")
	ann.open(seller.link("Say what you have seen")).shows(200, "<h1>Say what you have seen</h1>", "Half of the pages")
	ann.reportsProblem(id, "other", "They were there.").shows(200, "the other side has been told", "They were there.")
	adam.open(strings.TrimSuffix(adam.open("/dashboard/orders/queue").shows(200, "A problem was reported").link("A problem was reported"), "#problem")).shows(200, "Half of the pages")
	seen := adam.open(adam.open("/dashboard/reports").shows(200, "Not as described").link("Calculus")).
		shows(200, "Half of the pages", "They were there.", picture, "What has happened", "Ordered", "Settle or cancel the order")
	adam.open(seen.link("Close the case")).shows(200, "Both sides are told")
	adam.send("/dashboard/reports/decide", "id", regexp.MustCompile(`id=(\d+)`).FindStringSubmatch(seen.link("Close the case"))[1], "action", "dismiss").shows(200, "Nothing waits")
	bob.open("/order?id="+id).shows(200, "An admin has looked at it.", "Report a problem")
	bob.lang = "fr"
	bob.open("/order/problem?id="+id).shows(200, "<h1>Signaler un problème</h1>")
}

// reportsProblem sends the form about an order.
func (v *visit) reportsProblem(id, reason, text string, pictures ...string) page {
	v.t.Helper()
	return v.arrives("/order/problem", fmt.Sprintf("POST /order/problem with %d photos of order %s", len(pictures), id), v.upload("/order/problem", func(form *multipart.Writer) error {
		err := errors.Join(form.WriteField("id", id), form.WriteField("reason", reason), form.WriteField("text", text))
		for i, picture := range pictures {
			err = errors.Join(err, file(form, "photo", fmt.Sprintf("IMG_%d.jpg", i+1), picture))
		}
		return err
	}))
}

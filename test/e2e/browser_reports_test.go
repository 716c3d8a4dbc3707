package e2e_test

import (
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/octavo-books/octavo/test/e2e"
)

func TestAReportedSellerIsSuspendedWithinTwoClicksInABrowser(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t)
	ada, ben := s.Student("ada@campus.edu", "Ada"), s.Student("ben@campus.edu", "Ben")
	s.Student("root@campus.edu", "Root")
	if out, code := s.Octavo("users", "promote", "root@campus.edu", "--role", "admin"); code != 0 {
		t.Fatalf("promote: %s", out)
	}
	reported, sold := ada.Post(t, "Linear Algebra <script>alert(1)</script>", "MTH 165"), ada.Post(t, "Topology", "MTH 440")
	ben.Must(t, 201, "POST", "/api/books/checkoutCart", map[string]any{"bookIds": []string{sold}})

	b := openBrowser(t, s.URL)
	b.signIn("ben@campus.edu")
	b.open("/book?id=" + reported)
	b.follow("/report?book=")
	b.text("What is wrong?")
	b.typed("text", "A photocopy.")
	b.press("/report")
	b.text("Thank you. An admin will look at it.")
	b.press("/logout")
	b.text("You are signed out.")

	b.signIn("root@campus.edu")
	b.open("/dashboard/reports")
	b.text("A photocopy.")
	b.do(chromedp.Click(chromedp.CSS(`a[href^="/dashboard/reports/decide"][href$="action=suspend"]`))) // the first click
	b.text("their books are unlisted")
	b.press("/dashboard/reports/decide") // the second click
	b.text("Nothing waits to be looked at.")

	e2e.Client{URL: s.URL}.Must(t, 404, "GET", "/api/books/getBook/"+reported, nil)
	ada.Must(t, 401, "GET", "/api/user/getUserData", nil)
	var orders []struct{ Status int }
	ben.Must(t, 200, "GET", "/api/user/getOrders", nil).Data(t, &orders)
	if len(orders) != 1 || orders[0].Status != -1 {
		t.Errorf("the buyer's orders are %+v", orders)
	}
	s.Mail("ada@campus.edu", "suspended")
}

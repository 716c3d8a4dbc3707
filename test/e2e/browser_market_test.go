package e2e_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/octavo-books/octavo/test/e2e"
)

// typed fills in fields by their names, by keyboard.
func (b *tab) typed(pairs ...string) {
	b.t.Helper()
	for i := 0; i+1 < len(pairs); i += 2 {
		radio := `[type="radio"][name="` + pairs[i] + `"]`
		if choices, err := chromedp.Run(b.ctx, chromedp.Evaluate[int](`document.querySelectorAll('`+radio+`').length`)); err == nil && choices > 0 {
			b.do(chromedp.Click(chromedp.CSS(radio + `[value="` + pairs[i+1] + `"]`)))
			continue
		}
		b.do(chromedp.SendKeys(chromedp.CSS(`[name="`+pairs[i]+`"]`), pairs[i+1]))
	}
}

// press clicks the submit button of the form with an action.
func (b *tab) press(action string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.CSS(`form[method="post"][action="` + action + `"] button`)))
}

// follow clicks the link whose address begins with a text.
func (b *tab) follow(address string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.CSS(`main a[href^="` + address + `"]`)))
}

// ask clicks the button that opens the page at an address.
func (b *tab) ask(page string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.CSS(`form[method="get"][action="` + page + `"] button`)))
	b.await("location.pathname", page)
}

// signIn types address and password and the Enter key.
func (b *tab) signIn(email string) {
	b.t.Helper()
	b.open("/login")
	b.typed("email", email, "password", e2e.Password+"\r")
	b.await(`document.querySelector("form[action='/logout']") ? "signed in" : ""`, "signed in")
}

func TestStudentsTradeAndStaffProcessOrdersInABrowser(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t)
	b := openBrowser(t, s.URL)
	b.signsUpAsAda(s)
	s.Student("ben@campus.edu", "Ben").Must(t, 201, "POST", "/api/books/requestBook", map[string]any{"name": "linear algebra", "course": "MTH 165"})
	b.sellsAlgebra()
	s.Mail("ben@campus.edu", "match_found")
	b.open("/")
	b.typed("q", "linaer alg") // the list under the field is filled while one types
	b.await(`document.querySelector("#q").list?.options[0]?.value ?? ""`, "Linear Algebra <and> Its Applications")
	b.buysTheMatchAsBen()

	root := s.Student("root@campus.edu", "Root")
	s.Promote("root@campus.edu", "owner")
	root.Must(t, 200, "GET", "/api/dashboard/getStatistics", nil)
	root.Post(t, "Topology", "MTH 440")
	b.signIn("root@campus.edu")
	b.paysTheSaleOfAlgebra()
	b.unlistsAndRelistsTopology()
	b.open("/dashboard/people?search=ada")
	b.press("/dashboard/people/promote")
	b.text("The role was changed")
	b.open("/dashboard/audit")
	b.text("Paid a seller")
	s.Mail("ada@campus.edu", "payment_sent")
}

func (b *tab) signsUpAsAda(s *e2e.Server) {
	b.t.Helper()
	b.open("/")
	b.text("No books for sale yet.")
	b.open("/signup")
	b.typed("email", "ada@campus.edu", "password", e2e.Password, "firstName", "Ada", "lastName", "Byron",
		"university", "Campus\r")
	b.text("Check your email")
	b.do(chromedp.Navigate(*s.Mail("ada@campus.edu", "verification").Link), chromedp.Click(chromedp.CSS("form button")))
	b.text("Welcome! Your address is confirmed, and you are signed in.")
}

func (b *tab) sellsAlgebra() {
	b.t.Helper()
	b.open("/sell")
	b.typed("name", "Linear Algebra <and> Its Applications", "course", "MTH 165", "edition", "1", "price", "42.50", "condition", "Good", "campusMailbox", "12", "paymentUsername", "ada")
	b.press("/sell")
	b.text("Your book is listed.")
	b.press("/logout")
	b.text("You are signed out.")
}

func (b *tab) buysTheMatchAsBen() {
	b.t.Helper()
	b.signIn("ben@campus.edu")
	b.text("Notifications")
	b.open("/notifications")
	b.text("“Linear Algebra <and> Its Applications” is for sale and matches your request.")
	b.open("/wanted")
	b.text("same course as your request: linear algebra")
	b.press("/cart/add")
	b.text("The book is in your cart.")
	b.open("/cart")
	b.text("Buy for $44.63")
	b.press("/cart/buy")
	b.text("Your order is placed.")
	b.text("Seller: Ada Byron")
	b.press("/logout")
	b.text("You are signed out.")
}

func (b *tab) paysTheSaleOfAlgebra() {
	b.t.Helper()
	b.open("/dashboard/orders")
	b.follow("/dashboard/orders/confirm?")
	b.text("ben@campus.edu")
	b.press("/dashboard/orders/confirm")
	b.text("The condition is verified and the buyer has been charged.")
	b.follow("/dashboard/orders/pay?")
	b.text("ada@campus.edu")
	b.press("/dashboard/orders/pay")
	b.text("The book is delivered and the seller has been paid.")
	b.open("/dashboard")
	b.text("$42.50")
}

func (b *tab) unlistsAndRelistsTopology() {
	b.t.Helper()
	b.open("/dashboard/books")
	b.do(chromedp.Click(chromedp.CSS(`input[name="book"]`)))
	b.ask("/dashboard/books/unlist")
	b.text("1 book will be unlisted. Only an admin can relist it.")
	b.typed("reason", "Not a textbook.")
	b.press("/dashboard/books/unlist")
	b.text("1 book has been unlisted.")
	b.follow("/dashboard/books/book?id=")
	b.text("Not a textbook.")
	b.press("/dashboard/books/relist")
	b.text("Relisted the book")
}

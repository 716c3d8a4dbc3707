package web_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
)

// step opens the confirmation page of a step for the first sale in a list.
func (v *visit) step(what string, list page) page {
	v.t.Helper()
	return v.open(after2(v.t, list.body, "/dashboard/orders/"+what+"?"))
}

// take presses the button of a confirmation page.
func (v *visit) take(p page, what string) page {
	v.t.Helper()
	return v.send("/dashboard/orders/"+what, "id", p.hidden("id"), "sale", p.hidden("sale"), "back", p.hidden("back"))
}

func TestASecondClickChargesNobodyElse(t *testing.T) {
	c := newCampus(t)
	ada, ben, cay, adam := c.student("Ada"), c.student("Ben"), c.student("Cay"), c.staff("Adam", user.Admin)
	ben.buys(ada.offers("Algebra", "40"))
	cay.buys(ada.offers("Geometry", "20"))
	list := adam.open("/dashboard/orders?status=1").shows(200, "Algebra", "Geometry", "Condition verified: charge the buyer").
		lacks(`method="post" action="/dashboard/orders/confirm"`)
	asked := adam.step("confirm", list).shows(200, "Geometry", "Cay Doe", "cay@campus.edu", "Charge $21.00")
	for range 2 { // pressing it twice charges once and is not an error
		adam.take(asked, "confirm").shows(200, "“Geometry” – The condition is verified and the buyer has been charged.", "Algebra").lacks("Geometry</a>")
	}
	cay.open("/purchases").shows(200, "Geometry").lacks(`class="pending">condition verified`)
	ben.open("/purchases").shows(200, "Algebra", `class="pending">condition verified`)
	adam.step("confirm", list).shows(409, "status does not allow", `href="/dashboard/orders?status=1"`)

	list = adam.open("/dashboard/orders?status=2").shows(200, "Delivered: pay the seller").lacks(`method="post" action="/dashboard/orders/pay"`)
	asked = adam.step("pay", list).shows(200, "Geometry", "Ada Doe", "payment username pay-Ada", "Pay $20.00").lacks("cay@campus.edu")
	for range 2 {
		adam.take(asked, "pay").shows(200, "“Geometry” – The book is delivered and the seller has been paid.", "No results.")
	}
	adam.open("/dashboard/orders?status=1").shows(200, "Algebra").lacks("Geometry")
	if p := adam.open("/dashboard/orders/confirm"); p.at != "/dashboard/orders" {
		t.Errorf("after signing in, the path is %s, want /dashboard/orders", p.at)
	}
	adam.open("/dashboard/orders/pay?id=1&sale=1").shows(404)
	ada.open("/dashboard/orders/confirm?id=1&sale=1").shows(403)
}

func TestBuyerAndSellerSeeWhyASaleWasCancelled(t *testing.T) {
	c := newCampus(t)
	ada, ben, cay, adam := c.student("Ada"), c.student("Ben"), c.student("Cay"), c.staff("Adam", user.Admin)
	id := ada.offers("Linear <Algebra>", "40")
	ben.buys(id)
	cancel := func(reason, head string) {
		p := adam.step("cancel", adam.open("/dashboard/orders")).shows(200, head, "Linear <Algebra>", "$42.00", "Ada Doe")
		for range 2 { // pressing it twice is not an error
			adam.send("/dashboard/orders/cancel", "id", p.hidden("id"), "sale", p.hidden("sale"), "reason", reason, "back", "/dashboard/orders").shows(200, "The buyer and the seller have been notified")
		}
	}
	cancel("A page is <missing>.", "Cancel the sale")
	ben.open("/purchases").shows(200, "Linear <Algebra>", "cancelled", "A page is <missing>.", "You were not charged.", `href="/?q=Linear%20%3cAlgebra%3e"`).
		lacks("You have not bought any books yet", "ada@campus.edu")
	ada.open("/sales").shows(200, "Linear <Algebra>", "cancelled", "A page is <missing>.").lacks("You have not sold any books yet", "ben@campus.edu", "You were")

	cay.buys(id)
	list := adam.open("/dashboard/orders?status=1")
	adam.take(adam.step("confirm", list), "confirm")
	cancel("Found in the library.", "Refund the buyer")
	cay.open("/purchases").shows(200, "Found in the library.", "You were refunded $42.00.").lacks("A page is", "not charged")
	cay.lang, ada.lang = "fr", "fr"
	cay.open("/purchases").shows(200, "annulé", "Found in the library.", "42,00\u00a0$ vous ont été remboursés.")
	sales := ada.open("/sales").shows(200, "annulé", "A page is <missing>.", "Found in the library.")
	if n := strings.Count(sales.body, "<h2>"); n != 2 {
		t.Errorf("the seller sees %d sales, want 2", n)
	}
}

func TestAnOldPageCannotChangeALaterSaleOfTheBook(t *testing.T) {
	c := newCampus(t)
	ada, ben, cay, adam := c.student("Ada"), c.student("Ben"), c.student("Cay"), c.staff("Adam", user.Admin)
	id := ada.offers("Linear Algebra", "40")
	ben.buys(id)
	old := adam.step("cancel", adam.open("/dashboard/orders").shows(200, "ben@campus.edu"))
	press := func(what string) page {
		return adam.send("/dashboard/orders/"+what, "id", old.hidden("id"), "sale", old.hidden("sale"), "reason", "Ben has left.", "back", "/dashboard/orders")
	}
	press("cancel").shows(200, "The buyer and the seller have been notified")
	cay.buys(id)
	for _, what := range []string{"cancel", "confirm", "pay"} {
		press(what).shows(409, "status does not allow")
	}
	cay.open("/purchases").shows(200, "Linear Algebra")
	old = adam.step("cancel", adam.open("/dashboard/orders").shows(200, "cay@campus.edu"))
	press("confirm").shows(200, "the buyer has been charged")
	press("pay").shows(200, "the seller has been paid")
}

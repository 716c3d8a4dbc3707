package web_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
)

const ownAffair = "You are a party to this. Another admin must decide."

func TestAnAdminIsNotOfferedToDecideAboutAnOwnSale(t *testing.T) {
	c := newCampus(t)
	ada, ben, adam, olga := c.student("Ada"), c.student("Ben"), c.staff("Adam", user.Admin), c.staff("Olga", user.Owner)
	ben.buys(ada.offers("Algebra", "40"))
	ben.buys(adam.offers("Geometry", "20"))
	queue := adam.open("/dashboard/orders/queue").shows(200, "2 orders are waiting.", "Algebra", "Geometry", ownAffair)
	if n := strings.Count(queue.body, `type="checkbox" name="order"`); n != 1 {
		t.Errorf("%d orders can be checked", n)
	}
	order := adam.open(queue.link("Geometry")).shows(200, ownAffair).lacks("charge the buyer", "Cancel the sale")
	adam.open("/dashboard/orders?search=Geometry").shows(200, ownAffair).lacks("charge the buyer", "Cancel the sale")
	both := queue.body
	ids := []string{}
	for _, part := range strings.Split(both, "/dashboard/orders/order?id=")[1:] {
		ids = append(ids, part[:strings.IndexByte(part, '"')])
	}
	query := "order=" + ids[0] + "&order=" + ids[1]
	adam.open("/dashboard/orders/review?"+query).shows(200, "You have checked 1 book.", ownAffair, "Charge $42.00 in all")
	adam.send("/dashboard/orders/review", "order", ids[0], "order", ids[1]).shows(200, "1 buyer has been charged.", ownAffair)

	list := olga.open("/dashboard/orders?search=Geometry").shows(200, "charge the buyer").lacks(ownAffair)
	adam.step("confirm", list).shows(403, ownAffair)
	adam.step("cancel", list).shows(403, ownAffair)
	adam.take(olga.step("confirm", list).shows(200, "Charge $21.00"), "confirm").shows(403, ownAffair)
	olga.take(olga.step("confirm", list), "confirm").shows(200)
	adam.open(order.at).shows(200, ownAffair).lacks("pay the seller")
	adam.lang = "fr"
	adam.open(order.at).shows(200, "Vous êtes concerné par cette affaire.")
}

func TestAnAdminIsNotOfferedToDecideAboutAnOwnBookOrReport(t *testing.T) {
	c := newCampus(t)
	ada, adam, olga := c.student("Ada"), c.staff("Adam", user.Admin), c.staff("Olga", user.Owner)
	own, reported, other := adam.offers("Geometry", "20"), ada.offers("Algebra", "40"), ada.offers("Logic", "30")
	adam.send("/report", "book", reported, "reason", "wrong").shows(200)
	books := adam.open("/dashboard/books").shows(200, "Geometry", "Algebra", "Logic")
	if n := strings.Count(books.body, `type="checkbox" name="book"`); n != 1 {
		t.Errorf("%d books can be chosen", n)
	}
	adam.open("/dashboard/books/book?id="+own).shows(200, ownAffair).lacks("/dashboard/books/unlist")
	adam.open("/dashboard/books/unlist?book="+own+"&book="+other).shows(200, "1 book will be unlisted.", ownAffair)
	adam.send("/dashboard/books/unlist", "book", own, "book", reported, "book", other, "reason", "spam").shows(200, "1 book has been unlisted.", ownAffair)
	olga.send("/dashboard/books/unlist", "book", own, "reason", "spam").shows(200, "1 book has been unlisted.")
	adam.open("/dashboard/books/book?id="+own).shows(200, ownAffair).lacks("/dashboard/books/relist")
	adam.send("/dashboard/books/relist", "id", own).shows(403, ownAffair)

	reports := adam.open("/dashboard/reports").shows(200, "Algebra", ownAffair).lacks("action=suspend", "action=dismiss")
	olga.open("/dashboard/reports").shows(200, "action=suspend", "action=dismiss").lacks(ownAffair)
	adam.open(reports.link("Algebra")).shows(200, ownAffair).lacks("Suspend the person", "Dismiss")
	id := strings.TrimPrefix(reports.link("Algebra"), "/dashboard/reports/report?id=")
	adam.open("/dashboard/reports/decide?id="+id+"&action=dismiss").shows(403, ownAffair)
	adam.send("/dashboard/reports/decide", "id", id, "action", "dismiss").shows(403, ownAffair)
	olga.open(reports.link("Algebra")).shows(200, "Suspend the person").lacks(ownAffair)
}

func TestAnOwnerWhoIsAloneIsOfferedToDecide(t *testing.T) {
	c := newCampus(t)
	ben, olga := c.student("Ben"), c.staff("Olga", user.Owner)
	ben.buys(olga.offers("Geometry", "20"))
	list := olga.open("/dashboard/orders?search=Geometry").shows(200, "charge the buyer").lacks(ownAffair)
	olga.take(olga.step("confirm", list).shows(200, "Charge $21.00"), "confirm").shows(200)
	olga.open("/dashboard/audit?action=order.confirmed").shows(200, "alone")
	c.staff("Adam", user.Admin)
	olga.open("/dashboard/orders?search=Geometry").shows(200, ownAffair)
}

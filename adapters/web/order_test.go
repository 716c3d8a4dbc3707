package web_test

import (
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
)

// order opens the page of the newest purchase and returns it with its id.
func (v *visit) order() (page, string) {
	v.t.Helper()
	_, rest, ok := strings.Cut(v.open("/purchases").shows(200).body, `href="/order?id=`)
	if !ok {
		v.t.Fatal("there is no link to an order")
	}
	id, _, _ := strings.Cut(rest, `"`)
	return v.open("/order?id=" + id), id
}

func TestThePageOfAnOrderShowsEachSideWhatToDo(t *testing.T) {
	c := newCampus(t)
	ada, ben, eve, adam := c.student("Ada"), c.student("Ben"), c.student("Eve"), c.staff("Adam", user.Admin)
	adam.open("/dashboard/desks").shows(200, "Set SUPPORT_MAIL")
	c.pages.Support = "help@campus.edu"
	ben.buys(ada.offers("Linear <Algebra>", "40"))
	p, id := ben.order()
	p.shows(200, "Linear <Algebra>", "only then charge you $42.00", "campus mailbox box-Ben", "Ordered", "Print the slip", "Cancel the order", "Ada Doe").lacks("pay-Ada", "ada@campus.edu")
	ada.open("/order?id="+id).shows(200, "Bring the book to the desk", "There is no desk for this campus yet. Please ask us where to bring the book. <a href=\"mailto:help@campus.edu", "$40.00").lacks("$42.00", "pay-Ben")
	adam.send("/dashboard/desks", "university", "campus", "place", "Library, room 1", "hours", "Mon–Fri 10:00–16:00", "notes", "Ring\r\nthe bell.").shows(200, "The desk is saved.", "Library, room 1")
	adam.send("/dashboard/desks", "university", "", "place", "", "hours", "x").shows(400, "Must be 1 to 200 characters")
	adam.open("/dashboard/desks?university=CAMPUS").shows(200, `value="Library, room 1"`, "Ring\nthe bell.</textarea>")
	ada.open("/order?id="+id).shows(200, "Library, room 1", "Mon–Fri 10:00–16:00", "Ring\nthe bell.")
	adam.open("/dashboard/orders/order?id="+id).shows(200, "Check its condition, then charge Ben $42.00", "pay-Ada", "pay-Ben", "Condition verified: charge the buyer", "Hand in: Campus", "Pick up: Campus")
	if p := adam.open("/order?id=" + id); p.at != "/dashboard/orders/order?id="+id {
		t.Errorf("an admin is led to %s", p.at)
	}
	for _, path := range []string{"/order?id=" + id, "/order/slip?id=" + id, "/order/cancel?id=" + id, "/order?id=x", "/order"} {
		eve.open(path).shows(404, "This order does not exist.")
		if p := c.visitor().open(path); !strings.HasPrefix(p.at, "/login") {
			t.Errorf("a visitor of %s is led to %s", path, p.at)
		}
	}
	eve.send("/order/cancel", "id", id, "reason", "because").shows(404)
	eve.open("/dashboard/orders/order?id=" + id).shows(403)
	ada.send("/dashboard/desks", "university", "campus", "place", "x", "hours", "x").shows(403)
	ben.open("/notifications").shows(200, `href="/order?id=`+id+`"`)
	adam.open("/dashboard/desks").shows(200, "sellers are told to ask us where to bring the book, and buyers that we deliver it").lacks("Set SUPPORT_MAIL")
	ben.lang = "fr"
	ben.open("/order?id="+id).shows(200, "Annuler la commande", "Commandé")
	ben.open("/purchases").shows(200, `acheté <time datetime="`, `">le `)
	adam.send("/dashboard/desks/remove", "id", "Campus").shows(200, "The desk is removed.").lacks("Library, room 1")
}

func TestAnAdminFindsAnOrderByTheCodeOnItsSlip(t *testing.T) {
	c := newCampus(t)
	ada, ben, adam := c.student("Ada"), c.student("Ben"), c.staff("Adam", user.Admin)
	ben.buys(ada.offers("Algebra", "40"))
	_, id := ben.order()
	var code string
	for _, v := range []*visit{ada, ben} {
		_, rest, _ := strings.Cut(v.open("/order/slip?id="+id).shows(200, "Algebra", "Ada Doe", "Ben Doe", "MATH 165").body, `class="code">`)
		code, _, _ = strings.Cut(rest, "<")
	}
	if len(code) != 15 {
		t.Fatalf("the code is %q", code)
	}
	adam.open("/dashboard/orders?search="+strings.ToLower(code)).shows(200, "Algebra", "Condition verified: charge the buyer")
	forged := "Z" + code[1:]
	if forged == code {
		forged = "Y" + code[1:]
	}
	adam.open("/dashboard/orders?search="+forged).shows(200, "No results.")
	ben.open("/dashboard/orders?search=" + code).shows(403)
}

func TestBothSidesCancelBeforeTheCheckAndSeeWhy(t *testing.T) {
	c := newCampus(t)
	ada, ben, adam := c.student("Ada"), c.student("Ben"), c.staff("Adam", user.Admin)
	book := ada.offers("Algebra", "40")
	ben.buys(book)
	_, id := ben.order()
	ben.open("/order/cancel?id="+id).shows(200, "“Algebra”", "for sale again", `name="reason"`, "Keep the order")
	ben.send("/order/cancel", "id", id, "reason", " ").shows(400, "Give a reason")
	for range 2 { // a replayed form
		ben.send("/order/cancel", "id", id, "reason", "Found <it>.").shows(200, "“Algebra” – The order is cancelled.", "Found <it>.", "You were not charged.", "Find another copy").lacks("Print the slip")
	}
	for _, v := range []*visit{ada, ben} {
		v.open("/order?id="+id).shows(200, "cancelled", "Found <it>.")
	}
	ada.open("/sales").shows(200, "Found <it>.", `href="/order?id=`+id)
	ben.buys(book)
	_, second := ben.order()
	ada.open("/order/cancel?id="+second).shows(200, "unlisted")
	asked := adam.step("confirm", adam.open("/dashboard/orders?status=1"))
	ada.send("/order/cancel", "id", second, "reason", "Lost it.").shows(200, "The order is cancelled.")
	ada.open("/mine").shows(200, "Relist")
	adam.take(asked, "confirm").shows(409, "status does not allow")
}

func TestSeveralOrdersAreConfirmedAfterAReview(t *testing.T) {
	c := newCampus(t)
	ada, ben, adam := c.student("Ada"), c.student("Ben"), c.staff("Adam", user.Admin)
	var ids []string
	for _, title := range []string{"Algebra", "Geometry", "Topology"} {
		ben.buys(ada.offers(title, "20"))
		_, id := ben.order()
		ids = append(ids, id)
	}
	c.Clock.Advance(49 * time.Hour)
	adam.send("/login", "email", "adam@campus.edu", "password", "correct horse battery", "next", "/dashboard")
	queue := adam.open("/dashboard/orders/queue").shows(200, "3 orders are waiting.", "waiting for 2 days", "Review the checked books")
	if first, last := strings.Index(queue.body, "Algebra"), strings.Index(queue.body, "Topology"); first > last {
		t.Error("the newest order is first")
	}
	adam.open("/dashboard/orders/review").shows(200, "Tick the books that you have checked.")
	query := "?order=" + ids[0] + "&order=" + ids[1] + "&order=x"
	adam.open("/dashboard/orders/review"+query).shows(200, "You have checked 2 books.", "Algebra", "Geometry", "Charge $42.00 in all").lacks("Topology")
	ben.send("/login", "email", "ben@campus.edu", "password", "correct horse battery", "next", "/purchases")
	ben.send("/order/cancel", "id", ids[1], "reason", "Found it.")
	done := adam.send("/dashboard/orders/review", "order", ids[0], "order", ids[1])
	done.shows(200, "1 buyer has been charged.", "The condition is verified", "Not charged: the order was cancelled.")
	adam.send("/dashboard/orders/review", "order", ids[0], "order", ids[1]).shows(200, "0 buyers have been charged.", "Not charged again")
	adam.open("/dashboard/orders/queue").shows(200, "1 order is waiting.", "Topology").lacks("Algebra")
	adam.open("/dashboard/orders/queue?status=2").shows(200, "1 order is waiting.", "Algebra").lacks("Review the checked books")
	adam.open("/dashboard/orders/queue?status=3").shows(400)
	c.student("Eve").open("/dashboard/orders/queue").shows(403)
}

func TestNobodyIsLeftWithoutAnybodyToAsk(t *testing.T) {
	c := newSiteIn(t, meeting.Both, true, nil, nil)
	ada, olga, adam := c.student("Ada"), c.staff("Olga", user.Owner), c.staff("Adam", user.Admin)
	const stuck, head = "there is no address for questions", "Before people can trade"
	ada.open("/sell").shows(200, "Your university has no place to hand over books yet", stuck)
	olga.open("/dashboard").shows(200, head, "There is no desk", "There is no place where buyers", "Set SUPPORT_MAIL", `href="/dashboard/desks"`, `href="/dashboard/places"`)
	adam.open("/dashboard").shows(200).lacks(head)
	adam.send("/dashboard/places", "university", "Elsewhere", "name", "Library", "hours", "8–20").shows(200)
	olga.open("/dashboard").shows(200, head).lacks("There is no place where buyers")
	ada.open("/sell").shows(200, stuck)
	adam.send("/dashboard/desks", "university", "campus", "place", "Hall", "hours", "8–20").shows(200)
	ada.open("/sell").shows(200).lacks(stuck)
	olga.open("/dashboard").shows(200, head, "Set SUPPORT_MAIL").lacks("There is no desk")
	olga.send("/dashboard/setup", "show", "no").shows(200, "Dashboard").lacks(head)
}

func TestASellerReadsThatTheBuyerHasLeft(t *testing.T) {
	c := newCampus(t)
	ada, ben := c.student("Ada"), c.student("Ben")
	ben.buys(ada.offers("Linear Algebra", "40"))
	_, id := ben.order()
	err := c.db.Atomically(t.Context(), func(tx *gorm.DB) error { // as the erasure of an account does
		return tx.Exec("UPDATE users SET first_name = '', last_name = '' WHERE email = 'ben@campus.edu'").Error
	})
	if err != nil {
		t.Fatal(err)
	}
	ada.open("/order?id="+id).shows(200, "The buyer has closed their account. We will complete or cancel the sale, and tell you.").
		lacks("Bring the book to the desk", "Hand in", "Print the slip", "/conversation?book=", "Report a problem")
	c.staff("Adam", user.Admin).open("/dashboard/orders/order?id="+id).shows(200, "The buyer has closed their account. Complete or cancel the sale.")
	ada.lang = "fr"
	ada.open("/order?id="+id).shows(200, "La personne qui achète a fermé son compte.")
}

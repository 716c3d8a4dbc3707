package web_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/qrcode"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

// meeters is a campus on which people meet, with an order of Ben from Ada and a place.
type meeters struct {
	ada, ben, adam *visit
	order, place   string
}

func newMeeters(t *testing.T, mode meeting.Mode) meeters {
	t.Helper()
	return newMeetersWith(t, sales{handover: mode, fee: 500})
}

func newMeetersWith(t *testing.T, by sales) meeters {
	t.Helper()
	c := newSiteWith(t, by, true, nil, nil)
	m := meeters{ada: c.student("Ada"), ben: c.student("Ben"), adam: c.staff("Adam", user.Admin)}
	p := m.adam.send("/dashboard/places", "university", "campus", "name", "<b>Library</b>", "hours", "8–20", "directions", "Left\r\nof it.").shows(200, "The place is saved.", "<b>Library</b>", "Left\nof it.")
	m.place = after(t, p.body, `/dashboard/places?id=`)
	m.ben.buys(m.ada.offers("Algebra", "40"))
	_, m.order = m.ben.order()
	return m
}

// after returns what follows a text, up to the next quotation mark.
func after(t *testing.T, s, from string) string {
	t.Helper()
	_, rest, ok := strings.Cut(s, from)
	if !ok {
		t.Fatalf("there is no %s in %s", from, s)
	}
	found, _, _ := strings.Cut(rest, `"`)
	return found
}

// proposes proposes to meet so soon that the code counts.
func (m meeters) proposes(v *visit) page {
	v.t.Helper()
	return v.send("/order/meeting", "id", m.order, "place", m.place, "at", v.Clock.Now().Add(30*time.Minute).Format("2006-01-02T15:04"))
}

var handoverCode = regexp.MustCompile(`class="handover">([0-9A-Z]{4}-[0-9A-Z]{4})<`)

func (m meeters) code(t *testing.T) string {
	t.Helper()
	found := handoverCode.FindStringSubmatch(m.ben.open("/order?id=" + m.order).shows(200).body)
	if found == nil {
		t.Fatal("the buyer sees no code")
	}
	return found[1]
}

func TestTwoPeopleAgreeOnAPlaceAndHandOverOnThePages(t *testing.T) {
	m := newMeeters(t, meeting.Meet)
	page := "/order?id=" + m.order
	m.ben.open(page).shows(200, "Agree with Ada", "You are charged $42.00 only after", "<b>Library</b> · 8–20", "Times are in GMT.", "<b>Library</b> <span", "data-zone>Times are in GMT.", "tomorrow, </span><time datetime=", `aria-current="step">Meeting agreed<`, `type="datetime-local"`).lacks("desk to", "Code <code>", "Print the slip", "campus mailbox")
	m.proposes(m.ben).shows(200, "“Algebra” – Your proposal is sent. We tell you about the answer.", "Ada has not accepted your proposal yet", "Proposed by Ben").lacks("Accept<", `class="handover"`)
	proposal := after(t, m.ada.open(page).shows(200, "Ben proposes where and when to meet.", "Proposed by Ben", "Left\nof it.").body, `/order/meeting/accept"><input type="hidden" name="id" value="`)
	for range 2 { // a second press of the button
		m.ada.send("/order/meeting/accept", "id", proposal).shows(200, "You have agreed on where and when to meet.", "scan or type their code", "The code that Ben shows", `aria-current="step">Handed over<`, `name="code"`)
	}
	m.adam.open("/dashboard/orders/queue").shows(200, "They meet in person", "<b>Library</b>")
	code := m.code(t)
	for _, v := range []*visit{m.ada, m.adam} {
		for _, path := range []string{page, "/sales", "/notifications", "/dashboard/orders/order?id=" + m.order, "/dashboard/orders"} {
			if strings.Contains(v.open(path).body, code) {
				t.Errorf("others see the code at %s", path)
			}
		}
	}
	m.ada.send("/order/handover", "id", m.order, "code", "0000-0000").shows(400, "This code is wrong.", "Back to the order")
	m.ben.send("/order/handover", "id", m.order, "code", code).shows(403, "Only the seller types the code.")
	for range 2 { // a second press of the button
		m.ada.send("/order/handover", "id", m.order, "code", strings.ToLower(code)).shows(200, "“Algebra” – The book is handed over.", "Handed over in person", "We charge Ben next, and then pay you $40.00", `aria-current="step">Completed<`, "You agreed to meet").lacks(`name="code"`, "Was it as described?", "paid", "/order/cancel")
	}
	m.ben.open(page).shows(200, "Handed over in person", "We charge you $42.00 next", `data-order="`+m.order).lacks(code, "charged", "/order/cancel")
	for _, v := range []*visit{m.ada, m.ben} {
		for _, path := range []string{"/sales", "/purchases", "/notifications"} {
			v.open(path).shows(200).lacks("been charged", "been paid", "were paid", "You were charged")
		}
	}
	m.settles()
	m.ben.open(page).shows(200, "Handed over in person", "Buyer charged", "Seller paid", "Was it as described?")
	m.ben.send("/order/rate", "id", m.order, "described", "yes", "text", "").shows(200, "as described")
}

func TestAnAdminWhoHasChargedTheBuyerOfAMeetingIsOnlyAskedToPay(t *testing.T) {
	m := newMeeters(t, meeting.Meet)
	m.proposes(m.ben).shows(200)
	proposal := after(t, m.ada.open("/order?id="+m.order).body, `/order/meeting/accept"><input type="hidden" name="id" value="`)
	m.ada.send("/order/meeting/accept", "id", proposal).shows(200)
	m.ada.send("/order/handover", "id", m.order, "code", m.code(t)).shows(200)
	link := after(t, m.adam.open("/dashboard/orders/queue?stage=settle").body, `href="/dashboard/orders/settle?`)
	form := m.adam.open("/dashboard/orders/settle?" + strings.ReplaceAll(link, "&amp;", "&")).shows(200)
	m.adam.send("/dashboard/orders/confirm", "id", form.hidden("id"), "sale", form.hidden("sale")).shows(200)
	for _, page := range []string{"/dashboard/orders", "/dashboard/orders/order?id=" + m.order} {
		m.adam.open(page).shows(200, "/dashboard/orders/pay").lacks("/dashboard/orders/settle")
	}
}

// settles has the admin settle the sale from the tab of the queue.
func (m meeters) settles() {
	m.adam.open("/dashboard/orders/queue").shows(200, "To settle", "0 orders are waiting").lacks("Algebra")
	queue := m.adam.open("/dashboard/orders/queue?stage=settle").shows(200, `stage=settle" aria-current="page">To settle`, "Algebra", "They met in person", "Charge $42.00", "Pay $40.00")
	link := strings.ReplaceAll(after(m.adam.t, queue.body, `href="/dashboard/orders/settle?`), "&amp;", "&")
	form := m.adam.open("/dashboard/orders/settle?"+link).shows(200, "Charge $42.00 and pay the seller", "The seller gets")
	for range 2 { // a second press of the button
		m.adam.send("/dashboard/orders/settle", "id", form.hidden("id"), "sale", form.hidden("sale"), "back", form.hidden("back")).
			shows(200, "The buyer has been charged and the seller has been paid.", `stage=settle" aria-current="page">To settle`)
	}
	m.ben.open("/dashboard/orders/settle?" + link).shows(403)
}

func TestBuyersPaySellersDirectlyOnThePages(t *testing.T) {
	m := newMeetersWith(t, sales{handover: meeting.Meet, settlement: order.Direct})
	page := "/order?id=" + m.order
	m.ben.open(page).shows(200, "pay Ada $40.00 when you meet").lacks("charge", "Fee")
	m.ada.open(page).shows(200, "Agree with Ben", "They pay you $40.00 when you meet").lacks("charge")
	m.ben.open("/purchases").shows(200, "$40.00, which you pay Ada when you meet.").lacks("charge")
	m.ada.open("/sales").shows(200, "$40.00, which the buyer pays you when you meet.").lacks("You were paid")
	m.ada.open("/sell").shows(200, "The buyer pays you when you meet.").lacks("fee on top", "You are paid")
	physics := m.ada.offers("Physics", "30")
	m.ben.open("/book?id="+physics).shows(200, "You pay the seller when you meet.").lacks("charged", "plus a fee")
	m.ben.send("/cart/add", "id", physics).shows(200)
	m.ben.open("/cart").shows(200, "Physics", "$30.00").lacks("fee", "Fee")
	m.proposes(m.ben)
	m.ada.send("/order/meeting/accept", "id", after(t, m.ada.open(page).body, `/order/meeting/accept"><input type="hidden" name="id" value="`)).shows(200, "who pays you $40.00 when you meet")
	m.ben.open(page).shows(200, "show the code and pay Ada $40.00 when you meet").lacks("charge")
	m.ada.send("/order/handover", "id", m.order, "code", m.code(t)).shows(200, "The buyer pays you directly.", "Sale completed", "Was it as described?").lacks("charge", "been paid")
	m.ben.open(page).shows(200, "Sale completed").lacks("charge")
	m.ben.open("/purchases").shows(200, "$40.00, which you paid Ada when you met.")
	m.ada.open("/sales").shows(200, "$40.00, which the buyer paid you when you met.")
	m.adam.open("/dashboard/orders/queue?stage=settle").shows(200, "0 orders are waiting")
}

func TestWhoPaysTheSellerIsAskedToMeetThoughThereIsADesk(t *testing.T) {
	m := newMeetersWith(t, sales{handover: meeting.Both, settlement: order.Direct})
	page := "/order?id=" + m.order
	m.ben.open(page).shows(200, "pay Ada $40.00 when you meet").lacks("only then charge you")
	m.ada.open(page).shows(200, "They pay you $40.00 when you meet").lacks("charge the buyer")
	m.ada.open("/sell").shows(200, "The buyer pays you when you meet. If the book goes through our desk, you are paid once")
}

func TestACodeThatIsTypedDaysBeforeSaysFromWhenItCounts(t *testing.T) {
	m := newMeeters(t, meeting.Meet)
	m.ben.send("/order/meeting", "id", m.order, "place", m.place, "at", m.ben.Clock.Now().Add(72*time.Hour).Format("2006-01-02T15:04"))
	m.ada.send("/order/meeting/accept", "id", after(t, m.ada.open("/order?id="+m.order).body, `/order/meeting/accept"><input type="hidden" name="id" value="`)).shows(200, "It counts from <time")
	m.ada.send("/order/handover", "id", m.order, "code", m.code(t)).shows(409, "A code counts from one hour before the agreed time.", "It counts from Thu\u00a010\u00a0Sep, 08:00 on.")
}

func TestThePictureOfTheCodeLeadsTheSellerToTheFilledInForm(t *testing.T) {
	m := newMeeters(t, meeting.Meet)
	m.proposes(m.ben)
	m.accepts(m.ada).shows(200, "You have agreed")
	code, page := m.code(t), "/order?id="+m.order
	picture, err := qrcode.Draw("https://octavo.example/order?code=" + code + "&id=" + m.order)
	if err != nil {
		t.Fatal(err)
	}
	m.ben.open(page).shows(200, picture, "Show the code")
	m.ada.open(page).lacks("<title>QR code", code)
	link := page + "&code=" + code
	m.ada.open(link).shows(200, `value="`+code+`"`, "It was read from the picture.")
	m.ada.open(page+"&code=%3Cb%3E").shows(200, `value=""`)
	m.ben.open(link).shows(200).lacks(`name="code"`)
	m.adam.open(link).lacks(`name="code"`)
	m.ada.campus.student("Eve").open(link).shows(404)
	m.ada.send("/order/handover", "id", m.order, "code", code).shows(200, "The book is handed over.")
}

// accepts accepts the open proposal on the page of the order.
func (m meeters) accepts(v *visit) page {
	v.t.Helper()
	return v.send("/order/meeting/accept", "id", after(v.t, v.open("/order?id="+m.order).body, `/order/meeting/accept"><input type="hidden" name="id" value="`), "order", m.order)
}

func TestATimeThatIsOfferedIsProposedAsItWasShown(t *testing.T) {
	m := newMeeters(t, meeting.Meet)
	newYork := must.Get(time.LoadLocation("America/New_York"))(t)
	slot := after(t, m.ben.open("/order?id="+m.order).shows(200, "tomorrow, </span><time datetime=").body, `name="slot" value="`)
	m.ben.pages.Zone = newYork // after the page was shown
	m.ben.send("/order/meeting", "id", m.order, "slot", slot).shows(200, "Your proposal is sent.", `T10:00:00Z">tomorrow`)
	m.adam.send("/dashboard/places", "id", m.place, "university", "campus", "name", "Library", "hours", "8–20", "openingHours", "never").
		shows(400, "Must be like Mo-Fr 08:00-20:00; Sa 10:00-14:00.", `value="never"`)
	m.adam.send("/dashboard/places", "id", m.place, "university", "campus", "name", "Library", "hours", "8–20", "openingHours", "Mo-Fr 17:00-20:00").
		shows(200, "Mo-Fr 17:00-20:00")
	m.ben.open("/order?id="+m.order).shows(200, ">18:00</time>").lacks(">10:00</time>", "Sat", "Sun", "UTC", "GMT")
	m.ben.send("/order/meeting", "id", m.order, "slot", m.place+"@soon").shows(400, "Choose a time in the future")
}

func TestWithoutAZoneOfTheCampusAReaderMeansTheirOwn(t *testing.T) {
	m := newMeeters(t, meeting.Meet)
	for zone, want := range map[string]string{"America/New_York": "T19:00:00Z", "../etc": "T14:00:00Z", "": "T14:00:00Z"} {
		m.ben.send("/order/meeting", "id", m.order, "place", m.place, "at", "2026-11-02T14:00", "zone", zone).shows(200, want)
	}
	m.ben.pages.Zone = must.Get(time.LoadLocation("Europe/Paris"))(t)
	m.ben.open("/order?id="+m.order).shows(200, "Time zone: Europe/Paris")
	m.ben.send("/order/meeting", "id", m.order, "place", m.place, "at", m.ben.Clock.Now().AddDate(0, 0, 2).Format("2006-01-02")+"T14:00", "zone", "America/New_York").shows(200, "T12:00:00Z")
}

func TestATicketThatHasChangedMeanwhileIsShownAsItIsNow(t *testing.T) {
	const moved = "The order has changed meanwhile"
	m := newMeeters(t, meeting.Meet)
	m.proposes(m.ben)
	stale := after(t, m.ada.open("/order?id="+m.order).body, `/order/meeting/accept"><input type="hidden" name="id" value="`)
	m.proposes(m.ben)
	m.ada.send("/order/meeting/accept", "id", stale, "order", m.order).shows(200, moved, "Ben proposes where and when to meet.")
	m.ada.Clock.Advance(31 * time.Minute)
	m.ada.open("/order?id="+m.order).shows(200, "The proposed time has passed. Propose another one.", `name="slot"`).lacks("Accept<")
	m.proposes(m.ada)
	m.accepts(m.ben)
	m.ada.Clock.Advance(3 * time.Hour)
	m.ada.open("/order?id="+m.order).shows(200, "The agreed time has passed. If you have met, type the code of Ben.", `name="code"`)
	m.ben.open("/order?id="+m.order).shows(200, "The agreed time has passed.", `class="handover"`)
	code := m.code(t)
	m.ben.send("/order/cancel", "id", m.order, "reason", "Nobody came.").shows(200, "Nobody came.", "Find another copy").lacks(`aria-current="step"`)
	m.ada.send("/order/handover", "id", m.order, "code", code).shows(200, moved, "Nobody came.")
	m.proposes(m.ada).shows(200, moved)
}

func TestASellerWhoIsAnAdminSeesTheirOwnSale(t *testing.T) {
	c := newSiteIn(t, meeting.Meet, true, nil, nil)
	dean, ben := c.staff("Dean", user.Admin), c.student("Ben")
	dean.send("/dashboard/places", "university", "campus", "name", "Library", "hours", "8–20")
	ben.buys(dean.offers("Algebra", "40"))
	_, id := ben.order()
	dean.open("/order?id="+id).shows(200, "Agree with Ben", `name="slot"`).lacks("/dashboard/orders/confirm")
	dean.open("/dashboard/orders/order?id="+id).shows(200).lacks("/dashboard/orders/confirm", `name="slot"`)
}

func TestTheOrderSaysWhenItLapses(t *testing.T) {
	m := newMeeters(t, meeting.Both)
	for _, v := range []*visit{m.ada, m.ben} {
		v.open("/order?id="+m.order).shows(200, "The order is cancelled if the book is not handed over by", m.ada.Clock.Now().Add(14*24*time.Hour).Format("2006-01-02"))
	}
}

func TestAFrenchReaderMeetsInFrench(t *testing.T) {
	m := newMeeters(t, meeting.Both)
	m.ben.lang = "fr"
	m.ben.open("/order?id="+m.order).shows(200, "Proposer un lieu et une heure", "Les heures sont en GMT.", "guichet", "Imprimer")
	m.ben.send("/order/meeting", "id", m.order, "place", m.place, "at", "soon").shows(400, "Choisissez une date à venir", "Doit être une date à venir")
}

func TestPagesSayWhoChecksTheBook(t *testing.T) {
	for mode, c := range map[meeting.Mode]struct{ front, page, bought string }{
		meeting.Desk: {"We check every copy", "only after we have checked its condition", "once the condition of the books is verified"},
		meeting.Meet: {"Every copy is checked", "only after you have met the seller and checked it", "once you have met the seller"},
		meeting.Both: {"Every copy is checked", "by you when you meet the seller, or by us at the desk", "once the books have been checked, by you or at the desk"},
	} {
		site := newSiteIn(t, mode, true, nil, nil)
		ada, ben := site.student("Ada"), site.student("Ben")
		id := ada.offers("Algebra", "40")
		site.visitor().open("/").shows(200, c.front)
		site.visitor().open("/book?id="+id).shows(200, c.page)
		ben.open("/book?id="+id).shows(200, c.page)
		ben.send("/cart/add", "id", id, "back", "/cart")
		cart := ben.open("/cart").shows(200, c.page)
		ben.send("/cart/buy", "id", id, "key", cart.hidden("key"), "total", cart.hidden("total")).shows(200, c.bought)
	}
}

func TestAnOrderCanGoToTheDeskOrToAMeeting(t *testing.T) {
	m := newMeeters(t, meeting.Both)
	page := "/order?id=" + m.order
	m.ada.open(page).shows(200, "Bring the book to the desk", "Meet in person", "Print the slip", "Hand in: Campus")
	m.proposes(m.ada).shows(200, "Hand in: Campus", "has not accepted your proposal yet")
	proposal := after(t, m.ben.open(page).body, `/order/meeting/accept"><input type="hidden" name="id" value="`)
	m.ben.send("/order/meeting/accept", "id", proposal).shows(200, `class="handover"`).lacks("Print the slip", "Pick up")
	if p := m.ben.open("/order/slip?id=" + m.order); p.at != page {
		t.Errorf("the slip of a meeting leads to %s, want the order", p.at)
	}
	m.adam.open("/dashboard/orders/order?id="+m.order).shows(200, "<b>Library", "The seller types the code", "Condition verified: charge the buyer").lacks(`class="handover"`)
}

func TestAdminsSaveChangeAndRemovePlaces(t *testing.T) {
	m := newMeeters(t, meeting.Meet)
	m.adam.send("/dashboard/places", "university", "", "name", "", "hours", "x").shows(400, "Must be 1 to 200 characters")
	m.adam.open("/dashboard/places?id="+m.place).shows(200, `value="<b>Library</b>"`, `name="id" value="`+m.place)
	m.adam.send("/dashboard/places", "id", m.place, "university", "campus", "name", "Gate", "hours", "always").shows(200, "Gate").lacks("Library")
	for range 2 {
		m.adam.send("/dashboard/places/remove", "id", m.place).shows(200, "The place is removed.").lacks("Gate")
	}
	m.adam.open("/dashboard/places?id=" + m.place).shows(404)
	m.ben.pages.Support = "help@campus.edu"
	m.ben.open("/order?id="+m.order).shows(200, "There is no place to meet at your universities yet.", "mailto:help@campus.edu")
	desk := newMeeters(t, meeting.Desk)
	desk.adam.open("/dashboard/places").shows(200, "set HANDOVER to meet or both")
	desk.adam.open("/dashboard/desks").shows(200).lacks("Places to meet")
	desk.ben.open("/order?id="+desk.order).shows(200, "Print the slip").lacks("Meet in person")
	desk.proposes(desk.ben).shows(409, "Books are handed over at the desk here.")
}

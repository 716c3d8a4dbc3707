package e2e_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/octavo-books/octavo/test/e2e"
)

// aPhone is a browser of the size of a phone, which counts the taps.
type aPhone struct {
	*tab
	taps int
}

func phoneOf(t *testing.T, s *e2e.Server, email, theme string) *aPhone {
	t.Helper()
	p := &aPhone{tab: openBrowser(t, s.URL)}
	p.see(setting{390, 844, theme, "en"})
	p.signIn(email)
	p.taps = 0
	return p
}

// tap taps what is in sight of the thumb: it must not be hidden by the bars at the bottom.
func (p *aPhone) tap(css string) {
	p.t.Helper()
	p.await(`String(document.querySelector('`+css+`') != null)`, "true")
	p.do(chromedp.Click(chromedp.CSS(css)))
	p.taps++
}

// shows keeps a picture of the state of a ticket, on the phone and on a desktop, once it shows a text.
func (p *aPhone) shows(state, text string) {
	p.t.Helper()
	p.text(text)
	p.keep("ticket-" + state)
	p.fits()
}

const (
	nextAction = `[...document.querySelectorAll(".act :is(a, button)")].map(e => e.innerText.replace(/\s+/g, " ").trim()).join("|")`
	waitsFor   = `document.querySelector("[aria-current=step]")?.innerText ?? ""`
)

func TestTwoPhonesBuyMeetAndHandOverInAFewTaps(t *testing.T) {
	t.Parallel()
	m := aTicket(t)
	ben, ada := phoneOf(t, m.Server, "ben@campus.edu", "light"), phoneOf(t, m.Server, "ada@campus.edu", "dark")
	ben.open("/book?id=" + m.order) // of the book, until it is bought
	ben.tap(`form[action="/cart/add"]:not(:has(.small)) button`)
	ben.await("location.pathname", "/cart")
	ben.tap(`form[action="/cart/buy"] button`)
	ben.shows("asks", "Agree with Ada on where and when to meet.")
	m.order = ben.evaluate(`document.querySelector("[data-order]").dataset.order`)
	if ben.taps > 2 {
		t.Errorf("it takes %d taps to buy, want two", ben.taps)
	}
	ada.open("/order?id=" + m.order)
	ada.text("Agree with Ben on where and when to meet.")

	ben.taps = 0
	ben.tap(`.slots .chip:has(input)`)
	ben.tap(`form[action="/order/meeting"] .act button`)
	ben.shows("waits", "Ada has not accepted your proposal yet.")
	ada.shows("accepts", "Ben proposes where and when to meet.") // nobody has touched it
	if got := ada.evaluate(nextAction); got != "Accept : Library" {
		t.Errorf("the seller can do %q, want to accept alone", got)
	}
	ada.tap(`form[action="/order/meeting/accept"] button`)
	ada.shows("early", "You have agreed on where and when to meet.")
	ben.text("show this code to Ada") // nor this one
	if taps := ben.taps + ada.taps; taps > 3 {
		t.Errorf("it takes %d taps to agree on a meeting, want three", taps)
	}
	m.handsOver(t, ben, ada)
}

// handsOver lets the two meet in half an hour, and settles the sale.
func (m aMeeting) handsOver(t *testing.T, ben, ada *aPhone) {
	t.Helper()
	var proposed orderWithMeeting
	m.ben.Must(t, http.StatusCreated, "POST", "/api/user/proposeMeeting", map[string]any{
		"orderId": m.order, "placeId": m.place, "at": time.Now().Add(30 * time.Minute).UTC().Format(time.RFC3339),
	}).Data(t, &proposed)
	ada.text("Ben proposes where and when to meet.")
	ada.tap(`form[action="/order/meeting/accept"] button`)
	ben.await(nextAction, "Show the code")
	ben.tap(`.act a`)
	ben.shows("code", "Only if it is as described, show the code")
	code := ben.evaluate(`document.querySelector(".handover").innerText`)

	ada.shows("confirms", "The code that Ben shows")
	link := "/order?id=" + m.order + "&code=" + code // of the picture
	ada.sees(ada.url + link)
	ada.open("/order?id=" + m.order)
	ada.tap(`.scan button`)
	ada.await(`document.querySelector("[name=code]").value`, code)
	ada.open(link)
	ada.text("It was read from the picture.")
	ada.tap(`form[action="/order/handover"] .act button`)
	ada.shows("handed-over", "You have handed over the book. We charge Ben next")
	ben.await(waitsFor, "Completed")
	ben.text("You have the book. We charge you")
	m.dean.Must(t, http.StatusOK, "POST", "/api/dashboard/settleOrder", map[string]any{"bookId": m.orderOf(t, m.ben).BookID})
	for _, p := range []*aPhone{ben, ada} {
		p.text("Was it as described?")
		p.await(nextAction, "Send")
	}
	ben.see(setting{1280, 800, "dark", "en"})
	ben.shows("rates", "Seller paid")
	ada.tap(`form[action="/order/rate"] button`)
	ada.shows("done", "Thank you.")
	m.mustNotContain(t, code)
}

// aTicket is a campus on which people meet at a place that is always open, with a book for sale, whose id is in
// place of that of an order.
func aTicket(t *testing.T) aMeeting {
	t.Helper()
	s := e2e.StartWith(t, []string{"HANDOVER=meet", "CAMPUS_TIMEZONE=America/New_York"})
	m := aMeeting{Server: s, ada: s.Student("ada@campus.edu", "Ada"), ben: s.Student("ben@campus.edu", "Ben"), dean: s.Student("dean@campus.edu", "Dean")}
	s.Promote("dean@campus.edu", "admin")
	var place struct{ ID, OpeningHours string }
	m.dean.Must(t, http.StatusOK, "POST", "/api/dashboard/savePlace", map[string]any{
		"university": "university of rochester", "name": "Library", "hours": "day and night", "openingHours": "Mo–Su 00:00-24:00", "directions": "Left of\nthe clock",
	}).Data(t, &place)
	if place.OpeningHours != "Mo-Su 00:00-24:00" {
		t.Errorf("the place is open %q", place.OpeningHours)
	}
	refusal := m.dean.Must(t, http.StatusBadRequest, "POST", "/api/dashboard/savePlace", map[string]any{"university": "x", "name": "x", "hours": "x", "openingHours": "always"})
	if !strings.Contains(string(refusal.Body), "openingHours") {
		t.Errorf("the refusal is %s", refusal.Body)
	}
	m.order, m.place = m.ada.Post(t, "Topology and Knots", "MTH 440"), place.ID
	return m
}

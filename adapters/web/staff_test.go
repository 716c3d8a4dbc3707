package web_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/user"
)

var (
	adminPages = []string{"/dashboard", "/dashboard/orders", "/dashboard/books", "/dashboard/people"}
	ownerPages = []string{"/dashboard/tidy", "/dashboard/audit"}
)

func TestTheDashboardIsForStaffOnly(t *testing.T) {
	c := newCampus(t)
	ada, adam, olga := c.student("Ada"), c.staff("Adam", user.Admin), c.staff("Olga", user.Owner)
	for _, path := range append(adminPages, ownerPages...) {
		c.visitor().open(path).shows(200, "Sign in").lacks("Transactions")
		ada.open(path).shows(403, "not have permission")
		olga.open(path).shows(200, "Audit log")
	}
	for _, path := range adminPages {
		adam.open(path).shows(200, "Transactions").lacks("Audit log", "Make admin")
	}
	for _, path := range ownerPages {
		adam.open(path).shows(403)
	}
	for _, path := range []string{"/dashboard/people/promote", "/dashboard/people/demote", "/dashboard/tidy"} {
		adam.send(path, "id", "1", "days", "0").shows(403)
	}
	for _, path := range []string{"/dashboard/orders/confirm", "/dashboard/orders/pay", "/dashboard/orders/cancel"} {
		ada.send(path, "id", "1").shows(403)
	}
}

func TestEveryPageExistsInBothLanguages(t *testing.T) {
	c := newCampus(t)
	ada, olga := c.student("Ada"), c.staff("Olga", user.Owner)
	id := olga.offers("Topology", "20")
	ada.buys(id)
	ada.offers("Geometry", "20")
	ada.send("/wanted", "name", "Geometry", "course", "X 1", "edition", "2")
	ada.send("/cart/add", "id", olga.offers("Algebra", "30"), "back", "/")
	pages := []string{"/", "/?q=none", "/login", "/signup", "/resend", "/forgotten", "/reset", "/book?id=" + id, "/sell", "/sell?id=" + id, "/mine", "/sales", "/wanted",
		"/cart", "/purchases", "/notifications", "/account", "/dashboard/tidy?days=0"}
	for _, path := range slices.Concat(pages, adminPages, ownerPages) {
		for lang, words := range map[string]string{"en": "Skip to content", "fr": "Aller au contenu"} {
			for _, v := range []*visit{ada, olga, c.visitor()} {
				v.lang = lang
				p := v.open(path)
				if p.status != http.StatusOK && p.status != http.StatusForbidden && p.status != http.StatusNotFound && p.status != http.StatusConflict {
					t.Errorf("%s in %s: %d", path, lang, p.status)
				}
				if !strings.Contains(p.body, words) || !strings.Contains(p.body, `<html lang="`+lang+`">`) || strings.Count(p.body, "<h1>") != 1 {
					t.Errorf("%s in %s: %s", path, lang, p.body)
				}
			}
		}
	}
}

func TestAdminsCompleteSalesStepByStep(t *testing.T) {
	c := newCampus(t)
	ada, ben, adam := c.student("Ada"), c.student("Ben"), c.staff("Adam", user.Admin)
	id := ada.offers("Linear <Algebra>", "40")
	ben.buys(id)
	list := "/dashboard/orders?search=ben%40&status=1"
	p := adam.open(list).shows(200, "Linear <Algebra>", "$40.00 plus a fee of $2.00: $42.00 in total.", "payment username pay-Ada", "payment username pay-Ben", "charge the buyer")
	p = adam.step("confirm", p).shows(200, "Charge the buyer", "Linear <Algebra>", "Ben Doe", "ben@campus.edu", "payment username pay-Ben", "Charge $42.00").lacks("ada@campus.edu")
	p = adam.send("/dashboard/orders/confirm", "id", p.hidden("id"), "sale", p.hidden("sale"), "back", p.hidden("back")).shows(200, "the buyer has been charged", "No results.")
	if !strings.HasPrefix(p.at, "/dashboard/orders?") || !strings.Contains(p.at, "search=ben%40") {
		t.Errorf("back at %s", p.at)
	}
	adam.send("/dashboard/orders/confirm", "id", id, "back", list).shows(409, "status does not allow", "Go back")
	p = adam.open("/dashboard/orders?status=2").shows(200, "Cancel the sale", "Delivered: pay the seller").lacks(`method="post" action="/dashboard/orders/cancel"`)
	p = adam.step("cancel", p).shows(200, "Refund the buyer", "Linear <Algebra>", "ben@campus.edu", "ada@campus.edu", "Cancel and refund $42.00")
	p = adam.send("/dashboard/orders/cancel", "id", id, "sale", p.hidden("sale"), "reason", "  ", "back", p.hidden("back")).shows(400, "Give a reason", "Cancel and refund $42.00")
	adam.send("/dashboard/orders/cancel", "id", id, "sale", p.hidden("sale"), "reason", "A page is missing.", "back", "/dashboard/orders").shows(200, "The buyer and the seller have been notified", "cancelled", "A page is missing.")
	ben.open("/notifications").shows(200, "has been cancelled")
	ben.buys(id)
	adam.send("/dashboard/orders/confirm", "id", id, "back", "/dashboard/orders").shows(200)
	ada.open("/sales").shows(200, "You will receive $40.00 once the book is delivered.")
	adam.send("/dashboard/orders/pay", "id", id, "back", "/dashboard/orders").shows(200, "the seller has been paid", "delivered")
	ada.open("/sales").shows(200, "You were paid $40.00.").lacks("You will receive")
	adam.open("/dashboard/books?status=3").shows(200, "Linear <Algebra>", "ben@campus.edu")
	adam.open("/dashboard").shows(200, "Sales volume", "$40.00", "MATH 165: 1", "7\u00a0Sep 2026: 1")
	adam.open("/dashboard/orders?status=7").shows(400, "status does not exist")
	adam.open("/dashboard/books?status=4").shows(400, "status does not exist")
	if p := adam.open("/dashboard/orders.csv?status=3&search=&payout"); p.status != 303 || p.header.Get("Location") != "/api/dashboard/exportTransactions?for=payout&search=&status=3" {
		t.Errorf("the file for payouts: %d %v", p.status, p.header)
	}
	if p := adam.open("/dashboard/orders.csv?status=3&search=%26x"); p.status != 303 || p.header.Get("Location") != "/api/dashboard/exportTransactions?for=spreadsheet&search=%26x&status=3" {
		t.Errorf("the file is at %s", p.header.Get("Location"))
	}
}

func TestADashboardWithoutSalesShowsNoDaysToSell(t *testing.T) {
	c := newCampus(t)
	ada, ben, adam := c.student("Ada"), c.student("Ben"), c.staff("Adam", user.Admin)
	const days = "<dt>Median days to sell</dt><dd>"
	adam.open("/dashboard").shows(200, days+"–<")
	ben.buys(ada.offers("Algebra", "40"))
	c.Clock.Advance(guarding.StatisticsKept)
	adam.open("/dashboard").shows(200, days+"0.0<")
}

func TestCountsUseTheSingularAndPluralOfTheLanguage(t *testing.T) {
	c := newCampus(t)
	ada, olga := c.student("Ada"), c.staff("Olga", user.Owner)
	says := func(en, fr, unreadEN, unreadFR string) {
		t.Helper()
		for lang, want := range map[string][]string{"en": {en, unreadEN}, "fr": {fr, unreadFR}} {
			olga.lang, ada.lang = lang, lang
			olga.open("/dashboard/tidy?days=0").shows(200, want[0])
			ada.open("/mine").shows(200, want[1])
		}
		ada.lang = "en"
	}
	says(">0 books would be unlisted<", ">0 livre serait retiré<", "", "")
	ada.offers("Algebra", "40")
	ada.send("/notifications/read")
	says(">1 book would be unlisted<", ">1 livre serait retiré<", "", "")
	ada.offers("Geometry", "40")
	says(">2 books would be unlisted<", ">2 livres seraient retirés<", ">1 unread notification<", ">1 notification non lue<")
	ada.offers("Topology", "40")
	says(">3 books would be unlisted<", ">3 livres seraient retirés<", ">2 unread notifications<", ">2 notifications non lues<")
}

func TestOwnersGiveRolesAndUnlistOldBooks(t *testing.T) {
	c := newCampus(t)
	ada, olga := c.student("Ada"), c.staff("Olga", user.Owner)
	p := olga.open("/dashboard/people?search=ad").shows(200, "Ada Doe", "ada@campus.edu", "box-Ada", "Make admin").lacks("Olga Doe")
	id := p.hidden("id")
	olga.send("/dashboard/people/promote", "id", id, "back", "/dashboard/people?search=ad").shows(200, "The role was changed", "Remove admin rights")
	ada.open("/dashboard").shows(200, "Sales volume")
	olga.send("/dashboard/people/demote", "id", id, "back", "/dashboard/people").shows(200, "Make admin")
	ada.open("/dashboard").shows(403)
	olga.open("/dashboard/people?search=nobody").shows(200, "No results.")
	olga.open("/dashboard/people?search=" + strings.Repeat("x", 300)).shows(400)

	old := ada.offers("Old", "5")
	c.Clock.Advance(63 * 24 * time.Hour)
	olga.send("/login", "email", "olga@campus.edu", "password", "correct horse battery")
	ada.send("/login", "email", "ada@campus.edu", "password", "correct horse battery")
	fresh := ada.offers("Fresh", "5")
	olga.open("/dashboard/tidy").shows(200, `value="62"`).lacks("Unlist these books")
	olga.open("/dashboard/tidy?days=62").shows(200, "1 book would be unlisted", "/book?id="+old, "Unlist these books").lacks("/book?id=" + fresh)
	olga.open("/dashboard/tidy?days=-1").shows(400, "0 to 36500")
	olga.open("/dashboard/tidy?days=soon").shows(400, "0 to 36500")
	ada.open("/book?id="+old).shows(200, "for sale")
	olga.send("/dashboard/tidy", "days", "62").shows(200, "their sellers notified")
	ada.open("/mine").shows(200, "Relist")
	olga.open("/dashboard/audit").shows(200, "books.unlisted", "user.role_set", "olga@campus.edu", "1 book listed 62 days ago or earlier")
}

// broken is an Authenticator whose store is down.
type broken struct{ httpx.Authenticator }

func (broken) Authenticate(context.Context, string, user.ClientInfo) (user.Caller, error) {
	return user.Caller{}, fault.New(fault.Unavailable, "unavailable", "Sessions cannot be read.").After(time.Second)
}

func TestPublicPagesWorkWhileAuthenticationIsDown(t *testing.T) {
	c := newCampusBehind(t, nil, func(a httpx.Authenticator) httpx.Authenticator { return broken{a} })
	v := c.visitor()
	v.cookies["octavo_access"] = "token-1"
	v.open("/").shows(200, "No books for sale yet.")
	if p := v.open("/mine").shows(http.StatusServiceUnavailable, "Sessions cannot be read."); p.header.Get("Retry-After") == "" {
		t.Error("there is no Retry-After")
	}
}

func TestAnOwnerMakesACampusStoreOnThePersonsPage(t *testing.T) {
	c := newCampus(t)
	ada, adam, olga := c.student("Ada"), c.staff("Adam", user.Admin), c.staff("Olga", user.Owner)
	for range 60 {
		ada.offers("Topology", "20")
	}
	form := []string{"name", "Geometry", "course", "X 1", "edition", "2", "price", "20", "condition", "good", "date", "2026-09-01"}
	ada.send("/sell", form...).shows(429, "You have listed as many books as one person may in a day", `value="Geometry"`)
	here := "/dashboard/people/person?id=" + c.idOf("Ada")
	adam.open(here).shows(200).lacks("Campus store")
	olga.open(here).shows(200, "Campus store", "Make a campus store")
	adam.send("/dashboard/people/store", "id", c.idOf("Ada"), "store", "yes", "back", here).shows(403)
	olga.send("/dashboard/people/store", "id", c.idOf("Ada"), "store", "yes", "back", here).shows(200, "This is a campus store now.", "End the campus store", "user.store_set")
	ada.send("/sell", form...).shows(200)
	olga.send("/dashboard/people/store", "id", c.idOf("Ada"), "store", "no", "back", here).shows(200, "This is no campus store any more.", "Make a campus store")
}

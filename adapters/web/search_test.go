package web_test

import (
	"context"
	"net/url"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/user"
)

// findOneDelivery finds the one delivery that an inbox has.
func findOneDelivery(_ context.Context, _, id string) (inbox.Delivery, error) {
	if id != "72d3162e-cc78-11e3-81ab-4c9367dc0958" {
		return inbox.Delivery{}, inbox.ErrNotFound
	}
	return inbox.Delivery{ID: id, Source: "default", Event: "issues", Action: "opened"}, nil
}

const lookFor = "/dashboard/search?q="

func TestAnAdminFindsPeopleBooksOrdersAndDeliveriesInOnePlace(t *testing.T) {
	c := newCampus(t)
	c.pages.FindDelivery = findOneDelivery
	ada, ben, adam := c.student("Ada"), c.student("Ben"), c.staff("Adam", user.Admin)
	book := ada.offers("Linear Algebra", "40")
	ben.buys(book)
	own := adam.offers("Linear Models", "10")
	_, order := ben.order()
	const person, ofBook, ofOrder = "/dashboard/people/person?id=", "/dashboard/books/book?id=", "/dashboard/orders/order?id="
	for typed, want := range map[string][]string{
		"ben@campus.edu": {">Ben Doe</a>", ofOrder + order}, "Ben": {person, ofOrder + order},
		book: {ofBook + book}, order: {ofOrder + order}, "linear": {ofBook + own, ofOrder + order},
		"72d3162e-cc78-11e3-81ab-4c9367dc0958": {"/webhooks/delivery?id=72d3162e-cc78-11e3-81ab-4c9367dc0958&amp;source=default", "issues.opened"},
	} {
		p := adam.open(lookFor+url.QueryEscape(typed)).shows(200, "data-found")
		for _, w := range want {
			if !strings.Contains(p.body, w) {
				t.Errorf("%q does not find %s: %s", typed, w, p.body)
			}
		}
	}
	adam.open(lookFor+"zymurgy").shows(200, "No results.")
	adam.open(lookFor + "%00").shows(200)
	adam.open(lookFor+strings.Repeat("x", 5000)).shows(200, "No results.")
	adam.open("/dashboard/search").shows(200, "Name, address, title").lacks("data-found")
	ada.open(lookFor + "ben").shows(403).lacks("ben@campus.edu")
	c.visitor().open(lookFor+"ben").shows(200, "Sign in").lacks("ben@campus.edu")
}

func TestAnAdminOfOneCampusFindsNothingOfAnother(t *testing.T) {
	c := newOneCampusAdmins(t)
	zoe := c.studentAt("Elsewhere", "Zoe")
	botany, gone := zoe.offers("Botany", "10"), zoe.offers("Botany for Poets", "10")
	zoe.send("/mine/unlist", "id", gone).shows(200)
	yves := c.studentAt("Elsewhere", "Yves")
	yves.buys(botany)
	_, order := yves.order()
	zoe.offers("Botany, Second Part", "10")
	dean, owner := c.staff("Dean", user.Admin), c.staff("Olga", user.Owner)
	for _, typed := range []string{"zoe@campus.edu", "Zoe", "Botany", botany, gone, order} {
		dean.open(lookFor+url.QueryEscape(typed)).shows(200, "No results.").lacks("?id=")
		owner.open(lookFor+url.QueryEscape(typed)).shows(200, "?id=", "data-found").lacks("No results.")
	}
}

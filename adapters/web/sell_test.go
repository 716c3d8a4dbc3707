package web_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// aBook is the form of a book, changed by pairs.
func aBook(pairs ...string) []string {
	values := map[string]string{
		"name": "Calculus", "course": "MATH 161", "edition": "8", "condition": "Good", "price": "40", "date": "2026-09-07",
		"ISBN": "0-306-40615-2", "Comments": "Notes in pencil", "authors": "Jane Stuart",
	}
	for i := 0; i < len(pairs); i += 2 {
		values[pairs[i]] = pairs[i+1]
	}
	var all []string
	for name, value := range values {
		all = append(all, name, value)
	}
	return all
}

// delivers sells a book to the buyer and delivers it.
func (v *visit) delivers(buyer, admin *visit, pairs ...string) {
	v.t.Helper()
	id := v.send("/sell", aBook(pairs...)...).shows(200, "Your book is listed").hidden("id")
	buyer.buys(id)
	admin.send("/dashboard/orders/confirm", "id", id, "back", "/dashboard/orders").shows(200)
	admin.send("/dashboard/orders/pay", "id", id, "back", "/dashboard/orders").shows(200, "the seller has been paid")
}

func TestSellingBeginsWithTheISBN(t *testing.T) {
	c := newCampus(t)
	ada, ben := c.student("Ada"), c.student("Ben")
	ben.open("/sell").shows(200, "Start with the ISBN", `name="isbn" type="text" data-scan="Scan the barcode"`, `value="`+c.Clock.Now().Format("2006-01-02")+`"`)
	ben.open("/sell?isbn=0306406152").shows(200, "You are the first to sell this book here", "too few past sales", `value="9780306406157"`)
	for _, name := range []string{"Claculus", "Calculus", "Calculus"} {
		ada.send("/sell", aBook("name", name)...).shows(200, "Your book is listed")
	}
	ben.open("/sell?isbn=12345").shows(400, "correct check digit", `value="12345"`)
	ben.open("/sell?isbn=978-0-306-40615-7").shows(200, "We filled in what is known of this ISBN", `value="Calculus"`, `value="MATH 161"`, `value="8"`).
		lacks("Claculus", "You are the first", `value="40`)
}

// findStewart is a table of one ISBN.
func findStewart(isbn book.ISBN) (book.Suggestion, bool, error) {
	if isbn != "9781285741550" {
		return book.Suggestion{}, false, nil
	}
	return book.Suggestion{Name: "Calculus", Authors: "James Stewart", Edition: 8, Year: 2016}, true, nil
}

func TestTheFormSaysInWhichYearTheEditionOfAnISBNWasPublished(t *testing.T) {
	c := newCampus(t)
	ada := c.student("Ada")
	ada.open("/sell?isbn=1-285-74155-2").shows(200, "We filled in what is known of this ISBN", "2016 · James Stewart · edition 8", `value="James Stewart"`)
	ada.send("/sell", aBook("ISBN", "9781285741550", "edition", "9")...).shows(200, "Your book is listed")
	ada.open("/sell?isbn=9781285741550").shows(200, "2016 · Jane Stuart · edition 9")
	ada.open("/sell?isbn=9780306406157").shows(200, "You are the first").lacks("2016")
}

func TestAPreviewShowsTheBookAndListsNothing(t *testing.T) {
	c := newCampus(t)
	ada := c.student("Ada")
	start := ada.open("/sell").shows(200, `formaction="/sell/preview"`)
	kept := aBook("key", start.hidden("key"), "name", "Calculus <i>", "condition", "Fair")
	p := ada.send("/sell/preview", kept...).shows(200, `id="preview-head">Preview`, "<h3>Calculus <i></h3>", "Well used", "You get", "$40.00", "The buyer pays", "$42.00",
		"Notes in pencil", `form="listing"`, `<form id="listing" method="post" action="/sell">`, `value="Calculus <i>"`, `value="Fair" checked`, `value="0-306-40615-2"`)
	if strings.Contains(p.body, "<i>") {
		t.Error("the title is not escaped")
	}
	if p.hidden("key") != start.hidden("key") {
		t.Error("the preview has another key: going back and listing would list the book twice")
	}
	ada.open("/mine").lacks("Calculus")
	ada.send("/sell", kept...).shows(200, "Your book is listed")
	ada.send("/sell", kept...).shows(200, "Your book is listed")
	if n := strings.Count(ada.open("/mine").body, `href="/book?id=`); n != 1 {
		t.Errorf("%d books are listed, want 1", n)
	}
}

func TestAMistakeInTheFormOrThePreviewKeepsWhatWasTyped(t *testing.T) {
	c := newCampus(t)
	ada := c.student("Ada")
	for _, path := range []string{"/sell", "/sell/preview"} {
		ada.send(path, aBook("name", " ", "price", "cheap", "ISBN", "12", "condition", "Fair")...).shows(400, "Some fields are invalid.",
			"Must be 1 to 300", "Must be an amount", "correct check digit", `value="cheap"`, `value="12"`, `value="MATH 161"`, `value="Fair" checked`, "Notes in pencil").lacks("preview-head")
	}
	ada.cookies = map[string]string{}
	ada.send("/sell/preview", aBook()...).shows(401, "You have been signed out", `value="Calculus"`, "Notes in pencil")
}

func TestWhatPeoplePasteIntoTheFormIsReadAndShown(t *testing.T) {
	c := newCampus(t)
	ada := c.student("Ada")
	kept := []string{"ISBN", "ISBN 978-0-306-40615-7 (pbk.)", "price", "12,50 $", "edition", "3rd ed.", "date", "7 Sep 2026", "condition", "very good"}
	pasted := aBook(kept...)
	ada.send("/sell/preview", pasted...).shows(200, "<dd>9780306406157</dd>", "Read as 9780306406157", "Read as $12.50", "Read as 3<", "edition 3", "<strong>$12.50</strong>")
	ada.send("/sell/preview", aBook()...).shows(200, "Read as 9780306406157").lacks("Read as $", "Read as 8")
	ada.send("/sell", aBook(append(kept, "name", " ")...)...).shows(400, "Must be 1 to 300", "Read as $12.50", `value="12,50 $"`)
	ada.send("/sell", aBook("date", "7/12/2026")...).shows(400, "This can be two dates.")
	ada.send("/sell", pasted...).shows(200, "Your book is listed")
	ada.open("/mine").shows(200, "$12.50")
	ada.open("/sell?isbn=https://shop.example/dp/0306406152/ref=1").shows(200, `value="9780306406157"`, `value="Calculus"`)
	ada.send("/wanted", "name", "Algebra", "course", "MTH 165", "ISBN", "ISBN-10: 0-306-40615-2", "maxPrice", "€9").shows(400, "Read as 9780306406157", "Must be an amount")
	ada.send("/wanted", "name", "Algebra", "course", "MTH 165", "ISBN", "ISBN-10: 0-306-40615-2", "maxPrice", "1.000,00", "edition", "third").shows(200, "9780306406157", "$1,000.00")
	ada.lang = "fr"
	ada.send("/sell/preview", pasted...).shows(200, "Lu comme 12,50\u00a0$")
}

func TestAnotherCopyHasTheSameTitleAndNeedsACondition(t *testing.T) {
	c := newCampus(t)
	ada, ben := c.student("Ada"), c.student("Ben")
	id := ada.send("/sell", aBook()...).shows(200, "Your book is listed", "Sell another copy").hidden("id")
	p := ada.open("/sell?copy="+id).shows(200, "another copy of a book of yours", `value="Calculus"`, `value="MATH 161"`, `value="8"`, `value="9780306406157"`, `value="40.00"`, `value="Jane Stuart"`,
		`value="`+c.Clock.Now().Format("2006-01-02")+`"`).lacks("Notes in pencil", `value="Good" checked`, "Start with the ISBN")
	ada.send("/sell", aBook("key", p.hidden("key"), "condition", "Poor", "price", "5")...).shows(200, "Your book is listed")
	ben.open("/sell?copy="+id).shows(403, "Only the seller")
	ben.open("/book?id="+id).shows(200, "<p>Jane Stuart</p>")
	ben.open("/?q=stuart+calculus").shows(200, "2 books")
	ben.open("/sell?copy=1").shows(404)
}

func TestAPriceHintIsOnTheBooksPageAndWhileSelling(t *testing.T) {
	c := newCampus(t)
	ada, ben, dean := c.student("Ada"), c.student("Ben"), c.staff("Dean", user.Admin)
	for i, price := range []string{"10", "20", "30"} {
		ada.delivers(c.student(fmt.Sprint("Buyer", i)), dean, "price", price)
	}
	hint := []string{"What it sells for", "Half of the copies sold for $15.00 to $25.00; the typical price is $20.00.", "From 3 sales with this ISBN", "<svg", `aria-label="Prices from $15.00 to $25.00, the typical one $20.00"`}
	ben.open("/sell?isbn=0306406152").shows(200, hint...).lacks("This copy")
	ben.send("/sell/preview", aBook("price", "60")...).shows(200, append(hint, "This copy: $60.00", "$75.00")...)
	id := ada.send("/sell", aBook("price", "18")...).hidden("id")
	c.visitor().open("/book?id="+id).shows(200, append(hint, "This copy: $18.00")...)
	id = ada.send("/sell", aBook("ISBN", "", "name", "A Workbook")...).hidden("id")
	c.visitor().open("/book?id="+id).shows(200, "From 3 sales for this course")
	id = ada.send("/sell", aBook("ISBN", "", "name", "calculus", "course", "X 1")...).hidden("id")
	c.visitor().open("/book?id="+id).shows(200, "From 3 sales of this title")
	id = ada.send("/sell", aBook("ISBN", "", "name", "?!", "course", "…")...).hidden("id")
	c.visitor().open("/book?id="+id).shows(200, "?!").lacks("What it sells for", "too few")
	ben.lang = "fr"
	ben.open("/sell?isbn=0306406152").shows(200, "À quel prix il se vend", "entre 15,00\u00a0$ et 25,00\u00a0$\u00a0; le prix habituel est de 20,00\u00a0$")
}

package web_test

import (
	"net/url"
	"strings"
	"testing"
)

func TestStudentsSaveASearchAndManageIt(t *testing.T) {
	c := newCampus(t)
	ada, ben := c.student("Ada"), c.student("Ben")
	path := "/?q=%3Cb%3Ealgebra&university=&maxPrice=50"
	c.visitor().open(path).shows(200).lacks("Save this search")
	ada.open("/").shows(200).lacks("Save this search")
	found := ada.open(path).shows(200, "Save this search", `name="maxPrice" value="50"`)
	ada.open("/searches").shows(200, "You have not saved any searches yet.")
	for range 2 { // pressing it twice saves once
		ada.send("/searches", "key", found.hidden("key"), "q", "<b>algebra", "maxPrice", "50").shows(200, "We’ll tell you when a new book matches", "<b>algebra", "up to $50.00", "with emails")
	}
	page := ada.open("/searches")
	if n := strings.Count(page.body, `action="/searches/delete"`); n != 1 || strings.Contains(page.body, "<b>algebra") {
		t.Errorf("%d searches: %s", n, page.body)
	}
	id := page.hidden("id")
	ada.open("/?"+url.Values{"maxPrice": {"50.00"}, "q": {"<b>algebra"}, "university": {""}}.Encode()).shows(200, "Search: <b>algebra")
	for _, change := range []string{"/searches/stop", "/searches/delete", "/searches/mail", "/searches/request"} {
		ben.send(change, "id", id).shows(404)
	}
	ada.send("/searches/stop", "id", id).shows(200, "You won’t get any more emails about this search.", "without emails")
	ada.send("/searches/mail", "id", id).shows(200, "with emails")
	ada.send("/searches/request", "id", id, "key", page.hidden("key")).shows(200, "Your request is saved", "<b>algebra", "up to $50.00")
	ada.send("/searches/delete", "id", id).shows(200, "The search was deleted.", "You have not saved any searches yet.")
	ada.send("/searches", "q", "?!").shows(400)
}

func TestASearchWithAPastedConditionCourseAndPriceIsShownAsReadAndSaved(t *testing.T) {
	ada := newCampus(t).student("Ada")
	found := ada.open("/?"+url.Values{"university": {""}, "condition": {"Used: comme neuf"}, "course": {" csc\t172"}, "maxPrice": {"1.234,50 $"}}.Encode()).
		shows(200, `<option value="Like New" selected>`, "up to $1,234.50", `name="condition" value="Like New"`)
	ada.send("/searches", "key", found.hidden("key"), "condition", "comme neuf", "course", " csc\t172", "maxPrice", "1.234,50 $").
		shows(200, "We’ll tell you when a new book matches", "Like New", "csc 172", "up to $1,234.50")
	ada.open("/sell?isbn=9780134685991+or+9780262033848").shows(400, "This has several ISBNs.")
	ada.open("/wanted?ISBN="+url.QueryEscape("https://shop.example/dp/0134685997")).shows(200, "Read as 9780134685991")
}

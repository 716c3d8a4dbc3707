package web_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
)

func TestAdminsSeeWhatHasHappenedToABook(t *testing.T) {
	c := newCampus(t)
	ada, ben, cay, adam := c.student("Ada"), c.student("Ben"), c.student("Cay"), c.staff("Adam", user.Admin)
	cay.send("/wanted", "name", "Linear <Algebra>", "course", "MATH 165")
	id := ada.offers("Linear <Algebra>", "40")
	ada.send("/sell", "id", id, "name", "Linear <Algebra>", "edition", "3", "course", "MATH 165", "price", "35", "condition", "Good", "date", "2026-09-07").shows(200)
	ben.buys(id)
	p := adam.step("cancel", adam.open("/dashboard/orders?status=1"))
	adam.send("/dashboard/orders/cancel", "id", id, "sale", p.hidden("sale"), "reason", "A page is <missing>.", "back", "/").shows(200)

	adam.open("/dashboard/books?status=0").shows(200, `<a href="/dashboard/books/book?id=`+id+`">`)
	page := adam.open("/dashboard/books/book?id=" + id)
	page.shows(200, "<h1>Linear <Algebra></h1>", "$35.00", "Posted", "ada@campus.edu", "Changed the price", "40.00 → 35.00 USD", "Ordered", "Order ", "Cancelled", "A page is <missing>.",
		"Matching requests", "cay@campus.edu", "Unlist", "/dashboard/people/person?id=")
	if posted, sold := strings.Index(page.read(), "Posted · "), strings.Index(page.read(), "Ordered · "); posted < 0 || sold < posted {
		t.Error("the history is not in the order of time")
	}
	adam.open("/dashboard/books/book?id=1").shows(404)
	ada.open("/dashboard/books/book?id=" + id).shows(403)
	_, seller, _ := strings.Cut(page.body, `<a href="/dashboard/people/person?id=`)
	seller, _, _ = strings.Cut(seller, `"`)
	adam.open("/dashboard/people/person?id="+seller).shows(200, `<a href="/dashboard/books/book?id=`+id+`">Linear <Algebra></a>`, "/dashboard/orders?search=ada%40campus.edu")
}

func TestAdminsReadTheTitlesBeforeTheyUnlistBooks(t *testing.T) {
	c := newCampus(t)
	ada, ben, adam := c.student("Ada"), c.student("Ben"), c.staff("Adam", user.Admin)
	first, second, sold := ada.offers("Algebra", "40"), ada.offers("Botany", "20"), ada.offers("Chemistry", "10")
	list := adam.open("/dashboard/books").shows(200, `name="book" value="`+first+`"`, "Unlist the chosen books")
	list.shows(200, `action="/dashboard/books/unlist"`).lacks(`method="post" action="/dashboard/books`)
	ben.buys(sold)
	adam.open("/dashboard/books/unlist").shows(200, "Tick the books to unlist.")
	query := "?book=" + first + "&book=" + second + "&book=" + sold
	adam.open("/dashboard/books/unlist"+query).shows(200, "2 books will be unlisted.", "Algebra", "Botany", "Chemistry", "It is not for sale", "Unlist 2 books")
	adam.send("/dashboard/books/unlist", "book", first, "reason", " ").shows(400, "Give a reason", "Algebra", "1 book will be unlisted.")
	ada.open("/book?id="+first).shows(200, "for sale")
	done := adam.send("/dashboard/books/unlist", "book", first, "reason", "Not a <textbook>.").shows(200, "1 book has been unlisted.", "The seller has been notified.")
	done.lacks("Unlist 1 book")
	adam.send("/dashboard/books/unlist", "book", first, "reason", "Again.").shows(200, "0 books have been unlisted.", "status does not allow")
	ada.open("/notifications").shows(200, "“Algebra” is no longer listed.")
	ada.send("/mine/relist", "id", first).shows(409, "An admin has unlisted this book")
	adam.open("/dashboard/books/book?id="+first).shows(200, "only an admin can relist it", "Unlisted the book", "Not a <textbook>.", "adam@campus.edu", "Relist").lacks("/dashboard/books/unlist?book=")
	adam.send("/dashboard/books/relist", "id", first).shows(200, "Relisted the book").lacks("only an admin can relist it")
	ben.open("/book?id="+first).shows(200, "Buy now")
	for _, path := range []string{"/dashboard/books/unlist", "/dashboard/books/relist"} {
		ada.send(path, "book", second, "id", second, "reason", "x").shows(403)
	}
	ada.open("/dashboard/books/unlist" + query).shows(403)
}

func TestTablesOfTheConsoleAreSortedByPlainLinks(t *testing.T) {
	c := newCampus(t)
	ada, olga := c.student("Ada"), c.staff("Olga", user.Owner)
	ada.offers("Algebra", "40")
	ada.offers("Chemistry", "9")
	ada.offers("Botany", "20")
	for path, link := range map[string]string{"/dashboard/books?status=0": "#books", "/dashboard/tidy?days=0": "#books"} {
		for sort, want := range map[string][]string{
			"price": {"Chemistry", "Botany", "Algebra"}, "-price": {"Algebra", "Botany", "Chemistry"}, "title": {"Algebra", "Botany", "Chemistry"}, "-title": {"Chemistry", "Botany", "Algebra"},
		} {
			p := olga.open(path+"&sort="+sort).shows(200, `aria-sort="`, link)
			_, table, _ := strings.Cut(p.body, "<tbody>")
			at := -1
			for _, title := range want {
				i := strings.Index(table, ">"+title+"</a>")
				if i < at {
					t.Errorf("%s by %s: %s is not in its place", path, sort, title)
				}
				at = i
			}
		}
		olga.open(path + "&sort=nonsense").shows(200).lacks("aria-sort")
	}
	olga.open("/dashboard/audit?sort=action").shows(200, `<th scope="col" aria-sort="ascending"><a href="/dashboard/audit?sort=-action#entries">Action`)
}

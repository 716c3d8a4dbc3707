package web_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/domain/user"
)

// lists posts a book with an ISBN.
func (v *visit) lists(name, isbn, price, condition string) {
	v.t.Helper()
	v.send("/sell", "name", name, "ISBN", isbn, "course", "MATH 165", "edition", "2", "price", price, "condition", condition, "date", "2026-09-07").shows(200, "Your book is listed.")
}

const algebra = "9780306406157"

func TestStudentsSeeTheirOwnCampusFirstAndSwitchToAll(t *testing.T) {
	c := newCampus(t)
	ada, eve := c.student("Ada"), c.studentAt("Elsewhere College", "Eve")
	ada.lists("Topology", "", "20", "Good")
	eve.lists("Geometry", "", "30", "Good")
	home := ada.open("/").shows(200, "Topology", "1 book<", `aria-current="true">Campus</a>`, "All campuses", `id="shelf-elsewhere"`)
	if own, elsewhere, _ := strings.Cut(home.body, `id="shelf-elsewhere"`); strings.Contains(own, "Geometry") || !strings.Contains(elsewhere, "Geometry") {
		t.Errorf("books of another campus are not apart:\n%s", home.body)
	}
	if !strings.Contains(home.body, `href="/?university="`) {
		t.Errorf("no link to all campuses in %s", home.body)
	}
	ada.open("/?university=").shows(200, "Topology", "Geometry", "2 books", `aria-current="true">All campuses</a>`, `href="/?university=Campus"`)
	ada.open("/?university=elsewhere+college").shows(200, "Geometry", "Remove the filter").lacks("Topology")
	ada.open("/?q=geometry").shows(200, "No one on your campus is selling this right now.", `href="/wanted?name=geometry"`, `href="/?q=geometry&university="`)
	ada.open("/?q=algebra").shows(200, "No one is selling this right now.", `href="/wanted?name=algebra"`, `href="/?q=algebra&university="`).lacks("On other campuses")
	c.visitor().open("/").shows(200, "Topology", "Geometry").lacks("All campuses")
	c.studentAt("—", "Zed").open("/").shows(200, "Topology", "Geometry").lacks("All campuses")
}

func TestFiltersAreRemovedOneByOneOrAllAtOnce(t *testing.T) {
	c := newCampus(t)
	ada := c.student("Ada")
	ada.lists("Topology", "", "20", "Good")
	c.visitor().open("/?q=topology&university=campus&course=math165&condition=Good&minPrice=10&maxPrice=25%2C50&sort=price").shows(200, "Topology",
		`href="/?condition=Good&course=math165&maxPrice=25%2C50&minPrice=10&q=topology&sort=price"`,
		`href="/?condition=Good&course=math165&maxPrice=25%2C50&q=topology&sort=price&university=campus"`,
		"from $10.00", "up to $25.50", `href="/?q=topology&sort=price">Clear all`)
	c.visitor().open("/?minPrice=x").shows(400, `<p role="alert">Some fields are invalid.</p>`, `id="f-minPrice-wrong">Must be an amount`, "Remove the filter")
	c.visitor().open("/").shows(200, `<datalist id="f-university-list"><option value="Campus"></datalist>`, `<datalist id="f-course-list"><option value="MATH 165"></datalist>`)
}

// What a page has read for everybody is kept for a minute; whoever changes it sees the change at once.
func TestWhatOneListsOrBuysCountsOnTheNextPage(t *testing.T) {
	c := newCampus(t)
	ada, ben := c.student("Ada"), c.student("Ben")
	ada.open("/").shows(200, "No books for sale on your campus yet.")
	c.visitor().open("/?course=math165").shows(200, "No one is selling this right now.")
	ada.lists("Linear Algebra", algebra, "30", "Good")
	ada.open("/").shows(200, "1 book<", "$30.00", `<option value="MATH 165">`).lacks("from $")
	c.visitor().open("/?course=math165").shows(200, "1 book<", `<datalist id="f-university-list"><option value="Campus"></datalist>`)
	ada.lists("Linear Algebra", algebra, "24", "Fair")
	ada.open("/").shows(200, "2 books", "from $24.00", "2 copies")
	c.visitor().open("/?q=algebra").shows(200, "2 books", "from $24.00", "2 copies").lacks("Showing results for")
	c.visitor().open("/?q=algebar&sort=price").shows(200, "2 books", "Nothing has “algebar”.", `Showing results for <a href="/?q=Algebra&sort=price">Algebra</a>`)
	copies := ben.open("/title?isbn=" + algebra).body
	cheap := copies[strings.Index(copies, "/book?id=")+len("/book?id="):]
	ben.buys(cheap[:strings.IndexByte(cheap, '"')])
	ben.open("/").shows(200, "1 book<", "$30.00").lacks("$24.00", "2 copies")
	c.visitor().open("/?q=algebra").shows(200, "1 book<").lacks("2 copies")
}

func TestCopiesOfATitleAreOneEntryWithAPageOfTheirOwn(t *testing.T) {
	c := newCampus(t)
	ada, ben := c.student("Ada"), c.student("Ben")
	ada.lists("Linear Algebra", algebra, "30", "Good")
	ada.lists("Linear Algebra", algebra, "24", "Fair")
	c.studentAt("Elsewhere College", "Eve").lists("Linear Algebra", algebra, "18", "New")
	ben.open("/").shows(200, "from $24.00", "2 copies", `href="/title?isbn=`+algebra+`&university=Campus"`).lacks("$30.00")
	c.visitor().open("/?q=algebra").shows(200, "from $18.00", "3 copies")
	page := ben.open("/title?isbn="+algebra+"&university=Campus").shows(200, "<h1>Linear Algebra</h1>", "2 books", "Good", "Fair", "Add to cart", "Request another one")
	if strings.Index(page.read(), "$24.00 · Fair") > strings.Index(page.read(), "$30.00 · Good") {
		t.Error("the cheapest copy is not first")
	}
	if own, others, _ := strings.Cut(page.read(), "On other campuses"); strings.Contains(own, "$18.00 · New") || !strings.Contains(others, "$18.00 · New") || strings.Contains(others, "$24.00") {
		t.Errorf("the copies are not divided: %s", page.body)
	}
	ben.open("/title?isbn=0-306-40615-2&university=&condition=New").shows(200, "$18.00 · New", "Elsewhere College").lacks("$24.00 · Fair")
	ben.open("/title?isbn="+algebra+"&university=Nowhere").shows(200, "No copy fits your filters", "Show all copies")
	ben.open("/title?isbn=9780262033848").shows(200, "<h1>ISBN 9780262033848</h1>", "No one is selling this right now.", `href="/wanted?ISBN=9780262033848"`)
	ben.open("/title?isbn=17").shows(404, "There is no such title.")
}

func TestABookShowsWhatABuyerWantsToKnow(t *testing.T) {
	c := newCampus(t)
	ada, ben := c.student("Ada"), c.student("Ben")
	ada.lists("Linear Algebra", algebra, "30", "Good")
	ada.lists("Linear Algebra", algebra, "24", "Fair")
	id := ada.offers("Topology & <Knots>", "20")
	page := ben.open("/book?id="+id).shows(200, "$20.00", "plus a fee of $1.00", "$21.00 in all", "Buy now", "Add to cart", "Good</strong> <span class=\"muted\">Used with care", "<strong>Ada</strong>, Campus", "Member since",
		`<meta property="og:title" content="Topology & <Knots>">`, `<meta property="og:url" content="https://octavo.example/book?id=`+id+`">`).lacks("Doe", "ada@campus.edu", " sales", "1 sale<")
	if strings.Contains(page.body, "Other copies") {
		t.Error("other titles are offered as copies")
	}
	ben.send("/cart/add", "id", id, "back", "/cart").shows(200, "Your cart", "Topology")
	first := ben.open("/title?isbn=" + algebra).body
	copyID := first[strings.Index(first, "/book?id=")+len("/book?id="):]
	copyID = copyID[:strings.IndexByte(copyID, '"')]
	ben.open("/book?id="+copyID).shows(200, "$24.00", "Other copies", "$30.00", "Compare all copies")
	ben.lang = "fr"
	ben.open("/book?id="+id).shows(200, "Acheter maintenant", "Membre depuis")
}

func TestASearchThatFindsFewOnOnesCampusShowsCopiesOnOthersApart(t *testing.T) {
	c := newCampus(t)
	ada, ben, eve := c.student("Ada"), c.student("Ben"), c.studentAt("Elsewhere College", "Eve")
	for _, price := range []string{"31", "32", "33", "34", "35"} {
		eve.lists("Geometry", "", price, "Good")
	}
	eve.lists("Linear Algebra", algebra, "18", "New")
	eve.lists("Linear Algebra", algebra, "19", "New")
	none := ada.open("/?q=geometry").shows(200, "No one on your campus is selling this right now.", "Request it", `<h2 class="results">On other campuses</h2>`,
		"$31.00", "$35.00", "Elsewhere College", "Add to cart", `href="/?q=geometry&university="`).lacks("No one is selling this", "5 books")
	if _, others, _ := strings.Cut(none.body, "On other campuses"); strings.Count(others, "Elsewhere College") != 5 {
		t.Errorf("the copies elsewhere are not after the divider: %s", none.body)
	}
	ben.lists("Geometry", "", "40", "Good")
	few := ada.open("/?q=geometry").shows(200, "1 book<", "$40.00", "On other campuses", "$31.00").lacks("No one")
	if _, others, _ := strings.Cut(few.body, "On other campuses"); strings.Contains(others, "$40.00") {
		t.Errorf("one's own campus is among the others: %s", few.body)
	}
	ada.open("/?q=algebra").shows(200, "2 copies", `href="/title?isbn=`+algebra+`&university="`)
	ada.open("/?course=math165&maxPrice=20").shows(200, "No one on your campus", "On other campuses", "from $18.00")
	ada.open("/title?isbn="+algebra+"&university=Campus").shows(200, "No one on your campus", "On other campuses", "$18.00 · New", "$19.00 · New")
	ada.open("/?sort=newest").shows(200, "1 book<").lacks("On other campuses")
	ada.open("/?q=geometry&university=").shows(200, "6 books").lacks("On other campuses")
	c.visitor().open("/?q=geometry&university=campus").shows(200, "1 book<").lacks("On other campuses")
}

func TestTheFrontPageOfAStudentHasShelves(t *testing.T) {
	c := newCampus(t)
	ada, ben, dean := c.student("Ada"), c.student("Ben"), c.staff("Dean", user.Admin)
	for _, buyer := range []*visit{ben, c.student("Cat"), c.student("Dan")} {
		ada.delivers(buyer, dean, "name", "Linear Algebra", "ISBN", algebra, "price", "30")
	}
	cheap := ada.send("/sell", aBook("name", "Linear Algebra", "ISBN", algebra, "price", "12")...).shows(200, "Your book is listed").hidden("id")
	usual := ada.offers("Topology", "28")
	zoe := c.studentAt("Elsewhere College", "Zoe")
	zoe.offers("Geometry", "9")
	zoe.send("/wanted", "name", "Anything a stranger types", "course", "MATH 1", "ISBN", algebra)

	home := ben.open("/").shows(200, "Choose your courses, and their books come first on this page.", "New on your campus")
	shelf := func(id string) string {
		_, after, _ := strings.Cut(home.body, `aria-labelledby="shelf-`+id+`"`)
		books, _, _ := strings.Cut(after, "</section>")
		return books
	}
	for id, want := range map[string]string{
		"cheap": "/book?id=" + cheap, "price": "/book?id=" + usual, "elsewhere": "Geometry", "wanted": "1 student is looking for it",
	} {
		if !strings.Contains(shelf(id), want) {
			t.Errorf("the shelf %s has no %q:\n%s", id, want, home.body)
		}
	}
	home.lacks("Anything a stranger types", `id="shelf-seen"`)
	ben.open("/book?id=" + usual)
	home = ben.open("/").shows(200)
	if !strings.Contains(shelf("seen"), "Topology") || strings.Contains(shelf("price"), "Topology") {
		t.Errorf("what was seen is not shown once:\n%s", home.body)
	}
	zoe.open("/").shows(200, "Geometry").lacks(`id="shelf-wanted"`, `id="shelf-price"`)
	c.visitor().open("/").shows(200, "How it works", "Just listed").lacks(`class="shelf"`)
	ben.lang = "fr"
	ben.open("/").shows(200, "Vus récemment", "Sur d’autres campus")
}

package e2e_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/octavo-books/octavo/test/e2e"
)

// follow clicks the link whose address begins with a text.
func (b *tab) follow(address string) {
	b.t.Helper()
	b.do(chromedp.Click(chromedp.CSS(`main a[href^="` + address + `"]`)))
}

// A student looks around on their own campus, then on all, compares the copies of a title and puts
// one into the cart, on a phone and a large screen, with scripts and without.
func TestAStudentFindsACopyOfATitleInABrowser(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t)
	ada := s.Student("ada@campus.edu", "Ada")
	s.Student("ben@campus.edu", "Ben")
	eve := s.Student("eve@campus.edu", "Eve")
	eve.Must(t, 200, "POST", "/api/auth/updateProfile", map[string]any{"university": "Elsewhere College"})
	for _, c := range []struct {
		by        e2e.Client
		price     float64
		condition string
	}{{ada, 30, "good"}, {ada, 24, "fair"}, {eve, 18, "new"}} {
		d := e2e.Draft("Linear Algebra Done Right", "MTH 165")
		d["ISBN"], d["price"], d["condition"] = "9783319110790", c.price, c.condition
		c.by.Must(t, 201, "POST", "/api/books/postBook", d)
	}
	eve.Post(t, "Geometry", "MTH 143")
	for _, c := range []struct {
		width  int64
		script bool
	}{{320, true}, {320, false}, {1280, true}} {
		t.Run(fmt.Sprintf("%d script %v", c.width, c.script), func(t *testing.T) {
			b := openBrowser(t, s.URL)
			if !c.script {
				b.do(withoutScript())
				b.scriptless = true
			}
			b.signIn("ben@campus.edu") // a small screen has the button to sign out on another page
			b.do(chromedp.EmulateViewport(c.width, 640))
			b.open("/")
			b.text("from $24.00")
			b.text("2 copies")
			b.await("String(document.body.innerText.includes('Geometry'))", "false")
			b.fits()
			b.open("/?university=")
			b.text("Geometry")
			b.text("3 copies")
			b.do(chromedp.Click(chromedp.CSS(".browse summary")))
			b.await("document.querySelector('#f-course-list option').value", "MTH 143")
			b.typed("maxPrice", "25\r")
			b.text("up to $25.00")
			b.await("String(document.body.innerText.includes('Geometry'))", "false")
			b.fits()
			b.follow("/title?")
			b.text("$18.00: New")
			b.text("$24.00: Fair")
			b.fits()
			b.follow("/book?")
			b.text("Buy now")
			b.text("Elsewhere College")
			b.text("Other copies")
			b.fits()
			b.do(chromedp.Click(chromedp.CSS(".copy form button")))
			b.await("location.pathname", "/cart")
			b.text("Linear Algebra Done Right")
		})
	}
}

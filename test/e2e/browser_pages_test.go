package e2e_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/octavo-books/octavo/test/e2e"
)

// phone makes the window of the browser that of a small phone.
func (b *tab) phone() {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(320, 640))
}

func TestTheFirstScreenOfAPhoneShowsABookAndAllPlaces(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t, "market")
	ada, _ := s.Student("ada@campus.edu", "Ada"), s.Student("ben@campus.edu", "Ben")
	for i := range 3 {
		ada.Post(t, fmt.Sprintf("Linear Algebra, Part %d", i+1), "MTH 165")
	}
	for name, script := range map[string]bool{"with script": true, "without script": false} {
		t.Run(name, func(t *testing.T) {
			b := openBrowser(t, s.URL)
			b.phone()
			if !script {
				b.do(withoutScript())
				b.scriptless = true
			}
			b.signIn("ben@campus.edu")
			b.open("/")
			b.await(`document.querySelector("header").offsetHeight + ""`, "56")
			b.await(`[...document.querySelectorAll("nav.places a")].map(a => a.innerText.trim()).join(" ")`, "Search Sell Wanted Cart Me")
			b.await(`document.querySelector(".books li h3").getBoundingClientRect().bottom < innerHeight - 60 ? "on the first screen" : "below"`, "on the first screen")
			b.await(`document.documentElement.scrollWidth <= innerWidth ? "fits" : "scrolls sideways"`, "fits")
			b.open("/me")
			b.text("My sales")
			b.do(chromedp.Click(chromedp.CSS("main form[action='/logout'] button")))
			b.text("You are signed out.")
		})
	}
}

func TestAReaderSwitchesTheLanguageInABrowser(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t, "market")
	b := openBrowser(t, s.URL)
	b.open("/login?next=/cart")
	b.do(chromedp.Click(chromedp.CSS("footer button[value=fr]")))
	b.await("document.documentElement.lang", "fr")
	b.text("Se connecter")
	b.await("location.pathname + location.search", "/login?next=/cart")
}

func TestTheBellRingsAndTheCartFillsWhileThePageStays(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t, "market")
	ada, ben := s.Student("ada@campus.edu", "Ada"), s.Student("ben@campus.edu", "Ben")
	for i := range 30 {
		ada.Post(t, fmt.Sprintf("Organic Chemistry, Part %d", i+1), "CHM 201")
	}
	b := openBrowser(t, s.URL)
	b.phone()
	b.signIn("ben@campus.edu")
	b.open("/")
	const last = `[...document.querySelectorAll("form[action='/cart/add'] button")].at(-1)`
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](last+`.scrollIntoView(), window.untouched = true`)); err != nil {
		t.Fatal(err)
	}
	if _, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](last+`.click(), true`)); err != nil {
		t.Fatal(err)
	}
	b.text("The book is in your cart.")
	b.await(`document.querySelector(".places .count").innerText`, "1")
	b.await(`window.untouched && scrollY > innerHeight ? "the same page at the same place" : ""`, "the same page")

	// Ben's request matches a book that is posted while he looks at the page.
	const bell = `document.querySelector(".bell").dataset.count`
	before, err := chromedp.Run(b.ctx, chromedp.Evaluate[string](bell))
	if err != nil {
		t.Fatal(err)
	}
	ben.Must(t, 201, "POST", "/api/books/requestBook", map[string]any{"name": "thermodynamics", "course": "PHY 217"})
	ada.Post(t, "Thermodynamics", "PHY 217")
	b.await(bell+` != "`+before+`" ? "rang" : ""`, "rang")
	b.await(`document.querySelector(".bell .count").innerText`, "")
}

package e2e_test

import (
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/octavo-books/octavo/test/e2e"
)

const focused = "document.activeElement.innerText"

func TestAnAdminGoesThroughTheQueueByKeyboard(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t, "market")
	ada, ben := s.Student("ada@campus.edu", "Ada"), s.Student("ben@campus.edu", "Ben")
	for _, name := range []string{"Algebra", "Botany", "Calculus"} {
		ben.Must(t, 201, "POST", "/api/books/checkoutCart", map[string]any{"bookIds": []string{ada.Post(t, name, "MTH 165")}})
	}
	s.Student("root@campus.edu", "Root")
	s.Promote("root@campus.edu", "owner")
	b := openBrowser(t, s.URL)
	b.signIn("root@campus.edu")
	b.open("/dashboard/orders/queue")
	for _, step := range []struct{ keys, at string }{{"j", "Algebra"}, {"jj", "Calculus"}, {"j", "Calculus"}, {"k", "Botany"}} {
		b.keys(step.keys)
		b.await(focused, step.at)
	}
	b.keys("x")
	b.await(`[...document.querySelectorAll("main :checked")].map(i => i.closest("li").innerText).join()`, "Botany")
	b.keys("?")
	b.await(`document.querySelector("dialog[open]")?.innerText ?? ""`, "Keyboard shortcuts")
	b.accessible("the help about keys")
	b.do(chromedp.Click(chromedp.CSS("[data-keys-on]")), chromedp.Click(chromedp.CSS("#keys form button")))
	b.keys("j")
	b.await(`document.querySelector("dialog[open]") ? "open" : "closed"`, "closed")
	b.open("/dashboard/orders/queue")
	b.keys("jj?")
	b.await(`document.querySelector("dialog[open]") || document.activeElement != document.body ? "keys work" : "no key does anything"`, "no key does anything")
	b.evaluate(`localStorage.clear(), "on again"`)
	b.keys("j\r")
	b.await("location.pathname", "/dashboard/orders/order")
	b.text("Algebra")
}

func TestAnAdminSearchesEverythingFromAnyPageOfTheDashboard(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t, "market")
	id := s.Student("ada@campus.edu", "Ada").Post(t, "Algebra", "MTH 165")
	s.Student("root@campus.edu", "Root")
	s.Promote("root@campus.edu", "owner")
	b := openBrowser(t, s.URL)
	b.signIn("root@campus.edu")
	b.open("/dashboard/people")
	b.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	const found = `(shown => shown ? shown.dataset.of + ": " + shown.innerText : "")(document.querySelector("#find[open] .results"))`
	b.await(`document.querySelector("#find[open]") ? document.activeElement.id : ""`, "find-q")
	b.keys("algebr")
	b.await(found, "algebr: 1 result")
	b.accessible("the dialog of the search")
	b.await(`location.pathname`, "/dashboard/people")
	b.keys("\r")
	b.await("location.pathname + location.search", "/dashboard/books/book?id="+id)
	b.do(chromedp.KeyEvent("k", chromedp.KeyModifiers(chromedp.ModifierCtrl)))
	b.await(`document.querySelector("#find[open]") ? document.activeElement.id : ""`, "find-q")
	b.keys("zymurgy\r")
	b.await("location.pathname + location.search", "/dashboard/search?q=zymurgy")
	b.text("No results.")
}

func TestTheMenuOfTheDashboardOpensOnAPhoneWithoutScript(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t, "market")
	s.Student("root@campus.edu", "Root")
	s.Promote("root@campus.edu", "owner")
	b := openBrowser(t, s.URL)
	b.phone()
	b.do(withoutScript())
	b.scriptless = true
	b.signIn("root@campus.edu")
	b.open("/dashboard")
	const drawer = `document.querySelector("#sections").checkVisibility() ? "open" : "closed"`
	b.await(drawer, "closed")
	b.do(chromedp.Click(chromedp.CSS(".sections .bar button")))
	b.await(drawer, "open")
	b.do(chromedp.Click(chromedp.CSS(`#sections a[href="/dashboard/audit"]`)))
	b.await("location.pathname", "/dashboard/audit")
	b.await(drawer, "closed")
	b.await(`document.documentElement.scrollWidth <= innerWidth ? "fits" : "scrolls sideways"`, "fits")
}

// keys presses keys, whatever has the focus.
func (b *tab) keys(typed string) {
	b.t.Helper()
	b.do(chromedp.KeyEvent(typed))
}

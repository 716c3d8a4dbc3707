package e2e_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"

	"github.com/octavo-books/octavo/test/e2e"
)

// painted is the title of a page that its reader sees.
const painted = `performance.getEntriesByName("first-paint").length ? document.title : ""`

// tap presses and releases the mouse where an element of the page is shown, without waiting for anything.
func (b *tab) tap(selector string) {
	b.t.Helper()
	at, err := chromedp.Run(b.ctx, chromedp.Evaluate[[]float64](fmt.Sprintf(
		`(r => [r.x + r.width / 2, r.y + r.height / 2])(document.querySelector(%q).getBoundingClientRect())`, selector)))
	if err != nil {
		b.t.Fatal(err)
	}
	for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMousePressed, input.DispatchMouseEventTypeMouseReleased} {
		event := input.DispatchMouseEventParams{Type: kind, X: at[0], Y: at[1], Button: input.MouseButtonLeft, ClickCount: 1}
		if _, err := chromedp.Call(b.ctx, input.DispatchMouseEvent, event); err != nil {
			b.t.Fatal(err)
		}
	}
}

// motion says whether the reader likes motion: "reduce" or "no-preference".
func (b *tab) motion(likes string) {
	b.t.Helper()
	media := emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: likes}}}
	if _, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, media); err != nil {
		b.t.Fatal(err)
	}
}

// A page that fades in could lose what is clicked meanwhile.
func TestAClickOnAPageThatHasJustOpenedIsNotLost(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t, "market")
	s.Student("ada@campus.edu", "Ada").Post(t, "Linear Algebra", "MTH 165")
	b := openBrowser(t, s.URL)
	b.motion("no-preference")
	for range 3 {
		b.open("/")
		b.await(painted, "Textbooks")
		b.evaluate(`(addEventListener("pageswap", (e) => { sessionStorage.moves = e.viewTransition != null }), "")`)
		b.tap(".books a")
		b.await(painted, "Linear Algebra")
		b.tap("header a[href='/']")
		b.await(painted, "Textbooks")
		b.await("sessionStorage.moves", "true")
	}
}

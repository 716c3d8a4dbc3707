package e2e_test

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"

	"github.com/octavo-books/octavo/test/e2e"
)

// withoutScript makes the browser run no script of a page.
func withoutScript() chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := cdp.Call(ctx, t, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	})
}

// fits requires that the page does not scroll sideways.
func (b *tab) fits() {
	b.t.Helper()
	b.await("String(document.documentElement.scrollWidth <= innerWidth) + document.documentElement.scrollWidth", "true")
}

// TestAnOperatorInspectsWebhooksInABrowser goes from the list to a delivery, sends it again
// looks at the list change, and pauses and resumes a rule, on a phone and a large screen, with scripts and without.
func TestAnOperatorInspectsWebhooksInABrowser(t *testing.T) {
	t.Parallel()
	var broken atomic.Bool
	target := newServer(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if broken.Load() {
			http.Error(w, "<b>no disk</b>", http.StatusGone)
		}
	}))
	s := e2e.StartWith(t, []string{"WEBHOOK_SECRET=" + inboxSecret, "WEBHOOK_API_TOKEN=token of the operator", "WEBHOOK_FORWARD=push=" + target + "/deploy?key=swordfish"}, "webhooks")
	send := func(id, event string) {
		t.Helper()
		if out, code := s.Octavo("webhooks", "send", event, "--id", id, "--to", s.URL+"/api/host/webhooks"); code != 0 {
			t.Fatalf("sending %s: %s", id, out)
		}
	}
	for _, c := range []struct {
		width  int64
		script bool
	}{{320, false}, {1280, false}, {320, true}, {1280, true}} {
		t.Run(fmt.Sprintf("%d script %v", c.width, c.script), func(t *testing.T) {
			name := fmt.Sprintf("run-%d-%v", c.width, c.script)
			b := openBrowser(t, s.URL)
			b.do(chromedp.EmulateViewport(c.width, 800))
			if !c.script {
				b.do(withoutScript())
				b.scriptless = true
			}
			broken.Store(true)
			send(name, "push")
			send(name+"-other", "issues.opened")
			b.open("/webhooks?event=push&source=default")
			b.typed("token", "token of the operator\r")
			b.text(name)
			b.await("location.search", "event=push")
			b.fits()
			b.do(chromedp.SetValue(chromedp.CSS("#state"), "dead"))
			b.do(chromedp.Click(chromedp.CSS(".filters button")))
			b.await("location.search", "state=dead")
			b.text(name)
			b.await("String(document.body.innerText.includes('-other'))", "false")

			b.do(chromedp.Click(chromedp.CSS(`a[href^="/webhooks/deliveries/` + name + `?"]`)))
			b.text("the target is gone")
			b.text("<b>no disk</b>")
			b.await("String(document.body.innerText.includes('swordfish'))", "false")
			b.fits()
			broken.Store(false)
			b.press("/webhooks/redeliver")
			b.text("Sent again to 1 target.")
			b.fits()
			for !reloadedShows(b, "accepted") {
				b.do(chromedp.Reload())
			}
			b.open("/webhooks")
			b.text("issues.opened")
			if c.script {
				b.await("String(document.querySelector('#live-on').checked)", "true")
				send(name+"-live", "push")
				b.text(name + "-live")
				b.await("document.querySelector('#live-status').innerText", "1 new delivery")
			}
			b.do(chromedp.Click(chromedp.CSS(`a[href="/webhooks/rules"]`)))
			b.text("127.0.0.1")
			b.await("String(document.body.innerText.includes('swordfish'))", "false")
			b.press("/webhooks/rules/pause")
			b.text("The rule is paused.")
			b.fits()
			b.press("/webhooks/rules/resume")
			b.text("The rule is resumed.")
			b.press("/webhooks/sign-out")
			b.await("location.pathname", "/webhooks/sign-in")
			b.open("/webhooks")
			b.await("location.pathname", "/webhooks/sign-in")
		})
	}
}

// reloadedShows reports whether the loaded page shows a text.
func reloadedShows(b *tab, text string) bool {
	b.t.Helper()
	shown, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`document.readyState == "complete" && document.body.innerText.includes("`+text+`")`))
	return err == nil && shown
}

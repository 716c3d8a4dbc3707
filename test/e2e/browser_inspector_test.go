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

// TestAnOperatorInspectsWebhooksInABrowser goes from the list to a delivery, sends it again,
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
	for _, c := range []struct {
		width  int64
		script bool
	}{{320, false}, {1280, true}} {
		t.Run(fmt.Sprintf("%d script %v", c.width, c.script), func(t *testing.T) {
			o := operator{openBrowser(t, s.URL), s, fmt.Sprintf("run-%d-%v", c.width, c.script)}
			o.do(chromedp.EmulateViewport(c.width, 800))
			if !c.script {
				o.do(withoutScript())
				o.scriptless = true
			}
			broken.Store(true)
			o.findsTheDeadDelivery()
			broken.Store(false)
			o.sendsItAgain()
			o.seesNewDeliveries()
			o.pausesAndResumesTheRule()
			o.signsOut()
		})
	}
}

// operator looks at the deliveries whose names begin with name.
type operator struct {
	*tab
	s    *e2e.Server
	name string
}

func (o operator) send(id, event string) {
	o.t.Helper()
	if out, code := o.s.Octavo("webhooks", "send", event, "--id", id, "--to", o.s.URL+"/api/host/webhooks"); code != 0 {
		o.t.Fatalf("sending %s: %s", id, out)
	}
}

func (o operator) findsTheDeadDelivery() {
	o.t.Helper()
	o.send(o.name, "push")
	o.send(o.name+"-other", "issues.opened")
	o.open("/webhooks?event=push&source=default")
	o.typed("token", "token of the operator\r")
	o.text(o.name)
	o.await("location.search", "event=push")
	o.fits()
	o.do(chromedp.SetValue(chromedp.CSS("#state"), "dead"))
	o.do(chromedp.Click(chromedp.CSS(".filters button")))
	o.await("location.search", "state=dead")
	o.text(o.name)
	o.await("String(document.body.innerText.includes('-other'))", "false")
}

func (o operator) sendsItAgain() {
	o.t.Helper()
	o.do(chromedp.Click(chromedp.CSS(`a[href^="/webhooks/deliveries/` + o.name + `?"]`)))
	o.text("the target is gone")
	o.text("<b>no disk</b>")
	o.await("String(document.body.innerText.includes('swordfish'))", "false")
	o.fits()
	o.press("/webhooks/redeliver")
	o.text("Sent again to 1 target.")
	o.fits()
	for !reloadedShows(o.tab, "accepted") {
		o.do(chromedp.Reload())
	}
}

func (o operator) seesNewDeliveries() {
	o.t.Helper()
	o.open("/webhooks")
	o.text("issues.opened")
	if o.scriptless {
		return
	}
	o.await("String(document.querySelector('#live-on').checked)", "true")
	o.send(o.name+"-live", "push")
	o.text(o.name + "-live")
	o.await("document.querySelector('#live-status').innerText", "1 new delivery")
}

func (o operator) pausesAndResumesTheRule() {
	o.t.Helper()
	o.do(chromedp.Click(chromedp.CSS(`a[href="/webhooks/rules"]`)))
	o.text("127.0.0.1")
	o.await("String(document.body.innerText.includes('swordfish'))", "false")
	o.press("/webhooks/rules/pause")
	o.text("The rule is paused.")
	o.fits()
	o.press("/webhooks/rules/resume")
	o.text("The rule is resumed.")
}

func (o operator) signsOut() {
	o.t.Helper()
	o.press("/webhooks/sign-out")
	o.await("location.pathname", "/webhooks/sign-in")
	o.open("/webhooks")
	o.await("location.pathname", "/webhooks/sign-in")
}

// reloadedShows reports whether the loaded page shows a text.
func reloadedShows(b *tab, text string) bool {
	b.t.Helper()
	shown, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](`document.readyState == "complete" && document.body.innerText.includes("`+text+`")`))
	return err == nil && shown
}

package conformance

import (
	"context"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/webhookhttp"
	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

var hostileLibrary = cases{
	"names with a special meaning elsewhere are not events": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Do(t, r.OnAny(j.handler("any")))
		for _, name := range []webhook.EventName{"error", "*", "issues.opened", "Push", "push ", "a/b", "püsh", "push\x00", webhook.EventName(strings.Repeat("a", 1000))} {
			wantErr(t, r.Receive(ctx(t), event(name, "")), receiver.ErrEventName)
		}
		j.expect(t, "any", 0)
	},
	"a payload that is not an object is an error at once": func(t *testing.T) {
		r := newReceiver(t)
		for _, payload := range []string{"5", "true", `"str"`, "null", "[]", " ", "{", `{"a":}`, "\x00", "\ufeff{}"} {
			wantErr(t, r.Receive(ctx(t), event("push", payload)), webhook.ErrPayload)
		}
	},
	"an action of a megabyte is not in the list": func(t *testing.T) {
		r := newReceiver(t)
		must.Do(t, r.On(failingAs("event"), "issues"))
		wantOrder(t, r, event("issues", `{"action":"`+strings.Repeat("opened", 200_000)+`"}`), "event")
	},
	"a handler that ends its goroutine is an error": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Do(t, r.On(receiver.Func(func(context.Context, webhook.Event) error { runtime.Goexit(); return nil }), "push"))
		must.Do(t, r.On(j.handler("other"), "push"))
		wantErr(t, r.Receive(ctx(t), event("push", "")), receiver.ErrHandlerExited)
		j.expect(t, "other", 1)
	},
	"an error whose text panics does not end the process": func(t *testing.T) {
		r := newReceiver(t)
		must.Do(t, r.On(receiver.Func(func(context.Context, webhook.Event) error { panic(nil) }), "push"))
		if r.Receive(ctx(t), event("push", "")) == nil {
			t.Error("Receive returned no error")
		}
	},
	"the number of error handlers that never return is limited": func(t *testing.T) {
		r, j, release := newReceiver(t), newJournal(), make(chan struct{})
		defer close(release)
		must.Do(t, r.OnError(receiver.ErrorFunc(func(context.Context, *receiver.Error) { j.note("reported"); <-release })))
		for range 1100 {
			wantErr(t, r.Receive(ctx(t), event("push", "5")), webhook.ErrPayload)
		}
		j.waitFor(t, 1024)
		j.expect(t, "reported", 1024)
	},
	"registering from many goroutines while receiving is safe": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		done := make(chan struct{})
		go func() {
			defer close(done)
			for range 200 {
				h := j.handler("ran")
				_ = r.On(h, "push")
				_ = r.OnAny(h)
				_ = r.SetSecrets([]receiver.Secret{{Value: secret}})
				r.RemoveListener(h, "push", "*")
			}
		}()
		d := signed(t, r, "push", "{}")
		for range 200 {
			must.Do(t, r.VerifyAndReceive(ctx(t), d))
		}
		<-done
	},
}

var hostileHTTP = cases{
	"invalid event headers are 400": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Do(t, r.OnAny(j.handler("any")))
		url := serve(t, r, webhookhttp.Options{}).URL
		for _, name := range []string{"error", "*", "issues.opened", "Push", "push,issues", "a b", "püsh", "../push", strings.Repeat("a", 5000)} {
			wantRefusal(t, post(t, r, url, "{}", set("X-Host-Event", name)), 400, "X-Host-Event")
		}
		j.expect(t, "any", 0)
	},
	"unprintable delivery ids are 400": func(t *testing.T) {
		r := newReceiver(t)
		url := serve(t, r, webhookhttp.Options{}).URL
		for _, id := range []string{strings.Repeat("7", 257), "sieben-é", "tab\tbed"} {
			wantRefusal(t, post(t, r, url, "{}", set("X-Host-Delivery", id)), 400, "X-Host-Delivery")
		}
		want(t, post(t, r, url, "{}", set("X-Host-Delivery", strings.Repeat("7", 256))), 200, "ok")
	},
	"a path with special characters is answered with JSON": func(t *testing.T) {
		r := newReceiver(t)
		url := serve(t, r, webhookhttp.Options{}).URL
		req := post(t, r, url, "{}", func(req *http.Request) { req.URL.Path = "/\"quoted\"\n<b>\xff" })
		wantRefusal(t, req, 400, `Unknown route: POST /"quoted"`)
	},
	"a header with a thousand values counts as missing": func(t *testing.T) {
		r := newReceiver(t)
		req := post(t, r, serve(t, r, webhookhttp.Options{}).URL, "{}", set("X-Host-Signature-256", strings.Split(strings.Repeat("s,", 1000), ",")...))
		wantRefusal(t, req, 400, "x-host-signature-256")
	},
	"a panicking handler is a 500 and the server continues": func(t *testing.T) {
		r := newReceiver(t)
		must.Do(t, r.On(receiver.Func(func(context.Context, webhook.Event) error { panic("out of ink") }), "push"))
		url := serve(t, r, webhookhttp.Options{}).URL
		wantRefusal(t, post(t, r, url, "{}", nil), 500, "")
		want(t, post(t, r, url, "{}", set("X-Host-Event", "issues")), 200, "ok")
	},
	"a handler that ends its goroutine is a 500": func(t *testing.T) {
		r := newReceiver(t)
		must.Do(t, r.On(receiver.Func(func(context.Context, webhook.Event) error { runtime.Goexit(); return nil }), "push"))
		wantRefusal(t, post(t, r, serve(t, r, webhookhttp.Options{}).URL, "{}", nil), 500, "")
	},
	"a compressed body is verified as sent": func(t *testing.T) {
		r := newReceiver(t)
		req := post(t, r, serve(t, r, webhookhttp.Options{}).URL, "\x1f\x8b\x08\x00", set("Content-Encoding", "gzip"))
		wantRefusal(t, req, 400, "JSON object")
	},
	"a panic after the 202 does not end the process": func(t *testing.T) {
		r, j, release := newReceiver(t), newJournal(), make(chan struct{})
		must.Do(t, r.On(receiver.Func(func(context.Context, webhook.Event) error { <-release; panic("late") }), "push"))
		must.Do(t, r.OnError(errorNote(j, "reported")))
		want(t, post(t, r, serve(t, r, webhookhttp.Options{Timeout: 400 * time.Millisecond}).URL, "{}", nil), 202, "still processing")
		close(release)
		j.waitFor(t, 1)
	},
}

package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/webhookhttp"
	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/must"
)

// serve starts a server for the receiver on the loopback address.
func serve(t *testing.T, r *receiver.Receiver, opts webhookhttp.Options) *httptest.Server {
	t.Helper()
	if opts.Logger == nil {
		opts.Logger = silent
	}
	server := httptest.NewServer(webhookhttp.Handler(r, opts))
	t.Cleanup(server.Close)
	return server
}

// post makes the request of a delivery, modified by change.
func post(t *testing.T, r *receiver.Receiver, url, body string, change func(*http.Request)) *http.Request {
	t.Helper()
	req := must.Get(http.NewRequestWithContext(ctx(t), http.MethodPost, url+webhookhttp.DefaultPath, strings.NewReader(body)))(t)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Host-Event", "push")
	req.Header.Set("X-Host-Delivery", "delivery-1")
	if body != "" {
		req.Header.Set("X-Host-Signature-256", signed(t, r, "push", body).Signature)
	}
	if change != nil {
		change(req)
	}
	return req
}

// want sends the request and requires the status and the whole body.
func want(t *testing.T, req *http.Request, status int, body string) *http.Response {
	t.Helper()
	answer, got := send(t, req)
	if answer.StatusCode != status || got != body {
		t.Fatalf("answered %d %s, want %d %s", answer.StatusCode, got, status, body)
	}
	return answer
}

// wantRefusal sends the request and requires the status and JSON whose only
// field is an error containing text.
func wantRefusal(t *testing.T, req *http.Request, status int, text string) *http.Response {
	t.Helper()
	answer, got := send(t, req)
	checkRefusal(t, answer, got, status, text)
	return answer
}

func checkRefusal(t *testing.T, answer *http.Response, got string, status int, text string) {
	t.Helper()
	var fields map[string]string
	if err := json.Unmarshal([]byte(got), &fields); err != nil || len(fields) != 1 {
		t.Fatalf("answered %d with %q, which is not the one field error (%v)", answer.StatusCode, got, err)
	}
	if answer.StatusCode != status || !strings.Contains(fields["error"], text) {
		t.Fatalf("answered %d %q, want %d with %q", answer.StatusCode, fields["error"], status, text)
	}
	if kind := answer.Header.Get("Content-Type"); kind != "application/json" {
		t.Fatalf("the refusal is %s, want application/json", kind)
	}
}

func send(t *testing.T, req *http.Request) (*http.Response, string) {
	t.Helper()
	answer := must.Get(http.DefaultClient.Do(req))(t)
	defer answer.Body.Close()
	body := must.Get(io.ReadAll(answer.Body))(t)
	return answer, string(body)
}

// set returns a change that sets a header.
func set(name string, values ...string) func(*http.Request) {
	return func(req *http.Request) {
		req.Header.Del(name)
		for _, value := range values {
			req.Header.Add(name, value)
		}
	}
}

var answers = cases{
	"a good delivery is 200 ok after its handlers": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Do(t, r.On(j.handler("ran"), "push"))
		want(t, post(t, r, serve(t, r, webhookhttp.Options{}).URL, `{"ref":"main"}`, nil), 200, "ok")
		j.expect(t, "ran", 1)
	},
	"the handler gets id, name and bytes of the request": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Do(t, r.OnAny(receiver.Func(func(_ context.Context, e webhook.Event) error {
			j.note(e.ID + " " + string(e.Name) + " " + string(e.Payload))
			return nil
		})))
		want(t, post(t, r, serve(t, r, webhookhttp.Options{}).URL, "{ \"n\": 1.0 }\n", nil), 200, "ok")
		j.expect(t, "delivery-1 push { \"n\": 1.0 }\n", 1)
	},
	"a delivery without handlers is 200 ok": func(t *testing.T) {
		r := newReceiver(t)
		want(t, post(t, r, serve(t, r, webhookhttp.Options{}).URL, "{}", nil), 200, "ok")
	},
	"an event outside the table is 200 ok and reaches any-handlers": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Do(t, r.OnAny(j.handler("any")))
		want(t, post(t, r, serve(t, r, webhookhttp.Options{}).URL, "{}", set("X-Host-Event", "not_in_table")), 200, "ok")
		j.expect(t, "any", 1)
	},
	"a chunked body is received": func(t *testing.T) {
		r := newReceiver(t)
		req := post(t, r, serve(t, r, webhookhttp.Options{}).URL, `{"a":1}`, nil)
		req.Body, req.ContentLength = io.NopCloser(io.MultiReader(strings.NewReader(`{"a"`), strings.NewReader(`:1}`))), -1
		want(t, req, 200, "ok")
	},
	"a body of a megabyte is received": func(t *testing.T) {
		r := newReceiver(t)
		body := `{"text":"` + strings.Repeat("é", 1<<19) + `"}`
		want(t, post(t, r, serve(t, r, webhookhttp.Options{}).URL, body, nil), 200, "ok")
	},
	"the content type may have parameters and any letter case": func(t *testing.T) {
		r := newReceiver(t)
		url := serve(t, r, webhookhttp.Options{}).URL
		for _, kind := range []string{"application/json; charset=utf-8", "Application/JSON", "application/json;", "APPLICATION/JSON ;charset=UTF-8"} {
			want(t, post(t, r, url, "{}", set("Content-Type", kind)), 200, "ok")
		}
	},
	"any other content type is 415": func(t *testing.T) {
		r := newReceiver(t)
		url := serve(t, r, webhookhttp.Options{}).URL
		for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "application/jsonp", "text/json", "application/json+x", "json", "application/json, text/plain"} {
			wantRefusal(t, post(t, r, url, "{}", set("Content-Type", kind)), 415, "application/json")
		}
		wantRefusal(t, post(t, r, url, "{}", set("Content-Type")), 415, "application/json")
		wantRefusal(t, post(t, r, url, "{}", set("Content-Type", "application/json", "application/json")), 415, "application/json")
	},
	"each missing header is named": func(t *testing.T) {
		r := newReceiver(t)
		url := serve(t, r, webhookhttp.Options{}).URL
		for _, name := range []string{"X-Host-Event", "X-Host-Delivery", "X-Host-Signature-256"} {
			for _, values := range [][]string{nil, {""}, {"push", "push"}} {
				wantRefusal(t, post(t, r, url, "{}", set(name, values...)), 400, "Required headers missing: "+strings.ToLower(name))
			}
		}
	},
	"all missing headers are named at once": func(t *testing.T) {
		r := newReceiver(t)
		req := post(t, r, serve(t, r, webhookhttp.Options{}).URL, "{}", func(req *http.Request) {
			for _, name := range []string{"X-Host-Event", "X-Host-Delivery", "X-Host-Signature-256"} {
				req.Header.Del(name)
			}
		})
		wantRefusal(t, req, 400, "Required headers missing: x-host-event, x-host-signature-256, x-host-delivery")
	},
	"a wrong signature is 400 and reaches the error handlers only": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Do(t, r.OnAny(j.handler("any")))
		must.Do(t, r.OnError(errorNote(j, "error")))
		req := post(t, r, serve(t, r, webhookhttp.Options{}).URL, "{}", set("X-Host-Signature-256", "sha256="+strings.Repeat("0", 64)))
		wantRefusal(t, req, 400, "ignature")
		j.waitFor(t, 1)
		j.expect(t, "any", 0)
	},
	"a signed body that is not an object is 400": func(t *testing.T) {
		r := newReceiver(t)
		url := serve(t, r, webhookhttp.Options{}).URL
		for _, body := range []string{"5", "true", "null", `"str"`, "[]", "{", "{}x", "payload=%7B%7D"} {
			wantRefusal(t, post(t, r, url, body, nil), 400, "JSON object")
		}
	},
	"an empty body is 400": func(t *testing.T) {
		r := newReceiver(t)
		req := post(t, r, serve(t, r, webhookhttp.Options{}).URL, "", set("X-Host-Signature-256", "sha256="+strings.Repeat("0", 64)))
		wantRefusal(t, req, 400, "empty")
	},
	"a body over the limit is 413, one at the limit is not": func(t *testing.T) {
		r := newReceiver(t)
		url := serve(t, r, webhookhttp.Options{MaxBody: 100}).URL
		body := `{"a":"` + strings.Repeat("x", 92) + `"}`
		want(t, post(t, r, url, body, nil), 200, "ok")
		wantRefusal(t, post(t, r, url, body+" ", nil), 413, "100 bytes")
		chunked := post(t, r, url, body+" ", nil)
		chunked.ContentLength = -1
		wantRefusal(t, chunked, 413, "100 bytes")
	},
	"a failing handler is 500 without its text": func(t *testing.T) {
		r := newReceiver(t)
		must.Do(t, r.On(failingAs("password=tulip"), "push"))
		answer, body := send(t, post(t, r, serve(t, r, webhookhttp.Options{}).URL, "{}", nil))
		checkRefusal(t, answer, body, 500, "")
		if strings.Contains(body, "tulip") {
			t.Errorf("the response reveals %s", body)
		}
	},
	"ShowErrors puts the handler's text into the 500": func(t *testing.T) {
		r := newReceiver(t)
		must.Do(t, r.On(failingAs("keine Tinte: müde \"Presse\"\n😀"), "push"))
		wantRefusal(t, post(t, r, serve(t, r, webhookhttp.Options{ShowErrors: true}).URL, "{}", nil), 500, "keine Tinte: müde \"Presse\"\n😀")
	},
	"a handler that is temporarily unavailable is 503 with Retry-After": func(t *testing.T) {
		r := newReceiver(t)
		full := fault.New(fault.Unavailable, "inbox_full", "Too much is waiting").After(1500 * time.Millisecond)
		must.Do(t, r.On(receiver.Func(func(context.Context, webhook.Event) error { return full }), "push"))
		answer := wantRefusal(t, post(t, r, serve(t, r, webhookhttp.Options{}).URL, "{}", nil), 503, "Too much is waiting")
		if got := answer.Header.Get("Retry-After"); got != "2" {
			t.Errorf("Retry-After is %q, want \"2\"", got)
		}
	},
	"a signature error of a handler's own is a 500": func(t *testing.T) {
		r := newReceiver(t)
		must.Do(t, r.On(receiver.Func(func(context.Context, webhook.Event) error { return receiver.ErrSignatureMismatch }), "push"))
		wantRefusal(t, post(t, r, serve(t, r, webhookhttp.Options{}).URL, "{}", nil), 500, "")
	},
	"handlers that take longer than the limit are 202 and run on": func(t *testing.T) {
		r, j, release := newReceiver(t), newJournal(), make(chan struct{})
		must.Do(t, r.On(receiver.Func(func(c context.Context, _ webhook.Event) error {
			<-release
			if c.Err() != nil {
				j.note("cancelled")
			}
			j.note("done")
			return nil
		}), "push"))
		want(t, post(t, r, serve(t, r, webhookhttp.Options{Timeout: 400 * time.Millisecond}).URL, "{}", nil), 202, "still processing")
		close(release)
		j.waitFor(t, 1)
		j.expect(t, "done", 1)
	},
	"a late error reaches the error handlers": func(t *testing.T) {
		r, j, release := newReceiver(t), newJournal(), make(chan struct{})
		must.Do(t, r.On(receiver.Func(func(context.Context, webhook.Event) error { <-release; return errBroken }), "push"))
		must.Do(t, r.OnError(receiver.ErrorFunc(func(_ context.Context, e *receiver.Error) { j.note(e.Error()) })))
		want(t, post(t, r, serve(t, r, webhookhttp.Options{Timeout: 400 * time.Millisecond}).URL, "{}", nil), 202, "still processing")
		close(release)
		j.waitFor(t, 1)
		j.expect(t, errBroken.Error(), 1)
	},
	"with MustFinish handlers that take too long are 503": func(t *testing.T) {
		r, release := newReceiver(t), make(chan struct{})
		defer close(release)
		must.Do(t, r.On(receiver.Func(func(context.Context, webhook.Event) error { <-release; return nil }), "push"))
		url := serve(t, r, webhookhttp.Options{Timeout: 400 * time.Millisecond, MustFinish: true}).URL
		if answer := wantRefusal(t, post(t, r, url, "{}", nil), 503, "in time"); answer.Header.Get("Retry-After") != "1" {
			t.Errorf("Retry-After is %q, want \"1\"", answer.Header.Get("Retry-After"))
		}
	},
	"every answer to a delivery is observed": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		url := serve(t, r, webhookhttp.Options{Observe: func(o webhookhttp.Outcome, _ time.Duration) { j.note(string(o)) }}).URL
		want(t, post(t, r, url, "{}", nil), 200, "ok")
		wantRefusal(t, post(t, r, url, "{}", set("Content-Type", "text/plain")), 415, "")
		wantRefusal(t, post(t, r, url, "5", nil), 400, "")
		if got := strings.Join(j.waitFor(t, 3), " "); got != "accepted content_type payload" {
			t.Errorf("observed %s, want accepted content_type payload", got)
		}
	},
}

var routes = cases{
	"a trailing slash is accepted": func(t *testing.T) {
		r := newReceiver(t)
		req := post(t, r, serve(t, r, webhookhttp.Options{}).URL, "{}", nil)
		req.URL.Path += "/"
		want(t, req, 200, "ok")
	},
	"the path can be configured, with or without a slash": func(t *testing.T) {
		r := newReceiver(t)
		for _, path := range []string{"/hooks", "/hooks/"} {
			req := post(t, r, serve(t, r, webhookhttp.Options{Path: path}).URL, "{}", nil)
			req.URL.Path = "/hooks"
			want(t, req, 200, "ok")
		}
	},
	"a query is ignored": func(t *testing.T) {
		r := newReceiver(t)
		req := post(t, r, serve(t, r, webhookhttp.Options{}).URL, "{}", nil)
		req.URL.RawQuery = "from=sender"
		want(t, req, 200, "ok")
	},
	"another method or path is an unknown route": func(t *testing.T) {
		r := newReceiver(t)
		url := serve(t, r, webhookhttp.Options{}).URL
		put := post(t, r, url, "{}", func(req *http.Request) { req.Method, req.URL.Path = http.MethodPut, "/x" })
		want(t, put, 400, `{"error":"Unknown route: PUT /x"}`)
		get := post(t, r, url, "", func(req *http.Request) { req.Method = http.MethodGet })
		wantRefusal(t, get, 400, "Unknown route: GET /api/host/webhooks")
		for _, path := range []string{"/", "/api/host", "/api/host/webhooks/x", "/api/host/webhooks//", "/API/host/webhooks"} {
			wantRefusal(t, post(t, r, url, "{}", func(req *http.Request) { req.URL.Path = path }), 400, "Unknown route: POST "+path)
		}
	},
	"OnUnhandledRequest answers them instead": func(t *testing.T) {
		r := newReceiver(t)
		teapot := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
		req := post(t, r, serve(t, r, webhookhttp.Options{OnUnhandledRequest: teapot}).URL, "{}", func(req *http.Request) { req.URL.Path = "/x" })
		want(t, req, 418, "")
	},
	"the middleware passes other requests to the next handler": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Do(t, r.On(j.handler("ran"), "push"))
		next := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "next") })
		server := httptest.NewServer(webhookhttp.Middleware(r, webhookhttp.Options{Logger: silent})(next))
		t.Cleanup(server.Close)
		want(t, post(t, r, server.URL, "{}", nil), 200, "ok")
		want(t, post(t, r, server.URL, "{}", func(req *http.Request) { req.URL.Path = "/" }), 200, "next")
		want(t, post(t, r, server.URL, "", func(req *http.Request) { req.Method = http.MethodGet }), 200, "next")
		j.expect(t, "ran", 1)
	},
}

var relaying = cases{
	"wrapped headers and body make a delivery": func(t *testing.T) {
		r, j := newReceiver(t), newJournal()
		must.Do(t, r.On(j.handler("ran"), "issues.opened"))
		body := []byte(`{"action":"opened"}`)
		signature := signed(t, r, "issues", string(body)).Signature
		d := must.Get(webhookhttp.DeliveryFrom(http.Header{"x-host-event": {"issues"}, "x-HOST-delivery": {"7"}, "X-Host-Signature-256": {signature}}, body))(t)
		if d.ID != "7" || d.Name != "issues" || d.Signature != signature || !bytes.Equal(d.Payload, body) {
			t.Errorf("got %+v", d)
		}
		must.Do(t, r.VerifyAndReceive(ctx(t), d))
		j.expect(t, "ran", 1)
	},
	"missing wrapped headers are named": func(t *testing.T) {
		_, err := webhookhttp.DeliveryFrom(http.Header{"X-Host-Event": {"push"}}, []byte("{}"))
		var missing *webhookhttp.MissingHeadersError
		if !errors.As(err, &missing) || strings.Join(missing.Headers, " ") != "x-host-signature-256 x-host-delivery" || !strings.Contains(err.Error(), "x-host-delivery") {
			t.Errorf("got %v", err)
		}
	},
	"a header wrapped twice in different letter case counts as missing": func(t *testing.T) {
		_, err := webhookhttp.DeliveryFrom(http.Header{"X-Host-Event": {"push"}, "x-host-event": {"issues"}, "X-Host-Delivery": {"7"}, "X-Host-Signature-256": {"s"}}, nil)
		var missing *webhookhttp.MissingHeadersError
		if !errors.As(err, &missing) {
			t.Errorf("got %v", err)
		}
	},
}

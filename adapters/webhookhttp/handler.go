package webhookhttp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/domain/webhook"
)

// Handler answers deliveries posted to Options.Path and passes everything else to
// Options.OnUnhandledRequest. Use Endpoint in a router that matches the path.
//
// It panics if r is nil or Options are invalid, as http.ServeMux does for a pattern:
// both are mistakes of the program that show when it starts.
func Handler(r *receiver.Receiver, opts Options) http.Handler {
	return route(r, opts, nil)
}

// Middleware answers deliveries posted to Options.Path and passes everything else to the
// next handler. It panics like Handler.
func Middleware(r *receiver.Receiver, opts Options) func(http.Handler) http.Handler {
	route(r, opts, nil) // panics here, not when the first handler is wrapped
	return func(next http.Handler) http.Handler { return route(r, opts, next) }
}

// Endpoint answers deliveries posted to any path, for mounting in a router such as
// http.ServeMux, chi or gin, with or without http.StripPrefix. Other methods go to
// Options.OnUnhandledRequest. It panics like Handler, and also if Options.Path is set,
// because the router matches the path.
func Endpoint(r *receiver.Receiver, opts Options) http.Handler {
	if opts.Path != "" {
		panic("webhookhttp: Endpoint takes no Options.Path; the router in which it is mounted matches the path")
	}
	e := newEndpoint(r, opts)
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		e.serveMethod(w, req, e.opts.OnUnhandledRequest)
	})
}

// serveMethod serves a delivery, or the request of another method with which the sender checks
// the URL, and passes all others to other.
func (h *endpoint) serveMethod(w http.ResponseWriter, req *http.Request, other http.Handler) {
	if req.Method == http.MethodPost {
		h.serve(w, req)
		return
	}
	a, ok := h.answerChallenge(req.Context(), h.request(req))
	if !ok {
		other.ServeHTTP(w, req)
		return
	}
	a.write(w)
}

// route serves deliveries and passes other requests to other, or to
// Options.OnUnhandledRequest if other is nil.
func route(r *receiver.Receiver, opts Options, other http.Handler) http.Handler {
	if opts.Path == "" {
		opts.Path = DefaultPath
	}
	if err := checkPath(opts.Path); err != nil {
		panic("webhookhttp: " + err.Error())
	}
	e, path := newEndpoint(r, opts), strings.TrimRight(opts.Path, "/")
	if other == nil {
		other = e.opts.OnUnhandledRequest
	}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if strings.TrimSuffix(req.URL.Path, "/") != path {
			other.ServeHTTP(w, req)
			return
		}
		e.serveMethod(w, req, other)
	})
}

// endpoint answers deliveries.
type endpoint struct {
	receiver *receiver.Receiver
	opts     Options
}

func newEndpoint(r *receiver.Receiver, opts Options) *endpoint {
	if r == nil {
		panic("webhookhttp: the receiver is nil")
	}
	if opts.Timeout < 0 || opts.MaxBody < 0 {
		panic("webhookhttp: Options.Timeout and Options.MaxBody must not be negative; zero is the default")
	}
	if opts.Sender != nil && opts.Sender != r.Sender() {
		if r.Sender() != webhook.Host {
			panic(fmt.Sprintf("webhookhttp: Options.Sender is %s, but the receiver is for %s", opts.Sender.Name(), r.Sender().Name()))
		}
		if err := r.SetSender(opts.Sender); err != nil {
			panic("webhookhttp: " + err.Error())
		}
	}
	r.SetFetcher(NewFetcher())
	return &endpoint{r, opts.withDefaults()}
}

// request returns the request as the sender made it, without its body.
func (h *endpoint) request(req *http.Request) webhook.Request {
	d := webhook.Request{Method: req.Method, Header: req.Header}
	if !h.receiver.Sender().UsesURL() {
		return d
	}
	base := h.opts.BaseURL
	if base == "" {
		base = "http://" + req.Host
		if req.TLS != nil {
			base = "https://" + req.Host
		}
	}
	target := req.URL.EscapedPath()
	if req.RequestURI != "" && !strings.Contains(req.RequestURI, "://") { // as sent, whatever a router has stripped from the path
		target, _, _ = strings.Cut(req.RequestURI, "?")
	}
	if req.URL.RawQuery != "" {
		target += "?" + req.URL.RawQuery
	}
	d.URL = strings.TrimSuffix(base, "/") + target
	return d
}

// answerChallenge answers a request with which the sender checks the URL.
func (h *endpoint) answerChallenge(ctx context.Context, d webhook.Request) (answer, bool) {
	reply, ok, err := h.receiver.AnswerChallenge(ctx, d)
	switch {
	case !ok:
		return answer{}, false
	case errors.Is(err, webhook.ErrChallenge):
		return answer{outcome: Payload, status: http.StatusBadRequest, text: "The request asks for an answer but lacks what it is made of"}, true
	case err != nil:
		h.opts.Logger.WarnContext(ctx, "a check of the webhook URL failed", "sender", h.receiver.Sender().Name(), "error", err)
		return h.answerTo(&receiver.Error{Errs: []error{err}, Refused: true}), true
	}
	h.opts.Logger.DebugContext(ctx, "answered the sender's check of the webhook URL", "sender", h.receiver.Sender().Name())
	return answer{outcome: Accepted, status: reply.Status, text: reply.Body, kind: reply.Type}, true
}

// serve answers a delivery.
func (h *endpoint) serve(w http.ResponseWriter, req *http.Request) {
	start := time.Now()
	deadline := start.Add(h.opts.Timeout)
	a := h.answer(w, req, deadline)
	unread := a.outcome.leavesBody() && isLong(req)
	if unread || a.outcome == Slow {
		w.Header().Set("Connection", "close") // the unread rest of the body makes the connection unusable
	}
	a.write(w)
	if a.status >= http.StatusBadRequest && !a.logged {
		h.opts.Logger.WarnContext(req.Context(), "webhook delivery refused", "status", a.status, "reason", a.text)
	}
	h.opts.Observe(a.outcome, time.Since(start))
	if unread {
		drain(w, req, deadline)
	}
}

// answer reads, verifies and handles one delivery.
func (h *endpoint) answer(w http.ResponseWriter, req *http.Request, deadline time.Time) answer {
	d, sender := h.request(req), h.receiver.Sender()
	if found, signed := sender.IsChallenge(d); found && !signed {
		a, _ := h.answerChallenge(req.Context(), d)
		return a
	}
	if !sender.TakesType(d) {
		return refuseType(sender)
	}
	err := sender.Check(d)
	if err != nil && !sender.ChecksByForm(d) {
		return refuseHeaders(err)
	}
	var failure error
	if d.Body, failure = readBody(w, req, h.opts.MaxBody, deadline); failure != nil {
		return h.refuseBody(failure)
	}
	if a, ok := h.answerChallenge(req.Context(), d); ok {
		return a
	}
	if err != nil {
		return refuseHeaders(err)
	}
	// Handlers continue when the sender hangs up.
	ctx := context.WithoutCancel(req.Context())
	done := make(chan error, 1)
	go func() { done <- h.receiver.VerifyAndReceiveRequest(ctx, d) }()
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case err = <-done:
		h.log(ctx, err)
		a := h.answerTo(err)
		if a.logged = true; a.outcome == Accepted {
			a.text = cmp.Or(h.opts.Accepted(ctx), a.text)
		}
		return a
	case <-timer.C:
		go func() { h.log(ctx, <-done) }()
		if h.opts.MustFinish || h.receiver.IsDurable() {
			return undecided
		}
		return late
	}
}

// log logs why a delivery failed.
func (h *endpoint) log(ctx context.Context, err error) {
	if failure := (*receiver.Error)(nil); errors.As(err, &failure) {
		h.opts.Logger.WarnContext(ctx, "webhook delivery failed", "id", failure.Event.ID, "event", string(failure.Event.Name), "error", err)
	}
}

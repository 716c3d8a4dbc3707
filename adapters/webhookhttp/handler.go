package webhookhttp

import (
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
		if req.Method != http.MethodPost {
			e.opts.OnUnhandledRequest.ServeHTTP(w, req)
			return
		}
		e.serve(w, req)
	})
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
		if req.Method != http.MethodPost || strings.TrimSuffix(req.URL.Path, "/") != path {
			other.ServeHTTP(w, req)
			return
		}
		e.serve(w, req)
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
	return &endpoint{r, opts.withDefaults()}
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
	h.opts.Observe(a.outcome, time.Since(start))
	if unread {
		drain(w, req, deadline)
	}
}

// answer reads, verifies and handles one delivery.
func (h *endpoint) answer(w http.ResponseWriter, req *http.Request, deadline time.Time) answer {
	if !isJSON(req.Header) {
		return notJSON
	}
	d := webhook.Request{Header: req.Header}
	err := h.receiver.Sender().Check(d)
	if err != nil {
		return refuseHeaders(err)
	}
	if d.Body, err = readBody(w, req, h.opts.MaxBody, deadline); err != nil {
		return h.refuseBody(err)
	}
	if text, ok := h.receiver.Sender().Challenge(d); ok && h.receiver.VerifyRequest(d) {
		return answer{outcome: Accepted, status: http.StatusOK, text: text}
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
		return h.answerTo(err)
	case <-timer.C:
		go func() { h.log(ctx, <-done) }()
		if h.opts.MustFinish {
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

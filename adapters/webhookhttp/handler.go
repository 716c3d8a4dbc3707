package webhookhttp

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/receiver"
)

// Handler answers deliveries posted to Options.Path and gives everything else to
// Options.OnUnhandledRequest. It panics if r is nil.
func Handler(r *receiver.Receiver, opts Options) http.Handler {
	opts = opts.withDefaults()
	return newHandler(r, opts, opts.OnUnhandledRequest)
}

// Middleware answers deliveries posted to Options.Path and gives everything else
// to the next handler. It panics if r is nil.
func Middleware(r *receiver.Receiver, opts Options) func(http.Handler) http.Handler {
	opts = opts.withDefaults()
	return func(next http.Handler) http.Handler { return newHandler(r, opts, next) }
}

type handler struct {
	receiver *receiver.Receiver
	opts     Options
	other    http.Handler
}

func newHandler(r *receiver.Receiver, opts Options, other http.Handler) *handler {
	if r == nil {
		panic("webhookhttp: the receiver is nil")
	}
	return &handler{r, opts, other}
}

// ServeHTTP tells deliveries from other requests.
func (h *handler) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodPost || strings.TrimSuffix(req.URL.Path, "/") != h.opts.Path {
		h.other.ServeHTTP(w, req)
		return
	}
	start := time.Now()
	deadline := start.Add(h.opts.Timeout)
	a := h.answer(w, req, deadline)
	unread := a.outcome.leavesBody() && isLong(req)
	if unread || a.outcome == Slow {
		w.Header().Set("Connection", "close") // the rest of the body is in the way
	}
	a.write(w)
	h.opts.Observe(a.outcome, time.Since(start))
	if unread {
		drain(w, req, deadline)
	}
}

// answer reads, verifies and handles one delivery.
func (h *handler) answer(w http.ResponseWriter, req *http.Request, deadline time.Time) answer {
	if !isJSON(req.Header) {
		return notJSON
	}
	d, err := deliveryFrom(req.Header, nil)
	if err != nil {
		return refuseHeaders(err)
	}
	if d.Payload, err = readBody(w, req, h.opts.MaxBody, deadline); err != nil {
		return h.refuseBody(err)
	}
	// The sender must not end, by hanging up, what it has asked for.
	ctx := context.WithoutCancel(req.Context())
	done := make(chan error, 1)
	go func() { done <- h.receiver.VerifyAndReceive(ctx, d) }()
	timer := time.NewTimer(time.Until(deadline))
	defer timer.Stop()
	select {
	case err = <-done:
		h.log(ctx, d, err)
		return h.answerTo(err)
	case <-timer.C:
		go func() { h.log(ctx, d, <-done) }()
		if h.opts.MustFinish {
			return undecided
		}
		return late
	}
}

// log notes why a delivery failed.
func (h *handler) log(ctx context.Context, d receiver.Delivery, err error) {
	if err != nil {
		h.opts.Logger.WarnContext(ctx, "webhook delivery failed", "id", d.ID, "event", string(d.Name), "error", err)
	}
}

package webhookhttp

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
)

// The defaults of Options.
const (
	DefaultPath    = "/api/host/webhooks"
	DefaultTimeout = 9 * time.Second
	DefaultMaxBody = 25 << 20
)

// Options configures a handler. The zero value has the defaults.
type Options struct {
	// Path is where deliveries are posted: "/" is the root, "" means DefaultPath. A
	// request may have a slash at the end of the path or not. Path is compared with the
	// URL's path literally, so it begins with a slash and has no query, escape or
	// wildcard. It is for Handler and Middleware only.
	Path string
	// Sender is the sender of the deliveries; nil means the receiver's: webhook.Host, or
	// that of receiver.WithSender. It also becomes the receiver's.
	Sender *webhook.Sender
	// BaseURL is the address under which the sender calls, such as https://hooks.example.com,
	// for the senders that sign the URL; "" means that of the request, which behind a proxy is
	// another one. The path and the query are those of the request.
	BaseURL string
	// Logger gets a warning for each failed delivery; nil means slog.Default.
	Logger *slog.Logger
	// OnUnhandledRequest answers requests for another path or method; nil means a 400
	// that names the route. Middleware passes them to the next handler instead.
	OnUnhandledRequest http.Handler
	// Timeout starts at the end of the request's headers. If the body has not arrived by
	// then, the answer is 408; if handlers are still running, it is 202. Zero means
	// DefaultTimeout. While the body arrives, Timeout replaces the http.Server's
	// ReadTimeout.
	Timeout time.Duration
	// MaxBody limits the body, in bytes; zero means DefaultMaxBody.
	MaxBody int64
	// ShowErrors includes the text of handlers' errors in the answer. It may contain
	// secrets, so use it in development only.
	ShowErrors bool
	// MustFinish answers 503 instead of 202 if handlers are still running after Timeout,
	// for handlers whose result the sender must know; the sender then retries.
	MustFinish bool
	// Accepted, if set, returns the text of the answer to a delivery that the handlers have
	// accepted, which gets the context that they had; "" means "ok".
	Accepted func(context.Context) string
	// Observe, if set, is called with the outcome and duration of every answer to a
	// delivery. It runs on the request's goroutine and must return quickly.
	Observe func(outcome Outcome, took time.Duration)
}

// checkPath refuses a path that matches no request, or one that is a pattern.
func checkPath(path string) error {
	u, err := url.Parse(path)
	switch {
	case !strings.HasPrefix(path, "/"):
		return fmt.Errorf("Options.Path %q must begin with a slash", path)
	case err != nil || u.Path != path:
		return fmt.Errorf("Options.Path %q is not a plain path such as %s", path, DefaultPath)
	case strings.Contains(path, "/{") || strings.Contains(path, "/:") || strings.Contains(path, "/*"):
		return fmt.Errorf("Options.Path %q is a pattern: let the router match it and mount Endpoint there", path)
	}
	return nil
}

// withDefaults replaces zero fields with their defaults.
func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.OnUnhandledRequest == nil {
		o.OnUnhandledRequest = http.HandlerFunc(unknownRoute)
	}
	if o.Timeout == 0 {
		o.Timeout = DefaultTimeout
	}
	if o.MaxBody == 0 {
		o.MaxBody = DefaultMaxBody
	}
	if o.Accepted == nil {
		o.Accepted = func(context.Context) string { return "" }
	}
	if o.Observe == nil {
		o.Observe = func(Outcome, time.Duration) {}
	}
	return o
}

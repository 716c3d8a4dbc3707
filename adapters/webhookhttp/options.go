package webhookhttp

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
)

// What Options stands for where a field is zero.
const (
	DefaultPath    = "/api/host/webhooks"
	DefaultTimeout = 9 * time.Second
	DefaultMaxBody = 25 << 20
)

// Options changes how requests are answered. The zero value is ready for use.
type Options struct {
	// Path is where deliveries are posted, with or without a slash at its end: "/"
	// is the root, "" is DefaultPath. It is compared with the URL's path as it is
	// written here, so it begins with a slash and has no query, escape or wildcard.
	// Handler and Middleware need it, Endpoint refuses it.
	Path string
	// Sender is whose deliveries come, nil that of the receiver: webhook.Host, or the
	// one of receiver.WithSender. It becomes the receiver's.
	Sender *webhook.Sender
	// Logger gets a warning for each delivery that fails; nil is slog's default
	// logger.
	Logger *slog.Logger
	// OnUnhandledRequest answers requests for another path or method; nil is a
	// 400 that names the route. Middleware hands them to the next handler instead.
	OnUnhandledRequest http.Handler
	// Timeout is counted from the end of the request's headers: a body must have
	// arrived by then, or it is a 408; handlers that are still running are
	// answered 202. Zero is DefaultTimeout. While the body arrives it takes the
	// place of the http.Server's ReadTimeout.
	Timeout time.Duration
	// MaxBody is the most bytes a body may have; zero is DefaultMaxBody.
	MaxBody int64
	// ShowErrors puts the text of handlers' errors into the 500 that answers
	// them. They may hold secrets: for development only.
	ShowErrors bool
	// MustFinish answers handlers that are still running after Timeout with 503
	// instead of 202, for handlers whose end is what the sender must know of: the
	// sender then comes again.
	MustFinish bool
	// Observe, where set, is told of every answer to a delivery and how long it
	// took. It is called on the request's goroutine and must return at once.
	Observe func(outcome Outcome, took time.Duration)
}

// checkPath refuses a path that no request could have, or only one that its
// author did not mean.
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

// withDefaults fills in what is zero.
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
	if o.Observe == nil {
		o.Observe = func(Outcome, time.Duration) {}
	}
	return o
}

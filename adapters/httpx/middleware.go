// Package httpx holds what the driving HTTP adapters share: request ids, the client's
// address, authentication by header or cookie, the cookies themselves, cross-origin rules,
// limits and compression. It knows no router.
//
// Middleware.Wrap applies all of it to a server's handler in the right order. Handlers then
// call CallerFrom, ClientInfo and RequestID.
package httpx

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// Authenticator resolves an access token. Every defect of the token is
// user.ErrUnauthenticated; a store that is down is a fault of kind Unavailable.
type Authenticator interface {
	Authenticate(ctx context.Context, accessToken string, from user.ClientInfo) (user.Caller, error)
}

// ErrorWriter writes err in the format of the handler that the request was meant for. The
// status must be Status(err); Retry-After is already set.
type ErrorWriter func(w http.ResponseWriter, r *http.Request, err error)

// Middleware holds the middleware of one server.
type Middleware struct {
	cfg        Config
	auth       Authenticator
	log        *slog.Logger
	writeError ErrorWriter
	observe    func(context.Context, RequestInfo)
	cookies    Cookies
	origins    origins
	hints      *originHints
	limiter    *limiter
}

// Options are the dependencies of a Middleware. Log is required.
type Options struct {
	Auth       Authenticator                      // nil: every credential is refused
	Log        *slog.Logger                       // one line per request
	WriteError ErrorWriter                        // nil: plain text
	Observe    func(context.Context, RequestInfo) // called after every request; may be nil
}

// NewMiddleware validates the settings and returns a Middleware.
func NewMiddleware(cfg Config, o Options) (*Middleware, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if o.WriteError == nil {
		o.WriteError = writePlainError
	}
	if o.Observe == nil {
		o.Observe = func(context.Context, RequestInfo) {}
	}
	trusted, err := newOrigins(cfg.AllowedOrigins, cfg.LoopbackOrigins)
	if err != nil {
		return nil, err
	}
	return &Middleware{
		cfg: cfg, auth: o.Auth, log: o.Log, writeError: o.WriteError, observe: o.Observe,
		cookies: NewCookies(cfg.Cookies),
		origins: trusted,
		hints:   newOriginHints(cfg.AllowedOrigins, o.Log),
		limiter: newLimiter(cfg.RequestsPerSecond, time.Now),
	}, nil
}

// Wrap applies every layer to next. From the outside in: request id, client
// info and log; common headers; panic recovery; the request limit; CORS; the
// timeout; the credential; the cross-origin check of cookie credentials.
func (m *Middleware) Wrap(next http.Handler) http.Handler {
	for _, layer := range []func(http.Handler) http.Handler{
		m.checkCrossOrigin, m.withCredential, m.withTimeout, m.cors, m.limitRate, m.recoverPanics, m.withHeaders, m.logRequests,
		m.answerEarly,
	} {
		next = layer(next)
	}
	return next
}

// refuse answers a request that must not reach a handler.
func (m *Middleware) refuse(w http.ResponseWriter, r *http.Request, err error) {
	SetRetryAfter(w.Header(), err)
	m.writeError(w, r, err)
}

// withTimeout cancels the context of a request that takes too long, except on
// the paths of streams.
func (m *Middleware) withTimeout(next http.Handler) http.Handler {
	if m.cfg.Timeout <= 0 {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if under(m.cfg.StreamPaths, r.URL.Path) {
			next.ServeHTTP(w, r)
			return
		}
		ctx, cancel := context.WithTimeout(r.Context(), m.cfg.Timeout)
		defer cancel()
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

// Package httpkit is what the HTTP edges share: request ids, the client's
// address, who calls (from a header or a cookie), the cookies themselves, the
// cross-origin rules and the limits. It knows net/http and nothing else.
//
// Kit.Wrap puts all of it round a program's handler in the right order; the
// edges then ask CallerFrom, Source and RequestID.
package httpkit

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/octavo-books/octavo/domain/user"
)

// Authenticator resolves an access token. Anything wrong with the token is
// user.ErrUnauthenticated; a store that is down is a fault of kind Unavailable.
type Authenticator interface {
	Authenticate(ctx context.Context, accessToken string, from user.Source) (user.Caller, error)
}

// Refuse answers a request that the kit stops before it reaches an edge, in
// that edge's own format. Status(err) is the status, RetryAfter has been set.
type Refuse func(w http.ResponseWriter, r *http.Request, err error)

// Kit holds the middleware of one server.
type Kit struct {
	cfg     Config
	auth    Authenticator
	log     *slog.Logger
	refuse  Refuse
	observe func(context.Context, Exchange)
	cookies Cookies
	origins origins
	limiter *limiter
}

// Options are the parts that a Kit works with; Log is needed.
type Options struct {
	Auth    Authenticator                   // nil: nobody can sign in here
	Log     *slog.Logger                    // gets a line a request
	Refuse  Refuse                          // nil: plain text
	Observe func(context.Context, Exchange) // nil, or told of every finished request
}

// New checks the settings and makes a Kit.
func New(cfg Config, o Options) (*Kit, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	if o.Refuse == nil {
		o.Refuse = refusePlainly
	}
	if o.Observe == nil {
		o.Observe = func(context.Context, Exchange) {}
	}
	trusted, err := newOrigins(cfg.AllowedOrigins)
	if err != nil {
		return nil, err
	}
	return &Kit{
		cfg: cfg, auth: o.Auth, log: o.Log, refuse: o.Refuse, observe: o.Observe,
		cookies: NewCookies(cfg.Cookies),
		origins: trusted,
		limiter: newLimiter(cfg.RequestsPerSecond, time.Now),
	}, nil
}

// Wrap puts the whole kit round next. From the outside in: request id, source
// and log; headers that every answer has; panics; the request limit; CORS; the
// deadline; who calls; the cross-origin check for callers by cookie.
func (k *Kit) Wrap(next http.Handler) http.Handler {
	for _, layer := range []func(http.Handler) http.Handler{
		k.crossOrigin, k.credentials, k.deadline, k.cors, k.limit, k.recover, k.headers, k.record,
	} {
		next = layer(next)
	}
	return next
}

// stop answers with a refusal of the kit's own.
func (k *Kit) stop(w http.ResponseWriter, r *http.Request, err error) {
	SetRetryAfter(w.Header(), err)
	k.refuse(w, r, err)
}

func refusePlainly(w http.ResponseWriter, _ *http.Request, err error) {
	http.Error(w, Sentence(err), Status(err))
}

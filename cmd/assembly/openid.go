package assembly

import (
	"log/slog"
	"net/http"
	"slices"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/ginserver"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/openidhttp"
	"github.com/octavo-books/octavo/adapters/operations"
	"github.com/octavo-books/octavo/adapters/token"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/openid"
)

func newIDTokens(s *config.Settings, t *token.Tokens) *token.IDTokens {
	return token.NewIDTokens(t, s.CachedIDTokenKey())
}

// requireIDTokenKey returns an error if a client needs ID tokens that nothing can sign. Development
// makes a key when it is needed.
func requireIDTokenKey(life lifetime, s *config.Settings, store *authstore.Identity, t *token.IDTokens) error {
	if !s.Production() {
		return nil
	}
	algorithms, err := t.Algorithms()
	if err != nil || slices.Contains(algorithms, openid.RS256) {
		return err
	}
	clients, err := store.ListClients(life)
	for _, c := range clients {
		if c.IDTokenAlg == openid.RS256 {
			return config.Errorf("OIDC_SIGNING_KEY", "the application %q needs ID tokens with RS256; `octavo keys generate --oidc` makes a key", c.Name)
		}
	}
	return err
}

// newOpenIDRoutes serves the OpenID provider, in every process that serves accounts.
func newOpenIDRoutes(a *authrooms.Auth, pages *web.Pages, t *token.IDTokens, s *config.Settings, log *slog.Logger) ginserver.Group {
	h := &openidhttp.Handler{
		Auth: a,
		Options: openidhttp.Options{
			Issuer: s.Identity.JWTIssuer, BaseURL: s.Server.BaseURL, Algorithms: t.Algorithms,
			Caller: pages.Caller, Reopen: pages.Reopen, Carry: pages.CarryRequest, ShowError: pages.ShowError, Log: log,
		},
	}
	missing := func(c *gin.Context) { openidhttp.Refuse(c.Writer, c.Request, errNothingHere) }
	wrongMethod := func(c *gin.Context) {
		openidhttp.Refuse(c.Writer, c.Request, openid.ErrInvalidRequest.WithMsg("The method is not allowed here."))
	}
	return ginserver.Group{Below: openidhttp.Base, NoRoute: missing, NoMethod: wrongMethod, Refuse: openidhttp.Refuse, Mount: func(e *gin.Engine) error {
		for _, r := range h.Routes() {
			e.Handle(r.Method, r.Path, gin.WrapF(r.Handler))
		}
		return nil
	}}
}

// keysRoutes serves what other services need to verify tokens. In development the key of ID
// tokens is generated on the first request, because that takes a moment.
func keysRoutes(t *token.IDTokens, log *slog.Logger) ginserver.Group {
	return ginserver.Group{Mount: func(e *gin.Engine) error {
		e.GET("/.well-known/jwks.json", gin.WrapF(func(w http.ResponseWriter, r *http.Request) {
			set, err := t.KeySet()
			if err != nil {
				log.ErrorContext(r.Context(), "read the keys", "error", err)
				http.Error(w, http.StatusText(http.StatusInternalServerError), http.StatusInternalServerError)
				return
			}
			operations.KeySet(set)(w, r)
		}))
		e.Any("/auth/verify", gin.WrapF(operations.VerifyCaller)) // proxies use the method of the original request
		return nil
	}}
}

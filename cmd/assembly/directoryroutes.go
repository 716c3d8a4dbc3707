package assembly

import (
	"log/slog"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/ginserver"
	"github.com/octavo-books/octavo/adapters/scimhttp"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/cmd/config"
)

// newDirectoryRoutes serves SCIM to the directory of an institution, if it has a token.
func newDirectoryRoutes(a *authrooms.Auth, clock system.Clock, s *config.Settings, log *slog.Logger) ginserver.Group {
	if s.Identity.SCIMToken == "" {
		return ginserver.Group{}
	}
	h := scimhttp.New(a.Provisioning, scimhttp.Options{BaseURL: s.Server.BaseURL, Token: s.Identity.SCIMToken, Now: clock.Now, Log: log})
	missing := func(c *gin.Context) { scimhttp.Refuse(c.Writer, c.Request, errNothingHere) }
	return ginserver.Group{Below: scimhttp.Base, NoRoute: missing, NoMethod: missing, Refuse: scimhttp.Refuse, Mount: func(e *gin.Engine) error {
		for _, r := range h.Routes() {
			e.Handle(r.Method, r.Path, func(c *gin.Context) {
				c.Request.SetPathValue("id", c.Param("id"))
				r.Handler(c.Writer, c.Request)
			})
		}
		return nil
	}}
}

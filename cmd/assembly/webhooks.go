package assembly

import (
	"log/slog"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/webhookhttp"
	"github.com/octavo-books/octavo/application/receiver"
	"go.uber.org/fx"
)

func webhookEdge(parts Components) fx.Option {
	if !parts.Webhooks {
		return fx.Options()
	}
	return asEdge(func(s *Settings, log *slog.Logger) (edge, error) {
		secret := s.Webhooks.Secret
		if secret == "" {
			var err error
			if secret, err = generatedSecret(s.Storage.DataDir, "webhook-secret"); err != nil {
				return edge{}, err
			}
		}
		r, err := receiver.New(secret, receiver.WithLogger(log))
		if err != nil {
			return edge{}, err
		}
		h := gin.WrapH(webhookhttp.Handler(r, webhookhttp.Options{Path: s.Webhooks.Path, Logger: log}))
		below := "/api/host"
		if !parts.Identity() {
			below = "/"
		}
		return edge{below: below, noRoute: h, noMethod: h, mount: func(e *gin.Engine) error {
			e.POST(s.Webhooks.Path, h)
			return nil
		}}, nil
	})
}

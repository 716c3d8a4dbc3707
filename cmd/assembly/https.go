package assembly

import (
	"crypto/tls"
	"log/slog"

	"github.com/octavo-books/octavo/adapters/acme"
	"github.com/octavo-books/octavo/adapters/ginserver"
	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/cmd/config"
	"go.uber.org/fx"
)

// autoHTTPS serves at the public ports of HTTPS=auto what is served at HOST:PORT.
func autoHTTPS(s config.Settings, public config.PublicPorts) fx.Option {
	return when(public.HTTPS != nil, fx.Options(
		fx.Provide(func(s *config.Settings, log *slog.Logger) (*acme.Certificates, error) { return s.NewCertificates(log) }),
		fx.Invoke(func(lc fx.Lifecycle, c *acme.Certificates, server *ginserver.Server, log *slog.Logger) {
			plain := ginserver.NewServer(c.Plain(s.Site()), s.Server.DrainTimeout, log)
			lc.Append(fx.StartStopHook(func() { plain.Start(public.HTTP) }, plain.Stop))
			lc.Append(fx.StartHook(func() { server.Start(tls.NewListener(public.HTTPS, c.TLS())) }))
		}),
		run("certificate", (*acme.Certificates).Keep),
		fx.Invoke(func(m *metrics.Metrics, c *acme.Certificates, clock system.Clock) {
			m.WatchCertificate(clock.Now, c.Validity)
		}),
	))
}

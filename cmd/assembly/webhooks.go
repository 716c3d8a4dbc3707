package assembly

import (
	"context"
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/expression"
	"github.com/octavo-books/octavo/adapters/forward"
	"github.com/octavo-books/octavo/adapters/ginserver"
	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/inboxhttp"
	"github.com/octavo-books/octavo/adapters/inspector"
	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/adapters/telemetry"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/inbox/serving"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/sources"
	"go.uber.org/fx"
)

// webhookRoutes is the durable receiver of webhooks.
func webhookRoutes(parts config.Components) fx.Option {
	return when(parts.Webhooks, fx.Options(
		fx.Provide(newInboxStore, newInbox, metrics.NewInboxMeter, sources.New),
		require("inbox", (*inboxstore.Inbox).Ready),
		asRoutes(newWebhookRoutes), asRoutes(newWebhookPages),
		fx.Invoke(runInbox),
	))
}

// newInboxStore opens the inbox's database: on SQLite a file of its own.
func newInboxStore(lc fx.Lifecycle, life lifetime, s *config.Settings, log *slog.Logger, t *telemetry.Tracing, m *metrics.Metrics) (*inboxstore.Inbox, error) {
	db, err := openFor(lc, life, s.InboxDatabase(), log, t)
	if err != nil {
		return nil, err
	}
	watchPool(m, "inbox", db)
	store := inboxstore.New(db)
	lc.Append(fx.StopHook(store.Close))
	return store, nil
}

// inboxParts are the adapters of the inbox.
type inboxParts struct {
	fx.In
	Store  *inboxstore.Inbox
	Clock  system.Clock
	IDs    *system.IDs
	Random io.Reader
	Traces *telemetry.Tracing
	Meter  *metrics.InboxMeter
	Log    *slog.Logger
	Box    *outboxstore.Mailbox `optional:"true"` // nil where no mails are sent
}

func newInbox(lc fx.Lifecycle, s *config.Settings, p inboxParts) (*serving.Service, error) {
	cfg, err := s.InboxConfig()
	if err != nil {
		return nil, err
	}
	rules, err := s.ForwardingRules()
	if err != nil {
		return nil, err
	}
	secret, err := s.WebhookSecret()
	if err != nil {
		return nil, err
	}
	alerts, err := s.NewAlerts(p.Box)
	if err != nil {
		return nil, err
	}
	lc.Append(fx.StopHook(alerts.Close))
	forwarder := forward.New("Octavo-Webhooks/" + config.Version())
	forwarder.WrapTransport(p.Traces.Transport)
	lc.Append(fx.StopHook(forwarder.Close))
	return serving.New(inbox.Ports{
		Store: p.Store, MailAlert: alerts.Mail, Compile: expression.Compile, Forwarder: forwarder,
		Meter: p.Meter, Clock: p.Clock.Now, IDs: p.IDs.Next, Random: p.Random,
	}, cfg, rules, secret, p.Log)
}

// runInbox stores and forwards while the program serves.
func runInbox(lc fx.Lifecycle, b background, service *serving.Service) {
	lc.Append(fx.StartHook(func() error { return service.Recover(b.life) }))
	b.RunToTheEnd("storing and forwarding deliveries", service.Run)
	context.AfterFunc(b.life, service.Drain)
}

func newWebhookRoutes(s *config.Settings, parts config.Components, service *serving.Service, all *sources.Sources, log *slog.Logger) (ginserver.Group, error) {
	deliveries := gin.WrapH(all.Default())
	g := ginserver.Group{Below: "/api/host", NoRoute: deliveries, NoMethod: deliveries, Refuse: sources.Refuse, Wrap: all.Wrap, Owns: all.Owns}
	if !parts.Identity() { // no other component answers here
		g.Below = "/"
	}
	g.Mounted = func(engine *gin.Engine, patterns []string) error {
		if err := all.Reserve(patterns); err != nil {
			return err
		}
		engine.POST(s.Webhooks.Path, gin.WrapH(all.Noted()))
		return all.Open()
	}
	if s.Webhooks.APIToken == "" {
		return g, nil
	}
	api, err := inboxhttp.Handler(service, s.Webhooks.APIToken, time.Now, log)
	if err != nil {
		return g, config.Errorf("WEBHOOK_API_TOKEN", "%v", err)
	}
	g.Mount = func(engine *gin.Engine) error {
		for _, path := range []string{inboxhttp.Path, inboxhttp.RulesPath} {
			engine.Any(path, gin.WrapH(api))
			engine.Any(path+"/*rest", gin.WrapH(api))
		}
		return nil
	}
	return g, nil
}

// newWebhookPages serves the pages under /webhooks. site is nil without accounts.
func newWebhookPages(parts config.Components, all *sources.Sources, site *web.Pages, l net.Listener, random io.Reader, clock system.Clock, log *slog.Logger) (ginserver.Group, error) {
	deps := sources.PageDeps{Parts: parts, At: l.Addr(), Random: random, Clock: clock, Log: log}
	if site != nil {
		deps.Caller = site.Caller
	}
	pages, err := all.NewPages(deps)
	if err != nil {
		return ginserver.Group{}, err
	}
	if pages == nil {
		off := gin.WrapF(sources.PagesOff)
		return ginserver.Group{Below: inspector.Base, NoRoute: off, NoMethod: off}, nil
	}
	h := gin.WrapH(pages)
	return ginserver.Group{Below: inspector.Base, NoRoute: h, NoMethod: h, Refuse: pages.WriteError, Mount: func(e *gin.Engine) error {
		e.GET(inspector.Base, h)
		e.GET(inspector.Base+"/*page", h)
		for _, path := range pages.FormPaths() {
			e.POST(path, h)
		}
		return nil
	}}, nil
}

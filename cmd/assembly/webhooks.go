package assembly

import (
	"context"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/expression"
	"github.com/octavo-books/octavo/adapters/forward"
	"github.com/octavo-books/octavo/adapters/ginserver"
	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/inboxhttp"
	"github.com/octavo-books/octavo/adapters/inspector"
	"github.com/octavo-books/octavo/adapters/mail"
	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/adapters/telemetry"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/inbox/serving"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/sources"
	"github.com/octavo-books/octavo/domain/user"
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
	alerts, err := newAlerts(lc, s, p.Box)
	if err != nil {
		return nil, err
	}
	forwarder := forward.New("Octavo-Webhooks/" + config.Version())
	forwarder.WrapTransport(p.Traces.Transport)
	lc.Append(fx.StopHook(forwarder.Close))
	return serving.New(inbox.Ports{
		Store: p.Store, MailAlert: alerts, Compile: expression.Compile, Forwarder: forwarder,
		Meter: p.Meter, Clock: p.Clock.Now, IDs: p.IDs.Next, Random: p.Random,
	}, cfg, rules, secret, p.Log)
}

// newAlerts returns what mails the alerts of the inbox, nil without ALERT_MAIL. It has its own sender, because
// webhooks may be served without the components that send mail, or with ones that send through a queue.
// Development stores alerts in its mailbox, as it does all mails; box is nil where there is none.
func newAlerts(lc fx.Lifecycle, s *config.Settings, box *outboxstore.Mailbox) (inbox.MailAlert, error) {
	boxed := box != nil && s.DevMailbox()
	mails := func(sender mailer.Sender) inbox.MailAlert {
		return mail.Alerts(sender, user.Email(s.Webhooks.AlertMail), s.Server.ServiceName)
	}
	switch {
	case s.Webhooks.AlertMail == "":
		return nil, nil //nolint:nilnil // without a mailer, alerts are not mailed
	case boxed && s.Mail.SMTPURL == "":
		return mails(box), nil
	}
	smtp, err := newSMTP(lc, s)
	if err != nil || !boxed {
		return mails(smtp), err
	}
	return mails(mailer.ChainSenders(box, smtp)), nil
}

// runInbox stores and forwards while the program serves, and reads the rules and
// secrets again on SIGHUP.
func runInbox(lc fx.Lifecycle, b background, service *serving.Service, all *sources.Sources) {
	lc.Append(fx.StartHook(func() error { return service.Recover(b.life) }))
	b.RunToTheEnd("storing and forwarding deliveries", service.Run)
	context.AfterFunc(b.life, service.Drain)
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP) // before the program is ready: an unhandled SIGHUP would end it
	b.Run("reading the rules again", func(ctx context.Context) {
		defer signal.Stop(hangup)
		all.Reload(ctx, hangup)
	})
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

// webhookPageParts are what the pages under /webhooks need.
type webhookPageParts struct {
	fx.In
	Parts    config.Components
	Sources  *sources.Sources
	Pages    *web.Pages `optional:"true"` // nil without accounts
	Listener net.Listener
	Random   io.Reader
	Clock    system.Clock
	Log      *slog.Logger
}

// newWebhookPages serves the pages under /webhooks.
func newWebhookPages(p webhookPageParts) (ginserver.Group, error) {
	deps := sources.PageDeps{Parts: p.Parts, At: p.Listener.Addr(), Random: p.Random, Clock: p.Clock, Log: p.Log}
	if p.Pages != nil {
		deps.Caller = p.Pages.Caller
	}
	pages, err := p.Sources.NewPages(deps)
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

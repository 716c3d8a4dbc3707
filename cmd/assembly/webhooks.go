package assembly

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/octavo-books/octavo/adapters/expression"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/forward"
	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/inboxhttp"
	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/adapters/operations"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/adapters/telemetry"
	"github.com/octavo-books/octavo/adapters/webhookhttp"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/cmd/config"
	"go.uber.org/fx"
)

// webhookRoutes is the durable receiver of webhooks.
func webhookRoutes(parts config.Components) fx.Option {
	if !parts.Webhooks {
		return fx.Options()
	}
	return fx.Options(
		fx.Provide(newInboxStore, newInbox, newReceiver, newInboxMeter, newWebhookSecrets, newWebhookSources),
		check(func(i *inboxstore.Inbox) operations.Check {
			return operations.Check{Name: "inbox", Required: true, Probe: i.Ready}
		}),
		asRoutes(newWebhookRoutes), asRoutes(newWebhookPages),
		fx.Invoke(runInbox),
	)
}

// newInboxStore opens the inbox's database: on SQLite a file of its own.
func newInboxStore(lc fx.Lifecycle, life lifetime, s *config.Settings, log *slog.Logger, t *telemetry.Tracing, m *metrics.Metrics) (*inboxstore.Inbox, error) {
	db, err := openFor(lc, life, s.InboxDatabase(), log, instrument(t)...)
	if err != nil {
		return nil, err
	}
	if err := watchPool(m, "inbox", db); err != nil {
		return nil, err
	}
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
	Meter  inbox.Meter
	Log    *slog.Logger
	Box    *outboxstore.Mailbox `optional:"true"` // nil where no mails are sent
}

func newInbox(lc fx.Lifecycle, s *config.Settings, p inboxParts) (*inbox.Service, error) {
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
	alertMailer, err := newAlertMailer(lc, s, p.Box)
	if err != nil {
		return nil, err
	}
	forwarder := forward.New("Octavo-Webhooks/" + config.Version())
	forwarder.WrapTransport(p.Traces.Transport)
	lc.Append(fx.StopHook(forwarder.Close))
	return inbox.New(inbox.Ports{
		Store: p.Store, MailAlert: alertMailer, Compile: expression.Compile, Forwarder: forwarder,
		Meter: p.Meter, Clock: p.Clock, IDs: p.IDs, Random: p.Random,
	}, cfg, rules, secret, p.Log)
}

// newReceiver verifies deliveries and hands every one to the inbox.
func newReceiver(s *config.Settings, service *inbox.Service, secrets *webhookSecrets, log *slog.Logger) (*receiver.Receiver, error) {
	all, err := s.WebhookSecrets()
	if err != nil {
		return nil, err
	}
	if err := s.CheckSecretLength(); err != nil { // production has refused it before
		log.Warn("a webhook secret is weak", "error", err)
	}
	sender, err := s.WebhookSender()
	if err != nil {
		return nil, err
	}
	r, err := receiver.New(all[0].Value, receiver.WithSender(sender), receiver.WithLogger(log), receiver.WithVerified(secrets.countVerified))
	if err != nil {
		return nil, config.Errorf("WEBHOOK_SECRET", "%v", err)
	}
	secrets.receiver = r
	return r, errors.Join(secrets.set(all), r.OnAny(receiver.ActionFunc(logUnknownEvents(acceptDelivery(service, inbox.DefaultSource), sender, log))))
}

// runInbox stores and forwards while the program serves, and reads the rules and
// secrets again on SIGHUP.
func runInbox(lc fx.Lifecycle, b background, s *config.Settings, service *inbox.Service, secrets *webhookSecrets, sources *webhookSources, log *slog.Logger) {
	lc.Append(fx.StartHook(func() error { return service.Recover(b.life) }))
	b.RunToTheEnd("storing and forwarding deliveries", service.Run)
	context.AfterFunc(b.life, service.Drain)
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP) // before the program is ready: an unhandled SIGHUP would end it
	b.Run("reading the rules again", func(ctx context.Context) {
		defer signal.Stop(hangup)
		reloadRules(ctx, hangup, &reloader{s, service, secrets, sources}, log)
	})
}

func newWebhookRoutes(s *config.Settings, parts config.Components, r *receiver.Receiver, service *inbox.Service, sources *webhookSources, observe webhookObserver, log *slog.Logger) (routeGroup, error) {
	receive := webhookhttp.Handler(r, webhookhttp.Options{
		Path: s.Webhooks.Path, BaseURL: s.Server.BaseURL, Logger: log, MustFinish: true, ShowErrors: false, Accepted: answerText, Observe: observe(inbox.DefaultSource),
	})
	deliveries := gin.WrapH(asSent(receive))
	e := routeGroup{below: "/api/host", noRoute: deliveries, noMethod: deliveries, refuse: refuseDelivery}
	e.wrap, e.owns = sources.wrap, func(path string) bool { return sources.handler(path) != nil }
	e.mounted = func(engine *gin.Engine, routes gin.RoutesInfo) error {
		sources.routes = routes
		if route := sources.routeUnder(s.Webhooks.Path); route != "" {
			return config.Errorf("WEBHOOK_PATH", "%s is Octavo's own, of %s", s.Webhooks.Path, route)
		}
		engine.POST(s.Webhooks.Path, gin.WrapH(noteDeliveries(inbox.DefaultSource, receive)))
		all, err := s.WebhookSources()
		if err != nil {
			return err
		}
		set, err := sources.prepare(all)
		if err == nil {
			set()
			service.WarnOfRules()
		}
		return err
	}
	if !parts.Identity() { // no other component answers here
		e.below = "/"
	}
	var api http.Handler
	if s.Webhooks.APIToken != "" {
		var err error
		if api, err = inboxhttp.Handler(service, s.Webhooks.APIToken, time.Now, log); err != nil {
			return routeGroup{}, config.Errorf("WEBHOOK_API_TOKEN", "%v", err)
		}
	}
	e.mount = func(engine *gin.Engine) error {
		if api != nil {
			for _, path := range []string{inboxhttp.Path, inboxhttp.RulesPath} {
				engine.Any(path, gin.WrapH(api))
				engine.Any(path+"/*rest", gin.WrapH(api))
			}
		}
		return nil
	}
	return e, nil
}

// asSent restores the method HEAD, which the router serves as GET: some senders check a URL with
// it.
func asSent(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if httpx.IsHead(r.Context()) {
			sent := *r
			sent.Method = http.MethodHead
			r = &sent
		}
		next.ServeHTTP(w, r)
	})
}

// refuseDelivery writes errors of the middleware in the receiver's format.
func refuseDelivery(w http.ResponseWriter, _ *http.Request, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(httpx.Status(err))
	_ = json.NewEncoder(w).Encode(map[string]string{"error": httpx.PublicMessage(err)})
}

// Package sources receives webhooks: it has a receiver for each source, which counts and logs what arrives, and
// reads the secrets and sources again at a signal.
package sources

import (
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/adapters/sourcefile"
	"github.com/octavo-books/octavo/adapters/webhookhttp"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/inbox/serving"
	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/webhook"
)

// Sources receives the deliveries of the default source, at WEBHOOK_PATH, and of those in the file
// of WEBHOOK_SOURCES, which may change while the program serves.
type Sources struct {
	settings *config.Settings
	service  *serving.Service
	sender   *webhook.Sender // of the default source
	receive  http.Handler    // of the default source
	secrets  *secrets
	meter    *metrics.InboxMeter
	log      *slog.Logger

	routes   []string // Octavo's own, whose paths sources must not have
	byPath   atomic.Pointer[map[string]http.Handler]
	allNames atomic.Pointer[[]string]

	mu      sync.Mutex // guards current and secrets.current, which samples read while they are read again
	current []sourcefile.Source
}

// New receives the deliveries of the default source; Open adds the others.
func New(s *config.Settings, service *serving.Service, m *metrics.InboxMeter, log *slog.Logger) (*Sources, error) {
	sender, err := s.WebhookSender()
	if err != nil {
		return nil, err
	}
	w := &Sources{settings: s, service: service, sender: sender, secrets: newSecrets(s, m, log), meter: m, log: log}
	w.byPath.Store(&map[string]http.Handler{})
	w.allNames.Store(&[]string{inbox.DefaultSource})
	return w, w.receiveDefault()
}

// receiveDefault verifies the deliveries of the default source and hands every one to the inbox.
func (w *Sources) receiveDefault() error {
	s := w.settings
	all, err := s.WebhookSecrets()
	if err != nil {
		return err
	}
	if err := s.CheckSecretLength(); err != nil { // production has refused it before
		w.log.Warn("a webhook secret is weak", "error", err)
	}
	r, err := receiver.New(
		all[0].Value, receiver.WithSender(w.sender), receiver.WithLogger(w.log), receiver.WithVerified(w.secrets.countVerified),
	)
	if err != nil {
		return config.Errorf("WEBHOOK_SECRET", "%v", err)
	}
	w.secrets.receiver = r
	w.receive = webhookhttp.Handler(r, webhookhttp.Options{
		Path: s.Webhooks.Path, BaseURL: s.Server.BaseURL, Logger: w.log, MustFinish: true, ShowErrors: false, Accepted: answerText,
		Observe: w.observe(inbox.DefaultSource),
	})
	return errors.Join(
		w.secrets.set(all), r.OnAny(receiver.ActionFunc(logUnknownEvents(acceptDelivery(w.service, inbox.DefaultSource), w.sender, w.log))),
	)
}

func (w *Sources) observe(source string) func(webhookhttp.Outcome, time.Duration) {
	return func(o webhookhttp.Outcome, took time.Duration) { w.meter.ObserveAnswer(source, string(o), took) }
}

// Default serves the default source. Elsewhere than at its path it refuses in the format of a receiver.
func (w *Sources) Default() http.Handler { return asSent(w.receive) }

// Noted is Default that adds what became of a delivery to the access log.
func (w *Sources) Noted() http.Handler { return noteDeliveries(inbox.DefaultSource, w.receive) }

// Reserve keeps sources away from the routes of the program. The error is a config.ErrSetting if WEBHOOK_PATH
// is one of them.
func (w *Sources) Reserve(routes []string) error {
	w.routes = routes
	if route := w.routeUnder(w.settings.Webhooks.Path); route != "" {
		return config.Errorf("WEBHOOK_PATH", "%s is Octavo's own, of %s", w.settings.Webhooks.Path, route)
	}
	return nil
}

// Open receives the deliveries of the sources in the file, too.
func (w *Sources) Open() error {
	all, err := w.settings.WebhookSources()
	if err != nil {
		return err
	}
	set, err := w.prepare(all)
	if err == nil {
		set()
		w.service.WarnOfRules()
	}
	return err
}

// Owns reports whether a path belongs to a source. The router has that of the default source, but only for
// POST: with another method some senders check it.
func (w *Sources) Owns(path string) bool {
	return w.handler(path) != nil || strings.TrimSuffix(path, "/") == w.settings.Webhooks.Path
}

// handler returns the handler of the source at a path, with or without a slash at its
// end, or nil.
func (w *Sources) handler(path string) http.Handler {
	return (*w.byPath.Load())[strings.TrimSuffix(path, "/")]
}

// names returns the names of all sources.
func (w *Sources) names() []string { return *w.allNames.Load() }

// Wrap answers the paths of the sources and passes all others to next.
func (w *Sources) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if source := w.handler(r.URL.Path); source != nil {
			source.ServeHTTP(out, r)
			return
		}
		next.ServeHTTP(out, r)
	})
}

// prepare makes the handlers of sources and changes nothing until set is called. The error is a
// config.ErrSetting.
func (w *Sources) prepare(sources []sourcefile.Source) (set func(), err error) {
	byPath := make(map[string]http.Handler, len(sources))
	for _, source := range sources {
		if route := w.routeAt(source.Path); route != "" {
			return nil, config.Errorf("WEBHOOK_SOURCES", "%s: the path %s is Octavo's own, of %s", source.Place, source.Path, route)
		}
		if byPath[source.Path], err = w.newHandler(source); err != nil {
			return nil, config.Errorf("WEBHOOK_SOURCES", "%s: %v", source.Place, err)
		}
	}
	names := []string{inbox.DefaultSource}
	described := map[string]inbox.Source{inbox.DefaultSource: {Sender: w.sender}, event.Source: {Sender: webhook.Standard}}
	for _, source := range sources {
		names = append(names, source.Name)
		described[source.Name] = inbox.Source{Sender: source.Sender, Dedupe: source.Dedupe}
	}
	return func() {
		w.byPath.Store(&byPath)
		w.allNames.Store(&names)
		w.service.SetSources(described)
		w.forgetOthers(sources)
		w.mu.Lock()
		w.current = sources
		w.mu.Unlock()
		for _, source := range sources {
			w.secrets.show(source.Secrets)
			w.logDedupe(source.Name, described[source.Name])
			w.warnOfShortSecrets(source)
		}
	}, nil
}

// newHandler receives the deliveries of one source.
func (w *Sources) newHandler(source sourcefile.Source) (http.Handler, error) {
	log := w.log.With("source", source.Name)
	r, err := receiver.New(source.Secrets[0].Value, receiver.WithSender(source.Sender), receiver.WithLogger(w.log), receiver.WithVerified(
		w.secrets.countVerified,
	))
	if err != nil {
		return nil, err
	}
	if err := r.SetSecrets(source.Secrets); err != nil {
		return nil, err
	}
	accept := logUnknownEvents(acceptDelivery(w.service, source.Name), source.Sender, log)
	if err := r.OnAny(receiver.ActionFunc(accept)); err != nil {
		return nil, err
	}
	return noteDeliveries(source.Name, webhookhttp.Endpoint(r, webhookhttp.Options{
		BaseURL: w.settings.Server.BaseURL, Logger: log, MaxBody: source.MaxBody, MustFinish: true, Accepted: answerText,
		Observe: w.observe(source.Name),
	})), nil
}

// forgetOthers removes the metrics of the sources, and of their secrets, that are not among
// these.
func (w *Sources) forgetOthers(sources []sourcefile.Source) {
	names, used := map[string]bool{}, map[string]bool{}
	for _, source := range sources {
		names[source.Name] = true
		for _, secret := range source.Secrets {
			used[secret.Name] = true
		}
	}
	for _, source := range w.current {
		if !names[source.Name] {
			w.meter.ForgetSource(source.Name)
		}
		for _, secret := range source.Secrets {
			if !used[secret.Name] {
				w.meter.ForgetSecret(secret.Name)
			}
		}
	}
}

// logDedupe says when the same body is a new delivery, where only the body tells.
func (w *Sources) logDedupe(name string, source inbox.Source) {
	switch window, ok := source.DedupeOfBodies(); {
	case ok && window == 0:
		w.log.Info("the deliveries of a source have no id: each is a new one", "source", name)
	case ok:
		w.log.Info("the deliveries of a source have no id: the same body counts as one delivery for a while", "source", name, "dedupe", window.String())
	}
}

// warnOfShortSecrets logs what production refuses, and a source that takes the deliveries of
// anybody at the service that signs them.
func (w *Sources) warnOfShortSecrets(source sourcefile.Source) {
	if !source.Sender.NeedsSecret() {
		if !strings.HasPrefix(source.Secrets[0].Value, "arn:") && source.Sender.Name() == webhook.SNS.Name() {
			w.log.Warn("a webhook source takes the messages of every topic; give the ARN of yours as its secret", "source", source.Name)
		}
		return
	}
	for _, secret := range source.Secrets {
		if config.IsShortSecret(secret.Value) {
			w.log.Warn("a webhook secret is weak: production needs longer ones", "source", source.Name, "secret", secret.Name)
		}
	}
}

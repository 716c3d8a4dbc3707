package assembly

import (
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/inboxhttp"
	"github.com/octavo-books/octavo/adapters/inspector"
	"github.com/octavo-books/octavo/adapters/sourcefile"
	"github.com/octavo-books/octavo/adapters/webhookhttp"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/webhook"
)

// webhookSources answers the paths of the file of WEBHOOK_SOURCES, which may change
// while the program serves.
type webhookSources struct {
	settings *config.Settings
	service  *inbox.Service
	sender   *webhook.Sender // of the default source
	secrets  *webhookSecrets
	observe  webhookObserver
	forget   forgetSource
	log      *slog.Logger

	routes   gin.RoutesInfo // Octavo's own, whose paths sources must not have
	byPath   atomic.Pointer[map[string]http.Handler]
	allNames atomic.Pointer[[]string]
	current  []sourcefile.Source
}

func newWebhookSources(s *config.Settings, service *inbox.Service, secrets *webhookSecrets, observe webhookObserver, forget forgetSource, log *slog.Logger) (*webhookSources, error) {
	sender, err := s.WebhookSender()
	w := &webhookSources{settings: s, service: service, sender: sender, secrets: secrets, observe: observe, forget: forget, log: log}
	w.byPath.Store(&map[string]http.Handler{})
	w.allNames.Store(&[]string{inbox.DefaultSource})
	return w, err
}

// handler returns the handler of the source at a path, with or without a slash at its
// end, or nil.
func (w *webhookSources) handler(path string) http.Handler {
	return (*w.byPath.Load())[strings.TrimSuffix(path, "/")]
}

// names returns the names of all sources.
func (w *webhookSources) names() []string { return *w.allNames.Load() }

// wrap answers the paths of the sources and passes all others to next.
func (w *webhookSources) wrap(next http.Handler) http.Handler {
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
func (w *webhookSources) prepare(sources []sourcefile.Source) (set func(), err error) {
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
		w.current = sources
		for _, source := range sources {
			w.secrets.show(source.Secrets)
			w.logDedupe(source.Name, described[source.Name])
			w.warnOfShortSecrets(source)
		}
	}, nil
}

// newHandler receives the deliveries of one source.
func (w *webhookSources) newHandler(source sourcefile.Source) (http.Handler, error) {
	log := w.log.With("source", source.Name)
	r, err := receiver.New(source.Secrets[0].Value, receiver.WithSender(source.Sender), receiver.WithLogger(w.log), receiver.WithVerified(w.secrets.countVerified))
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
		BaseURL: w.settings.Server.BaseURL, Logger: log, MaxBody: source.MaxBody, MustFinish: true, Accepted: answerText, Observe: w.observe(source.Name),
	})), nil
}

// forgetOthers removes the metrics of the sources, and of their secrets, that are not among
// these.
func (w *webhookSources) forgetOthers(sources []sourcefile.Source) {
	names, secrets := map[string]bool{}, map[string]bool{}
	for _, source := range sources {
		names[source.Name] = true
		for _, secret := range source.Secrets {
			secrets[secret.Name] = true
		}
	}
	for _, source := range w.current {
		if !names[source.Name] {
			w.forget(source.Name)
		}
		for _, secret := range source.Secrets {
			if !secrets[secret.Name] {
				w.secrets.verified.DeleteLabelValues(labelOf(secret.Name))
			}
		}
	}
}

// logDedupe says when the same body is a new delivery, where only the body tells.
func (w *webhookSources) logDedupe(name string, source inbox.Source) {
	switch window, ok := source.DedupeOfBodies(); {
	case ok && window == 0:
		w.log.Info("the deliveries of a source have no id: each is a new one", "source", name)
	case ok:
		w.log.Info("the deliveries of a source have no id: the same body counts as one delivery for a while", "source", name, "dedupe", window.String())
	}
}

// warnOfShortSecrets logs what production refuses, and a source that takes the deliveries of
// anybody at the service that signs them.
func (w *webhookSources) warnOfShortSecrets(source sourcefile.Source) {
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

// ownPaths are reserved for Octavo, even if the settings or the components leave them out.
var ownPaths = []string{"/webhooks", "/api/host", "/graphql", "/healthz", "/readyz", "/metrics", "/dev", "/.well-known"}

// routeAt returns the route of Octavo's own that a path belongs to, "" if there is none.
func (w *webhookSources) routeAt(path string) string {
	for _, own := range ownPaths {
		if within(path, own) {
			return own
		}
	}
	for _, route := range w.routes {
		if matchesRoute(route.Path, path) {
			return route.Path
		}
	}
	return ""
}

// routeUnder is routeAt for WEBHOOK_PATH, which by default is below /api/host and may be the
// path of the pages, whose forms are elsewhere.
func (w *webhookSources) routeUnder(path string) string {
	if path == inspector.Base {
		return ""
	}
	if !within(path, "/api/host") {
		return w.routeAt(path)
	}
	for _, own := range []string{inboxhttp.Path, inboxhttp.RulesPath} {
		if within(path, own) {
			return own
		}
	}
	return ""
}

// matchesRoute reports whether a path belongs to a route such as /books/:id or /files/*name.
func matchesRoute(route, path string) bool {
	parts := strings.Split(path, "/")
	for i, segment := range strings.Split(route, "/") {
		switch {
		case strings.HasPrefix(segment, "*"):
			return true
		case i == len(parts), !strings.HasPrefix(segment, ":") && segment != parts[i]:
			return false
		}
	}
	return len(parts) == strings.Count(route, "/")+1
}

package assembly

import (
	"context"
	"log/slog"
	"os"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/cmd/config"
)

// reloader reloads what SIGHUP may change.
type reloader struct {
	settings *config.Settings
	service  *inbox.Service
	secrets  *webhookSecrets
	sources  *webhookSources
}

// reloadRules reads the rules, the secrets and the sources again at each signal. After an error
// in any of them, all stay unchanged.
func reloadRules(ctx context.Context, hangup <-chan os.Signal, r *reloader, log *slog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangup:
		}
		if err := r.reload(); err != nil {
			log.Error("the forwarding rules, sources and secrets are unchanged", "error", err)
			continue
		}
		if err := r.service.PublishRules(ctx); err != nil { // the service tries it again
			log.Warn("commands in other processes do not know the new rules yet", "error", err)
		}
		log.Info("forwarding rules read", "rules", len(r.service.Rules()))
		log.Info("webhook sources read", "sources", len(r.sources.current))
		r.secrets.logReload(r.settings)
	}
}

// reload prepares everything that can fail before it changes anything.
func (r *reloader) reload() error {
	s, err := r.secrets.reload(r.settings)
	if err != nil {
		return err
	}
	all, err := s.WebhookSecrets()
	if err != nil {
		return err
	}
	rules, err := s.ForwardingRules()
	if err != nil {
		return err
	}
	sources, err := s.WebhookSources()
	if err != nil {
		return err
	}
	setSources, err := r.sources.prepare(sources)
	if err != nil {
		return err
	}
	if err := r.service.SetRules(rules, all[0].Value); err != nil {
		return err
	}
	if err := r.secrets.set(all); err != nil {
		return err
	}
	setSources()
	r.service.WarnOfRules()
	return nil
}

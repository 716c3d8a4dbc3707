package assembly

import (
	"context"
	"log/slog"
	"os"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/cmd/config"
)

// reloadRules reads the rules and the secrets again at each signal. With a mistake in
// either, both stay as they were.
func reloadRules(ctx context.Context, hangup <-chan os.Signal, s *config.Settings, service *inbox.Service, secrets *webhookSecrets, log *slog.Logger) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangup:
		}
		if err := loadRules(s, service, secrets); err != nil {
			log.Error("the forwarding rules and secrets stay as they were", "error", err)
			continue
		}
		if err := service.PublishRules(ctx); err != nil { // the service tries it again
			log.Warn("commands beside the service do not know its rules yet", "error", err)
		}
		log.Info("forwarding rules read", "rules", len(service.Rules()))
		secrets.logReload(s)
	}
}

func loadRules(s *config.Settings, service *inbox.Service, secrets *webhookSecrets) error {
	s, err := secrets.reload(s)
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
	if err := service.SetRules(rules, all[0].Value); err != nil {
		return err
	}
	return secrets.set(all)
}

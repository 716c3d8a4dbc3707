package assembly

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"unicode/utf8"

	"github.com/octavo-books/octavo/adapters/httpkit"
	"github.com/octavo-books/octavo/adapters/rulefile"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/receiver"
)

// committersOnPostgres is how many transactions store deliveries at the same time.
const committersOnPostgres = 3

func (s *Settings) inboxConfig() (inbox.Config, error) {
	c := inbox.DefaultConfig()
	c.KeepBodies, c.KeepIDs, c.ReplayWindow = s.Webhooks.KeepBodies, s.Webhooks.KeepIDs, s.Webhooks.ReplayWindow
	c.MaxPending = s.Webhooks.MaxPending
	if !s.sqlite() {
		c.Committers = committersOnPostgres
	}
	if err := c.Validate(); err != nil {
		return c, refused("WEBHOOK_KEEP_BODIES, WEBHOOK_KEEP_IDS, WEBHOOK_REPLAY_WINDOW, WEBHOOK_MAX_PENDING", "%v", err)
	}
	return c, nil
}

// webhookSecret is that of the settings, or the one that development keeps.
func (s *Settings) webhookSecret() (string, error) {
	if s.Webhooks.Secret != "" {
		return s.Webhooks.Secret, nil
	}
	return generatedSecret(s.Storage.DataDir, webhookSecretFile)
}

// webhookSecretFile is where development keeps the secret it made, in DATA_DIR.
const webhookSecretFile = "webhook-secret"

func (s *Settings) moreSecrets() ([]receiver.Secret, error) {
	if s.Webhooks.AdditionalSecrets == "" {
		return nil, nil
	}
	secrets, err := receiver.ParseSecrets(s.Webhooks.AdditionalSecrets)
	if err != nil {
		return nil, refused("WEBHOOK_ADDITIONAL_SECRETS", "%v", err)
	}
	return secrets, nil
}

// shortestSecret is how many characters a secret has in production at least:
// whoever has one signed delivery can try shorter ones at home.
const shortestSecret = 16

// weakSecret refuses secrets that are too short for production.
func (s *Settings) weakSecret() error {
	more, err := s.moreSecrets()
	if err != nil {
		return err
	}
	if secret := s.Webhooks.Secret; secret != "" && utf8.RuneCountInString(secret) < shortestSecret {
		return refused("WEBHOOK_SECRET", "production needs at least %d characters; `openssl rand -hex 32` makes a good one", shortestSecret)
	}
	for _, secret := range more {
		if utf8.RuneCountInString(secret.Value) < shortestSecret {
			return refused("WEBHOOK_ADDITIONAL_SECRETS", "production needs at least %d characters in each; %q has fewer", shortestSecret, secret.Name)
		}
	}
	return nil
}

// forwardingRules are those of the flags and of the file.
func (s *Settings) forwardingRules() ([]inbox.Rule, error) {
	var rules []inbox.Rule
	for _, text := range s.Webhooks.Forward {
		some, err := inbox.ParseForwards(text)
		if err != nil {
			return nil, refused("--forward, WEBHOOK_FORWARD", "%v", err)
		}
		rules = append(rules, some...)
	}
	if s.Webhooks.Rules == "" {
		return rules, nil
	}
	more, err := rulefile.Load(s.Webhooks.Rules)
	if err != nil {
		return nil, refused("WEBHOOK_RULES", "%v", err)
	}
	return append(rules, more...), nil
}

// reloadRules reads the rules and the secrets again on SIGHUP. With a mistake in
// either, both stay as they were.
func reloadRules(ctx context.Context, s *Settings, service *inbox.Service, secrets *webhookSecrets, log *slog.Logger) {
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	for {
		select {
		case <-ctx.Done():
			return
		case <-hup:
		}
		if err := loadRules(s, service, secrets); err != nil {
			log.Error("the forwarding rules and secrets stay as they were", "error", err)
			continue
		}
		if err := service.ShareRules(ctx); err != nil { // the service tries it again
			log.Warn("commands beside the service do not know its rules yet", "error", err)
		}
		log.Info("forwarding rules read", "rules", len(service.Rules()))
		secrets.sayReloaded(s)
	}
}

func loadRules(s *Settings, service *inbox.Service, secrets *webhookSecrets) error {
	s, err := secrets.reread(s)
	if err != nil {
		return err
	}
	all, err := s.webhookSecrets()
	if err != nil {
		return err
	}
	rules, err := s.forwardingRules()
	if err != nil {
		return err
	}
	if err := service.SetRules(rules, all[0].Value); err != nil {
		return err
	}
	return secrets.set(all)
}

// refuseDelivery answers what the kit stops in the receiver's format.
func refuseDelivery(w http.ResponseWriter, _ *http.Request, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(httpkit.Status(err))
	_ = json.NewEncoder(w).Encode(map[string]string{"error": httpkit.Sentence(err)})
}

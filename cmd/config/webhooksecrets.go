package config

import (
	"fmt"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/octavo-books/octavo/application/receiver"
)

// WebhookSecret returns WEBHOOK_SECRET, or the secret that development generated;
// it generates one if there is none yet.
func (s *Settings) WebhookSecret() (string, error) {
	if s.Webhooks.Secret != "" {
		return s.Webhooks.Secret, nil
	}
	return loadOrCreateSecret(s.Storage.DataDir, WebhookSecretFile)
}

// WebhookSecretFile holds the generated secret, in DATA_DIR.
const WebhookSecretFile = "webhook-secret"

func (s *Settings) additionalSecrets() ([]receiver.Secret, error) {
	if s.Webhooks.AdditionalSecrets == "" {
		return nil, nil
	}
	secrets, err := receiver.ParseSecrets(s.Webhooks.AdditionalSecrets)
	if err != nil {
		return nil, Errorf("WEBHOOK_ADDITIONAL_SECRETS", "%v", err)
	}
	return secrets, nil
}

// shortestSecret is the minimum length of a secret in production: from one signed
// delivery a shorter one can be guessed offline.
const shortestSecret = 16

// IsShortSecret reports whether production refuses a webhook secret for its length.
func IsShortSecret(secret string) bool { return utf8.RuneCountInString(secret) < shortestSecret }

// CheckSecretLength returns an error if a webhook secret is too short for production.
func (s *Settings) CheckSecretLength() error {
	more, err := s.additionalSecrets()
	errs := []error{err}
	if secret := s.Webhooks.Secret; secret != "" && IsShortSecret(secret) {
		errs = append(errs, Errorf("WEBHOOK_SECRET", "production needs at least %d characters; `openssl rand -hex 32` makes a good one", shortestSecret))
	}
	for _, secret := range more {
		if IsShortSecret(secret.Value) {
			errs = append(errs, Errorf("WEBHOOK_ADDITIONAL_SECRETS", "production needs at least %d characters in each; %q has fewer", shortestSecret, secret.Name))
		}
	}
	return Together(errs...)
}

// WebhookSecrets returns every secret that deliveries may be signed with. The first
// one is the one that signs.
func (s *Settings) WebhookSecrets() ([]receiver.Secret, error) {
	secret, err := s.WebhookSecret()
	if err != nil {
		return nil, err
	}
	more, err := s.additionalSecrets()
	if err != nil {
		return nil, err
	}
	all := append([]receiver.Secret{{Name: "WEBHOOK_SECRET", Value: secret}}, more...)
	sender, err := s.WebhookSender()
	if err != nil {
		return nil, err
	}
	for i, one := range all {
		if _, err := sender.Key(one.Value); err != nil {
			setting := []string{"WEBHOOK_SECRET", "WEBHOOK_ADDITIONAL_SECRETS"}[min(i, 1)]
			return nil, Errorf(setting, "%s, for the sender %s", strings.TrimPrefix(err.Error(), "webhook: "), sender.Name())
		}
	}
	return all, nil
}

// ReloadableSecrets returns the settings that a reload may change, by their names.
func (s *Settings) ReloadableSecrets() map[string]*string {
	return map[string]*string{"WEBHOOK_SECRET": &s.Webhooks.Secret, "WEBHOOK_ADDITIONAL_SECRETS": &s.Webhooks.AdditionalSecrets}
}

// ExistingWebhookSecret is WebhookSecret for commands that change nothing: it generates no
// secret.
func (s *Settings) ExistingWebhookSecret() (string, error) {
	if path := filepath.Join(s.Storage.DataDir, WebhookSecretFile); s.Webhooks.Secret == "" && FileMissing(path) {
		return "", fmt.Errorf("there is no secret at %s: check DATA_DIR, or set WEBHOOK_SECRET", path)
	}
	return s.WebhookSecret()
}

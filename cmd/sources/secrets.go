package sources

import (
	"context"
	"log/slog"
	"os"
	"slices"
	"sync"

	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/webhook"
)

// secrets sets the secrets that deliveries are verified with and shows which
// of them are in use.
type secrets struct {
	log   *slog.Logger
	meter *metrics.InboxMeter
	files []string // the settings that are read from a file, and so can be reloaded
	used  sync.Map // the names that have verified a delivery since the last change

	receiver *receiver.Receiver
	current  []receiver.Secret
}

func newSecrets(s *config.Settings, m *metrics.InboxMeter, log *slog.Logger) *secrets {
	w := &secrets{log: log, meter: m}
	for name, value := range s.ReloadableSecrets() {
		_, inFile := os.LookupEnv(name + "_FILE")
		if inFile && os.Getenv(name) == *value { // else a flag overrides the file
			w.files = append(w.files, name)
		}
	}
	return w
}

// countVerified counts a delivery for the secret that signed it. It logs the first delivery
// after a change of the secrets at level info, the others at debug.
func (w *secrets) countVerified(ctx context.Context, e webhook.Event, secret string) {
	w.meter.CountVerified(secret)
	level := slog.LevelInfo
	if _, again := w.used.LoadOrStore(secret, nil); again {
		level = slog.LevelDebug
	}
	w.log.Log(ctx, level, "webhook delivery verified", "secret", secret, "id", e.ID, "event", string(e.Name))
}

// set replaces the secrets. All of them appear in the metrics, even before they have verified a
// delivery.
func (w *secrets) set(all []receiver.Secret) error {
	if slices.Equal(w.current, all) {
		return nil
	}
	if err := w.receiver.SetSecrets(all); err != nil {
		return err
	}
	w.current = all
	w.used.Clear()
	w.show(all)
	return nil
}

// show adds the secrets to the metrics, with a count of 0 if they are unused.
func (w *secrets) show(all []receiver.Secret) {
	for _, secret := range all {
		w.meter.ShowSecret(secret.Name)
	}
}

// reload returns the settings with the secrets that their files contain now, checked as at
// the start. An error changes nothing.
func (w *secrets) reload(s *config.Settings) (*config.Settings, error) {
	next := *s
	for name, value := range next.ReloadableSecrets() {
		if !slices.Contains(w.files, name) {
			continue
		}
		var err error
		if *value, err = config.SecretFromFile(name); err != nil {
			return nil, err
		}
	}
	if err := next.CheckSecretLength(); err != nil && next.Production() {
		return nil, err
	}
	return &next, nil
}

// logReload logs the result of a reload, and the settings that cannot be reloaded.
func (w *secrets) logReload(s *config.Settings) {
	w.log.Info("webhook secrets read", "secrets", len(w.current))
	for name, value := range s.ReloadableSecrets() {
		if *value != "" && !slices.Contains(w.files, name) {
			w.log.Info("setting not reloaded: a running program cannot read its environment again, only a file", "setting", name, "use", name+"_FILE")
		}
	}
}

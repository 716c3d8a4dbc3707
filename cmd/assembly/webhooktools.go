package assembly

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"

	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/cmd/config"
)

// WebhookTools are what commands about webhooks need of the settings, beside a
// running service or without one.
type WebhookTools struct{ Settings *config.Settings }

// Desk lends the inbox to do. It knows the rules of the service from the store:
// those of these settings may be others.
func (t WebhookTools) Desk(ctx context.Context, do func(*inbox.Desk) error) (err error) {
	s := *t.Settings
	if err := s.RequireDatabase(ctx, s.InboxDatabase()); err != nil {
		return err
	}
	db, err := openDatabase(ctx, s.InboxDatabase().URL, slog.New(slog.DiscardHandler), s.InboxDatabase().Schema)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	store, err := inboxstore.New(ctx, db)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return do(inbox.NewDesk(store, store, system.Clock{}, system.NewIDs(system.Clock{}, rand.Reader)))
}

// Secret is the secret of the settings, or the one that development has made.
func (t WebhookTools) Secret() (string, error) {
	s := *t.Settings
	if s.Webhooks.Secret == "" && s.Production() {
		return "", config.Errorf("WEBHOOK_SECRET", "production has no generated secret")
	}
	return s.ExistingWebhookSecret()
}

// Secrets are all that the service accepts with these settings, that of Secret first.
func (t WebhookTools) Secrets() ([]receiver.Secret, error) {
	if _, err := t.Secret(); err != nil {
		return nil, err
	}
	return t.Settings.WebhookSecrets()
}

// URL is where the service receives deliveries.
func (t WebhookTools) URL() string {
	s := *t.Settings
	s.DeriveAddresses(nil)
	return s.Server.BaseURL + s.Webhooks.Path
}

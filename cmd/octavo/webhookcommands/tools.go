package webhookcommands

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"

	"github.com/octavo-books/octavo/adapters/expression"
	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/adapters/sourcefile"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/receiver"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/domain/webhook"
)

// settingsTools implements webhookTools over the settings, whether a service runs or not.
type settingsTools struct{ settings *config.Settings }

// ToolsOf returns the tools of the settings.
func ToolsOf(s *config.Settings) Tools { return settingsTools{s} }

// WithAdmin implements webhookTools. It reads the rules from the store, because those of the
// running service may differ from these settings.
func (t settingsTools) WithAdmin(ctx context.Context, do func(*inbox.Admin) error) (err error) {
	s := *t.settings
	if err := s.RequireDatabase(ctx, s.InboxDatabase()); err != nil {
		return err
	}
	db, err := s.InboxDatabase().OpenUpToDate(ctx, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	store := inboxstore.New(db)
	defer func() { err = errors.Join(err, store.Close()) }()
	clock := system.Clock{}
	ids := system.NewIDs(clock, rand.Reader)
	return do(inbox.NewAdmin(inbox.Ports{Store: store, Compile: expression.Compile, Clock: clock.Now, IDs: ids.Next}))
}

// Secret implements webhookTools.
func (t settingsTools) Secret() (string, error) {
	s := *t.settings
	if s.Webhooks.Secret == "" && s.Production() {
		return "", config.Errorf("WEBHOOK_SECRET", "production has no generated secret")
	}
	return s.ExistingWebhookSecret()
}

// Secrets implements webhookTools.
func (t settingsTools) Secrets() ([]receiver.Secret, error) {
	if _, err := t.Secret(); err != nil {
		return nil, err
	}
	return t.settings.WebhookSecrets()
}

// Sender implements webhookTools.
func (t settingsTools) Sender() (*webhook.Sender, error) { return t.settings.WebhookSender() }

// Source implements webhookTools.
func (t settingsTools) Source(name string) (sourcefile.Source, string, error) {
	s := *t.settings
	sources, err := s.WebhookSources()
	if err != nil {
		return sourcefile.Source{}, "", err
	}
	s.DeriveAddresses(nil)
	for _, source := range sources {
		if source.Name == name {
			return source, s.Server.BaseURL + source.Path, nil
		}
	}
	return sourcefile.Source{}, "", terminal.Misused("--source %s is not in the file of WEBHOOK_SOURCES", name)
}

// APIToken implements webhookTools.
func (t settingsTools) APIToken() string { return t.settings.Webhooks.APIToken }

// URL implements webhookTools.
func (t settingsTools) URL() string {
	s := *t.settings
	s.DeriveAddresses(nil)
	return s.Server.BaseURL + s.Webhooks.Path
}

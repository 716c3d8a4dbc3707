package config_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/test/settings"
)

func TestAnAddressForAlertsThatCannotWorkIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		webhooks config.WebhookSettings
		want     string
	}{
		"not a URL":         {config.WebhookSettings{AlertURL: "ftp://hooks.example/hidden"}, "ALERT_URL"},
		"a private address": {config.WebhookSettings{AlertURL: "http://10.0.0.1/hidden"}, "ALERT_PRIVATE=true"},
		"metadata":          {config.WebhookSettings{AlertURL: "http://169.254.169.254/hidden", AlertPrivate: true}, "ALERT_URL"},
		"not an address":    {config.WebhookSettings{AlertMail: "Ops <ops@example.edu>"}, "ALERT_MAIL"},
	} {
		s := &config.Settings{Webhooks: c.webhooks}
		err := s.CheckAlerts()
		if !errors.Is(err, config.ErrSetting) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "hidden") {
			t.Errorf("%s: %v", name, err)
		}
	}
	good := &config.Settings{Mail: config.MailSettings{SMTPURL: "smtp://mail.example.edu"}, Webhooks: config.WebhookSettings{
		AlertURL: "http://10.0.0.1/hidden", AlertPrivate: true, AlertMail: "ops@example.edu",
	}}
	if err := good.CheckAlerts(); err != nil {
		t.Error(err)
	}
}

func TestARefusedAddressForAlertsIsNotBlamedOnOtherSettings(t *testing.T) {
	s := settings.Default(t)
	s.Webhooks.AlertURL = "http://10.0.0.1/hidden"
	if err := s.Validate(config.All); len(config.Lines(err)) != 1 || !strings.HasPrefix(err.Error(), "ALERT_URL: ") || strings.Contains(err.Error(), "WEBHOOK_") || strings.Contains(err.Error(), "hidden") {
		t.Errorf("refused with %v", err)
	}
}

func TestAlertsAreMailedIntoTheMailboxOfDevelopment(t *testing.T) {
	s := settings.Default(t)
	s.Webhooks.AlertMail = "ops@example.edu"
	if err := s.Validate(config.All); err != nil {
		t.Errorf("beside the mailbox: %v", err)
	}
	if err := s.Validate(config.Components{Auth: true}); err != nil {
		t.Errorf("where no webhooks are served: %v", err)
	}
	if err := s.Validate(config.Components{Webhooks: true}); err == nil || !strings.Contains(err.Error(), "SMTP_URL") {
		t.Errorf("without a mailbox: %v", err)
	}
	s.Server.Env = "production"
	if names := concerned(config.All.Check(&s)); !slices.Contains(names, "ALERT_MAIL") {
		t.Errorf("in production %v are missing", names)
	}
}

package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/settings"
)

// withSources are settings with files of sources and rules.
func withSources(t *testing.T, env, sources, rules string) *config.Settings {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{"sources.yaml": sources, "rules.yaml": rules} {
		must.Do(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	return &config.Settings{
		Server: config.ServerSettings{Env: env},
		Webhooks: config.WebhookSettings{
			Path: "/api/host/webhooks", Sources: filepath.Join(folder, "sources.yaml"), Rules: filepath.Join(folder, "rules.yaml"),
		},
	}
}

const ciSource = "- {name: ci, path: /hooks/ci, sender: github, secrets: [short]}\n"

func TestAnInvalidSourceIsRefusedWithItsSetting(t *testing.T) {
	for name, c := range map[string]struct{ env, sources, rules, want string }{
		"a short secret in production": {"production", ciSource, "", "line 1: source 1 (ci): secret 1 has 5 characters"},
		"the path of the default":      {"development", strings.Replace(ciSource, "/hooks/ci", "/api/host/webhooks", 1), "", "WEBHOOK_PATH"},
		"a rule without its source":    {"development", ciSource, "- {source: cl, match: '*', url: 'http://127.0.0.1/'}", "rule 1: the source cl is not one of default, octavo, ci"},
	} {
		s := withSources(t, c.env, c.sources, c.rules)
		_, err := s.ForwardingRules()
		if !errors.Is(err, config.ErrSetting) || !strings.HasPrefix(err.Error(), "WEBHOOK_") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, rule := range []string{"", "- {source: ci, match: Push, url: 'http://127.0.0.1/'}", "- {source: octavo, match: 'order.*', url: 'http://127.0.0.1/'}", "- {source: default, match: push, url: 'http://127.0.0.1/'}"} {
		if _, err := withSources(t, "development", ciSource, rule).ForwardingRules(); err != nil {
			t.Errorf("%q: %v", rule, err)
		}
	}
}

func TestAnUnknownSenderIsRefusedWithTheListOfSenders(t *testing.T) {
	for sender, want := range map[string]string{"gitub": "github", "custom": "WEBHOOK_SOURCES"} {
		s := &config.Settings{Webhooks: config.WebhookSettings{Sender: sender}}
		if _, err := s.WebhookSender(); !errors.Is(err, config.ErrSetting) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", sender, err)
		}
	}
}

func TestAnAddressInBracketsBlanksInListsAndCapitalsAreUnderstood(t *testing.T) {
	s := settings.Default(t)
	s.Server.Host, s.Monitoring.LogLevel, s.Server.Env, s.Market.Handover = "[::1]", "INFO", "Development", "Both"
	s.Server.AllowedOrigins, s.Server.TrustedProxies, s.Limits.Mails = []string{" https://a.example", "https://b.example ", ""}, []string{"10.0.0.0/8 ", " ::1"}, []string{"1/1m", " 5/5h"}
	must.Do(t, s.Validate(config.All))
	if s.Server.Host != "::1" || s.Monitoring.LogLevel != "info" || s.Production() || len(s.Server.AllowedOrigins) != 2 || s.Server.AllowedOrigins[1] != "https://b.example" {
		t.Errorf("understood as %+v", s.Server)
	}
	for _, host := range []string{"[::1", "::1]", "[localhost]", "[127.0.0.1]"} {
		if s.Server.Host = host; s.Validate() == nil {
			t.Errorf("%s is accepted", host)
		}
	}
}

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

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

func TestAMisspeltSettingIsFoundAndTheMeantOneNamed(t *testing.T) {
	s := settings.Default(t)
	for name, want := range map[string]string{
		"REQUIRE_2FAS": "REQUIRE_2FA", "ALLOW_REGISTRATON": "ALLOW_REGISTRATION", "DATADIR": "DATA_DIR", "REDIS_URI": "REDIS_URL", "TRUSTED_PROXY": "TRUSTED_PROXIES",
		"SMTP_URL_FILES": "SMTP_URL_FILE", "PRIVATE_KEYFILE": "PRIVATE_KEY_FILE", "MAIL_FROM_FILE": "MAIL_FROM", "log_level": "LOG_LEVEL", "CAMPUS_DOMAIN": "CAMPUS_DOMAINS",
		"WEBHOOK_SECRETS": "WEBHOOK_SECRET", "SMPT_URL": "SMTP_URL", "METRICS_TOKEN_FIEL": "METRICS_TOKEN_FILE", "DATABASE_URl": "DATABASE_URL",
	} {
		all := s.Misspelt([]string{"PATH=/bin", name + "=x"})
		if len(all) != 1 || all[0] != (config.Misspelling{Name: name, Meant: want}) {
			t.Errorf("%s: %v, want %s", name, all, want)
		}
	}
	for _, name := range []string{"OCTAVO_SECRET_SAUCE", "SMTP_PASSWORD", "WEBHOOK_TIMEOUT_OF_TARGETS", "LIMIT_EVERYTHING_TO_SOMETHING"} {
		if all := s.Misspelt([]string{name + "=x"}); len(all) != 1 || all[0].Name != name {
			t.Errorf("%s, of a family of Octavo's: %v", name, all)
		}
	}
}

// What systemd, container engines, Kubernetes, GitHub Actions and hosting platforms set.
var usualVariables = []string{
	"PATH=/usr/bin", "HOME=/root", "HOSTNAME=web-1", "HOST=127.0.0.1", "PORT=3000", "USER=octavo", "LOGNAME=octavo", "SHELL=/bin/sh", "PWD=/", "OLDPWD=/", "LANG=C.UTF-8", "LC_ALL=C", "TERM=xterm",
	"TMPDIR=/tmp", "TZ=UTC", "MAIL=/var/mail/root", "EDITOR=vi", "SHLVL=1", "_=/usr/bin/octavo", "http_proxy=http://p", "NO_PROXY=x", "NO_COLOR=1", "SSH_CLIENT=1", "SUDO_USER=ann", "XDG_DATA_DIRS=/usr/share", "DISPLAY=:0",
	"INVOCATION_ID=1", "JOURNAL_STREAM=8:1", "SYSTEMD_EXEC_PID=1", "NOTIFY_SOCKET=/run/x", "LISTEN_FDS=1", "LISTEN_PID=1", "LISTEN_FDNAMES=x", "WATCHDOG_USEC=1", "STATE_DIRECTORY=/var/lib/octavo", "CREDENTIALS_DIRECTORY=/run/c",
	"RUNTIME_DIRECTORY=/run/octavo", "LOGS_DIRECTORY=/var/log/octavo", "CONFIGURATION_DIRECTORY=/etc/octavo", "MEMORY_PRESSURE_WATCH=/x", "MAINPID=1", "container=docker",
	"KUBERNETES_SERVICE_HOST=10.0.0.1", "KUBERNETES_SERVICE_PORT_HTTPS=443", "KUBERNETES_PORT=tcp://10.0.0.1:443", "KUBERNETES_PORT_443_TCP_PROTO=tcp", "REDIS_PORT_6379_TCP=tcp://10.0.0.2:6379", "REDIS_PORT=tcp://10.0.0.2:6379", "REDIS_SERVICE_HOST=10.0.0.2",
	"SMTP_SERVICE_HOST=10.0.0.3", "SMTP_SERVICE_PORT_SMTP=25", "SMTP_PORT=tcp://10.0.0.3:25", "SMTP_PORT_25_TCP_ADDR=10.0.0.3", "SMTP_PORT_25_TCP_PORT=25", "MAIL_SERVICE_PORT=25", "MAIL_NAME=/octavo/mail", "MAIL_ENV_MP_DATABASE=/data",
	"OCTAVO_SERVICE_HOST=10.0.0.4", "OCTAVO_SERVICE_PORT=80", "OCTAVO_PORT=tcp://10.0.0.4:80", "OCTAVO_PORT_80_TCP=tcp://10.0.0.4:80", "OCTAVO_MAILER_SERVICE_HOST=10.0.0.5",
	"CI=true", "GITHUB_ACTIONS=true", "GITHUB_BASE_REF=main", "GITHUB_TOKEN=x", "RUNNER_NAME=r", "RUNNER_OS=Linux", "ACTIONS_RUNTIME_URL=https://x", "ImageOS=ubuntu24",
	"FLY_APP_NAME=octavo", "FLY_REGION=fra", "PRIMARY_REGION=fra", "RENDER_SERVICE_NAME=octavo", "RENDER_EXTERNAL_URL=https://x", "DYNO=web.1", "K_SERVICE=octavo", "K_REVISION=1", "AWS_REGION=eu-1", "AWS_DEFAULT_REGION=eu-1", "AWS_SESSION_TOKEN=x", "AWS_PROFILE=x",
	"GOMEMLIMIT=1GiB", "GOGC=100", "GODEBUG=x", "GOMAXPROCS=2", "SSL_CERT_FILE=/x", "PGHOST=db", "PGPASSWORD=x", "PGSSLMODE=require", "OTEL_SERVICE_NAME=octavo", "OTEL_EXPORTER_OTLP_ENDPOINT=http://x",
	"PRIVATE_KEY_FILE=/x", "DATABASE_URL=x", "OTEL_EXPORTER_OTLP_HEADERS_FILE=/x", "WEBHOOK_SECRETS=", "OCTAVO_TEST_ALL=1",
}

func TestTheUsualVariablesOfAnEnvironmentAreNotMisspelt(t *testing.T) {
	s := settings.Default(t)
	for _, m := range s.Misspelt(usualVariables) {
		t.Errorf("%s is taken for a misspelt %s", m.Name, m.Meant)
	}
	for _, name := range config.Names() {
		if all := s.Misspelt([]string{name + "=x"}); len(all) > 0 {
			t.Errorf("the setting %s: %v", name, all)
		}
	}
}

func TestAVariableOfTheForwardingRulesIsNotMisspelt(t *testing.T) {
	s := settings.Default(t)
	s.Webhooks.Rules = filepath.Join(t.TempDir(), "rules.yaml")
	must.Do(t, os.WriteFile(s.Webhooks.Rules, []byte("- {match: push, headers: {X: '${WEBHOOK_PARTNER}'}}"), 0o600))
	if all := s.Misspelt([]string{"WEBHOOK_PARTNER=x", "WEBHOOK_PARTNERS=x"}); len(all) != 1 || all[0].Name != "WEBHOOK_PARTNERS" {
		t.Errorf("found %v", all)
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

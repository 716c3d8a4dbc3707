package misspelt_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/config/misspelt"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/settings"
)

func TestAMisspeltSettingIsFoundAndTheMeantOneNamed(t *testing.T) {
	s := settings.Default(t)
	for name, want := range map[string]string{
		"REQUIRE_2FAS": "REQUIRE_2FA", "ALLOW_REGISTRATON": "ALLOW_REGISTRATION", "DATADIR": "DATA_DIR", "REDIS_URI": "REDIS_URL", "TRUSTED_PROXY": "TRUSTED_PROXIES",
		"SMTP_URL_FILES": "SMTP_URL_FILE", "PRIVATE_KEYFILE": "PRIVATE_KEY_FILE", "MAIL_FROM_FILE": "MAIL_FROM", "log_level": "LOG_LEVEL", "CAMPUS_DOMAIN": "CAMPUS_DOMAINS",
		"WEBHOOK_SECRETS": "WEBHOOK_SECRET", "SMPT_URL": "SMTP_URL", "METRICS_TOKEN_FIEL": "METRICS_TOKEN_FILE", "DATABASE_URl": "DATABASE_URL",
	} {
		all := misspelt.Find(&s, []string{"PATH=/bin", name + "=x"})
		if len(all) != 1 || all[0] != (misspelt.Variable{Name: name, Meant: want}) {
			t.Errorf("%s: %v, want %s", name, all, want)
		}
	}
	for _, name := range []string{"OCTAVO_SECRET_SAUCE", "SMTP_PASSWORD", "WEBHOOK_TIMEOUT_OF_TARGETS", "LIMIT_EVERYTHING_TO_SOMETHING"} {
		if all := misspelt.Find(&s, []string{name + "=x"}); len(all) != 1 || all[0].Name != name {
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
	for _, m := range misspelt.Find(&s, usualVariables) {
		t.Errorf("%s is taken for a misspelt %s", m.Name, m.Meant)
	}
	for _, name := range config.Names() {
		if all := misspelt.Find(&s, []string{name + "=x"}); len(all) > 0 {
			t.Errorf("the setting %s: %v", name, all)
		}
	}
}

func TestAVariableOfTheRulesAndSourcesIsNotMisspelt(t *testing.T) {
	s := settings.Default(t)
	s.Webhooks.Rules = filepath.Join(t.TempDir(), "rules.yaml")
	must.Do(t, os.WriteFile(s.Webhooks.Rules, []byte("- {match: push, headers: {X: '${WEBHOOK_PARTNER}'}}"), 0o600))
	s.Webhooks.Sources = filepath.Join(t.TempDir(), "sources.yaml")
	must.Do(t, os.WriteFile(s.Webhooks.Sources, []byte("- {secrets: ['${WEBHOOK_SECRETS}']}"), 0o600))
	if all := misspelt.Find(&s, []string{"WEBHOOK_PARTNER=x", "WEBHOOK_PARTNERS=x", "WEBHOOK_SECRETS=x"}); len(all) != 1 || all[0].Name != "WEBHOOK_PARTNERS" {
		t.Errorf("found %v", all)
	}
}

package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/test/must"
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

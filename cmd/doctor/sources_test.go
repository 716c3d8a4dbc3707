package doctor

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/settings"
)

func TestTheDoctorChecksTheSourcesAndTheEventsOfTheirRules(t *testing.T) {
	s := settings.Default(t)
	if all := checkSources(t.Context(), &s, config.All); len(all) > 0 {
		t.Errorf("without the setting it found %v", all)
	}
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	s.Webhooks.Sources = write("sources.yaml", "- {name: ci, path: /ci, sender: github, secrets: [a secret of sixteen or more, short]}\n- {name: shop, path: /shop, sender: stripe, secrets: [a secret of sixteen or more]}\n")
	s.Webhooks.Rules = write("rules.yaml", "- {name: build, source: ci, match: [push, pul_request, 'x*', sub_issues, quite_new_thing], url: 'http://127.0.0.1:9'}\n- {source: shop, match: invoice.paid, url: 'http://127.0.0.1:9'}\n")
	all := checkSources(t.Context(), &s, config.All)
	says(t, all, ok, "2: ci, shop", "")
	says(t, all, warning, "ci#2 is shorter", "openssl")
	says(t, all, warning, `github is not known to have the event "pul_request"`, "did you mean pull_request?")
	says(t, all, warning, `"quite_new_thing"`, "events --sender github")
	if len(all) != 4 {
		t.Errorf("found %v", all)
	}
	s.Webhooks.Sources = write("sources.yaml", "- {name: ci}")
	says(t, checkSources(t.Context(), &s, config.All), failure, "line 1: source 1 (ci): path is missing", "WEBHOOK_SOURCES")
}

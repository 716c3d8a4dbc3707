package e2e_test

import (
	"net/http"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
)

func TestTheAuthServiceAloneHasTermsAndPrivacyOfItsOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "privacy.fr.md"), "# Vos données\n\nPresque rien.\n")
	s := e2e.StartWith(t, []string{"SERVICE_NAME=Accounts", "PAGES_DIR=" + dir, "SUPPORT_MAIL=help@accounts.example"}, "auth")
	b := surf(t, s)
	ofTheMarket := regexp.MustCompile(`(?i)\b(books?|sellers?|buyers?|market|livres?|vend(re|eur)s?|achats?)\b`)
	for _, lang := range []string{"en", "fr"} {
		for path, want := range map[string]map[string]string{
			"/login": {"en": `href="/terms"`, "fr": `href="/privacy"`}, "/terms": {"en": "accounts at Accounts", "fr": "comptes de Accounts"}, "/privacy": {"en": "help@accounts.example", "fr": "Presque rien."},
		} {
			p := b.do(http.MethodGet, path, nil, "Accept-Language", lang)
			if p.status != http.StatusOK || !regexp.MustCompile(regexp.QuoteMeta(want[lang])).MatchString(p.body) {
				t.Errorf("%s in %s: %d %s", path, lang, p.status, p.body)
			}
			if found := ofTheMarket.FindString(p.body); found != "" {
				t.Errorf("%s in %s speaks of %q", path, lang, found)
			}
		}
	}
	if p := b.get("/help"); p.status != http.StatusNotFound {
		t.Errorf("/help answers %d", p.status)
	}
}

package doctor

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/seal"
	"github.com/octavo-books/octavo/adapters/token"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/settings"
)

func TestTheDoctorNamesTheKeyThatIsMissing(t *testing.T) {
	s := &config.Settings{}
	s.Storage.DataDir = t.TempDir()
	s.Storage.DatabaseURL = "sqlite:" + filepath.Join(s.Storage.DataDir, "octavo.db")
	setKey := func() {
		var err error
		if s.Identity.PublicKey, s.Identity.PrivateKey, err = token.Generate(); err != nil {
			t.Fatal(err)
		}
	}
	setKey()
	if all := checkFingerprints(t.Context(), s, config.All); len(all) != 0 {
		t.Errorf("without a database: %v", all)
	}
	db := must.Get(gormstore.Open(t.Context(), s.Storage.DatabaseURL, slog.New(slog.DiscardHandler)))(t)
	defer func() { _ = db.Close() }()
	must.Do(t, db.Migrate(t.Context(), authstore.Migrations))
	note := func() { must.Do(t, LogKeys(t.Context(), db, s, time.Now(), slog.New(slog.DiscardHandler))) }
	note()
	says(t, checkFingerprints(t.Context(), s, config.All), ok, "was used with PRIVATE_KEY", "")

	key, _ := must.Get2(s.SecretKeys())(t)
	box := must.Get(seal.New(key, "secrets"))(t)
	sealed := must.Get(box.Seal([]byte("the secret of an app")))(t)
	must.Do(t, db.Write.Exec("INSERT INTO second_factors (user_id, secret, started_at, confirmed_at, last_step, recovery) VALUES (1, ?, 0, 5, 0, ?)", sealed, []byte{}).Error)
	older, fingerprint := s.Identity.PrivateKey, mustFingerprint(t, s)
	setKey()
	all := checkFingerprints(t.Context(), s, config.All)
	says(t, all, failure, "1 of 1 second factors cannot be checked", "PREVIOUS_PRIVATE_KEYS")
	says(t, all, failure, "missing: "+fingerprint, "")
	says(t, all, warning, "is not a key that this database was used with", "octavo docs operations/keys")
	note()
	if all := checkFingerprints(t.Context(), s, config.All); len(all) != 1 {
		t.Errorf("once it is in use: %v", all)
	}
	s.Identity.PreviousPrivateKeys = older
	says(t, checkFingerprints(t.Context(), s, config.All), ok, "was used with PRIVATE_KEY", "")
}

func mustFingerprint(t *testing.T, s *config.Settings) string {
	t.Helper()
	current, _ := must.Get2(s.Fingerprints())(t)
	return current["PRIVATE_KEY"]
}

func TestTheDoctorReadsTheTableOfISBNs(t *testing.T) {
	s := settings.Default(t)
	if all := checkISBNTable(t.Context(), &s, config.All); len(all) > 0 {
		t.Errorf("without the setting it found %v", all)
	}
	s.Market.ISBNTable = filepath.Join(t.TempDir(), "isbn.csv")
	says(t, checkISBNTable(t.Context(), &s, config.All), failure, "ISBN_TABLE", "ISBN_TABLE")
	for text, want := range map[string]string{
		"isbn,name\n9780262033848,Algorithms\n": "1 in " + s.Market.ISBNTable,
		"isbn,name\n1,Algorithms\n":             "line 2",
	} {
		must.Do(t, os.WriteFile(s.Market.ISBNTable, []byte(text), 0o600))
		state := failure
		if want != "line 2" {
			state = ok
		}
		says(t, checkISBNTable(t.Context(), &s, config.All), state, want, "")
	}
}

func TestTheDoctorContactsTheSignInProviders(t *testing.T) {
	s := settings.Default(t)
	if all := checkProviders(t.Context(), &s, config.All); len(all) > 0 {
		t.Errorf("without the setting it found %v", all)
	}
	var server *httptest.Server
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = fmt.Fprintf(w, `{"issuer": %q, "authorization_endpoint": %[1]q, "token_endpoint": %[1]q, "jwks_uri": %[1]q}`, server.URL)
	}))
	t.Cleanup(server.Close)
	path := filepath.Join(t.TempDir(), "providers.yaml")
	write := func(text string, mode os.FileMode) {
		must.Do(t, os.WriteFile(path, []byte(text), 0o600))
		must.Do(t, os.Chmod(path, mode))
	}
	s.Identity.OIDCProviders = path
	write(fmt.Sprintf("- {name: campus, issuer: %q, clientId: x}\n- {name: other, issuer: %q, clientId: x}\n- {name: down, issuer: 'http://127.0.0.1:9', clientId: x}\n", server.URL, server.URL+"/x"), 0o644)
	all := checkProviders(t.Context(), &s, config.All)
	says(t, all, ok, "3 in "+path, "")
	says(t, all, warning, "other users of this machine can read", "chmod o= "+path)
	says(t, all, ok, "redirect URI: "+s.Server.BaseURL+"/auth/oidc/campus/callback", "")
	says(t, all, warning, "the issuer is", "check the issuer")
	says(t, all, warning, "refused", "can reach it")
	write("- {name: campus}", 0o600)
	says(t, checkProviders(t.Context(), &s, config.All), failure, "line 1: provider 1 (campus): issuer is not", "OIDC_PROVIDERS")
}

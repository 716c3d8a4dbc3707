package doctor

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/seal"
	"github.com/octavo-books/octavo/adapters/token"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/test/must"
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
	says(t, all, warning, "is not a key that this database was used with", "docs/operations.md")
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

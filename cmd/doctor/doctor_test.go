package doctor

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/redisstore"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/settings"
)

// says checks that one of the findings has the state and contains the words and the advice.
func says(t *testing.T, all []finding, state, words, advice string) {
	t.Helper()
	for _, f := range all {
		if f.state == state && strings.Contains(f.text, words) && strings.Contains(f.advice, advice) {
			return
		}
	}
	t.Errorf("no finding %s with %q and the advice %q; the findings are %v", state, words, advice, all)
}

func TestTheDoctorChecksTheAddressInMails(t *testing.T) {
	for name, c := range map[string]struct {
		change        func(*config.Settings)
		words, advice string // none: nothing is said
	}{
		"development at home":    {func(*config.Settings) {}, "", ""},
		"production at home":     {func(s *config.Settings) { s.Server.Env = "production" }, "own machine", "set BASE_URL"},
		"an address with a path": {func(s *config.Settings) { s.Server.BaseURL = "https://u.edu/books" }, "path /books", "strip it"},
		"cookies without TLS": {func(s *config.Settings) {
			s.Server.BaseURL, s.Server.CookieSecure = "https://books.u.edu", "false"
		}, "plain HTTP", "COOKIE_SECURE=true"},
		"all as it should be": {func(s *config.Settings) {
			s.Server.Env, s.Server.BaseURL, s.Server.CookieSecure = "production", "https://books.u.edu", "true"
		}, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := settings.Default(t)
			s.Server.BaseURL = "http://127.0.0.1:3000"
			c.change(&s)
			all := checkAddresses(t.Context(), &s, config.All)
			if c.words == "" {
				if len(all) > 0 {
					t.Errorf("said %v", all)
				}
				return
			}
			says(t, all, warning, c.words, c.advice)
		})
	}
}

func TestTheDoctorWarnsWithoutTrustedProxiesUnlessOnlyAMailerRuns(t *testing.T) {
	s := settings.Default(t)
	s.Server.Env = "production"
	says(t, checkSettings(t.Context(), &s, config.All), warning, "TRUSTED_PROXIES is empty", "TRUSTED_PROXIES=")
	if all := checkSettings(t.Context(), &s, config.Components{Mailer: true}); len(all) > 0 {
		t.Errorf("said of a mailer: %v", all)
	}
}

func TestTheDoctorChecksFolders(t *testing.T) {
	s := settings.Default(t)
	says(t, checkFolders(t.Context(), &s, config.All), ok, "is writable", "")
	s.Storage.DatabaseURL = "sqlite:" + filepath.Join(t.TempDir(), "none", "octavo.db")
	says(t, checkFolders(t.Context(), &s, config.All), failure, "does not exist", "create it")
	s.Storage.DataDir = filepath.Join(t.TempDir(), "new")
	says(t, checkFolders(t.Context(), &s, config.All), ok, "created by octavo serve", "")
	if !config.FileMissing(s.Storage.DataDir) {
		t.Error("the doctor created the folder")
	}
	s.Storage.DataDir = filepath.Join(t.TempDir(), "file")
	must.Do(t, os.WriteFile(s.Storage.DataDir, nil, 0o600))
	says(t, checkFolders(t.Context(), &s, config.All), failure, "not a directory", "DATA_DIR")
}

func TestTheDoctorChecksThatRedisLosesNoData(t *testing.T) {
	if all := checkPersistence("redis", redisstore.ServerInfo{Persists: true, Eviction: "noeviction"}, ""); len(all) > 0 {
		t.Errorf("said %v", all)
	}
	all := checkPersistence("redis", redisstore.ServerInfo{Eviction: "allkeys-lru"}, "signs people out")
	says(t, all, warning, "loses its data on a restart, which signs people out", "appendonly yes")
	says(t, all, warning, "allkeys-lru", "noeviction")
}

func TestTheDoctorComparesClocks(t *testing.T) {
	if all := checkClock("redis clock", time.Now().Add(-time.Second)); len(all) > 0 {
		t.Errorf("said %v", all)
	}
	says(t, checkClock("redis clock", time.Now().Add(-time.Minute)), warning, "1m0s", "NTP")
}

func TestTheDoctorChecksTheKeys(t *testing.T) {
	s := settings.Default(t)
	says(t, checkKeys(t.Context(), &s, config.All), ok, "created in", "")
	s.Identity.PublicKey, s.Identity.PrivateKey = "x", "y"
	says(t, checkKeys(t.Context(), &s, config.All), failure, "", "octavo keys generate")
}

func TestTheDoctorChecksTheCollectorOfTraces(t *testing.T) {
	s := settings.Default(t)
	if all := checkTraces(t.Context(), &s, config.All); len(all) > 0 {
		t.Errorf("reported %v without a setting", all)
	}
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("api-key") != "k" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	says(t, checkTraces(t.Context(), &s, config.All), warning, "401", "_HEADERS")
	t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "api-key=k")
	says(t, checkTraces(t.Context(), &s, config.All), ok, "accepts them", "")
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
	says(t, checkTraces(t.Context(), &s, config.All), failure, "http/protobuf", "OTEL_")
}

func TestTheDoctorMissesAnAddressForQuestionsWhereTheMarketIsServed(t *testing.T) {
	s := settings.Default(t)
	says(t, checkSupport(t.Context(), &s, config.All), warning, "SUPPORT_MAIL is unset", "set SUPPORT_MAIL")
	if all := checkSupport(t.Context(), &s, config.Components{Auth: true}); len(all) > 0 {
		t.Errorf("without the market it says %v", all)
	}
	s.Mail.SupportMail = "help@example.edu"
	if all := checkSupport(t.Context(), &s, config.All); len(all) > 0 {
		t.Errorf("with an address it says %v", all)
	}
}

func TestTheDoctorSaysBeforeTheFirstPhotoThatReplicasShareNoFolder(t *testing.T) {
	s := settings.Default(t)
	if all := checkBlobs(t.Context(), &s, config.All); len(all) > 0 {
		t.Errorf("on one machine it says %v", all)
	}
	s.Storage.DatabaseURL = "postgres://db/octavo"
	says(t, checkBlobs(t.Context(), &s, config.All), warning, "replicas on other machines", "set BLOB_URL to a bucket")
}

// Package settings has settings for tests.
package settings

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/hashing"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/test/must"
)

// Default returns the default settings, with cheap hashes, a free port and an existing data
// folder of the test.
func Default(t testing.TB) config.Settings {
	t.Helper()
	s := config.Settings{
		Server:  config.ServerSettings{Env: "development", ServiceName: "Octavo", Host: "127.0.0.1", CookieSameSite: "lax", DrainTimeout: 5 * time.Second},
		Storage: config.StorageSettings{DataDir: filepath.Join(t.TempDir(), "data"), ReadMaxLag: 2 * time.Second},
		Identity: config.IdentitySettings{
			JWTAudience: "octavo", AccessTokenTTL: 20 * time.Minute, BcryptCost: hashing.MinCost, MaxSessions: 10, AllowRegistration: "true",
		},
		Limits: config.LimitSettings{
			SignInFailures: "10/15m", AccountFailures: "100/24h", SignIns: "600/1m", SignUps: "1000/1h", MailRequests: "300/1h", Codes: "300/1m",
			Mails: []string{"1/1m", "5/5h"}, SignUpMails: "10/1h", TotpFailures: "25/1h", HashingQueue: 64, OpenPurchases: 10, Streams: 8,
		},
		Market: config.MarketSettings{FeeBPS: 500, Currency: "USD", CampusDomains: "edu", Timezone: "UTC", Handover: "desk", Settlement: "operator", OrderLapses: "14d"},
		Webhooks: config.WebhookSettings{
			Path: "/api/host/webhooks", KeepBodies: 168 * time.Hour, KeepIDs: 720 * time.Hour, KeepMost: 1000, MaxPending: 1000,
		},
		Monitoring: config.MonitoringSettings{LogLevel: "info"},
	}
	must.Do(t, s.Prepare())
	return s
}

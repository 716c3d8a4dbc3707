package doctor

import (
	"context"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/adapters/outbound"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/settings"
	"gorm.io/gorm"
)

func TestTheDoctorConnectsToTheTargetsOfRules(t *testing.T) {
	up, down := httptest.NewServer(nil), httptest.NewServer(nil)
	t.Cleanup(up.Close)
	down.Close()
	s := settings.Default(t)
	says(t, checkRules(t.Context(), &s, config.All), ok, "none", "")
	s.Webhooks.Forward = []string{"push=" + up.URL + "/?token=hidden", "issues=" + down.URL + "/?token=hidden ping=" + up.URL}
	all := checkRules(t.Context(), &s, config.All)
	says(t, all, ok, "3, of which 2 ", "")
	says(t, all, warning, down.Listener.Addr().String()+": dial tcp", "until it does, deliveries wait")
	if len(all) != 2 || all[1].name != "rule issues#2" {
		t.Errorf("found %v", all)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	says(t, checkRules(ended, &s, config.All), warning, "no time left", "")
	if other := checkRules(t.Context(), &s, config.Components{Auth: true}); len(other) != 0 {
		t.Errorf("found without webhooks: %v", other)
	}
}

func TestTheDoctorReportsATargetWithAForbiddenAddress(t *testing.T) {
	rule := inbox.Rule{Name: "tracker", Match: "push", URL: "http://tracker.internal:8080/?token=hidden"}
	f := unreachable(rule, 1, fmt.Errorf("dial tcp: %w: 10.0.0.1 is private", outbound.ErrForbidden))
	says(t, []finding{f}, failure, "tracker.internal:8080: dial tcp: the address is not allowed", "private: true")
	if f.name != "rule tracker" {
		t.Errorf("it is named %q, want \"rule tracker\"", f.name)
	}
}

func TestTheDoctorSeesEventsThatNoWebhookServiceTakes(t *testing.T) {
	s := &config.Settings{}
	s.Storage.DatabaseURL = "sqlite:" + filepath.Join(t.TempDir(), "octavo.db")
	if all := checkEvents(t.Context(), s, config.All); len(all) != 0 {
		t.Errorf("without a database: %v", all)
	}
	db := must.Get(gormstore.Open(t.Context(), s.Storage.DatabaseURL, slog.New(slog.DiscardHandler)))(t)
	defer func() { _ = db.Close() }()
	if all := checkEvents(t.Context(), s, config.All); len(all) != 0 {
		t.Errorf("without a schema: %v", all)
	}
	must.Do(t, db.Migrate(t.Context(), outboxstore.Migrations))
	add := func(at time.Time) {
		must.Do(t, db.Atomically(t.Context(), func(tx *gorm.DB) error {
			return outboxstore.AddEvents(tx.Statement.Context, tx, event.OfUser(event.UserCreated, 7).Stamped(1, at))
		}))
	}
	add(time.Now())
	if all := checkEvents(t.Context(), s, config.All); len(all) != 0 {
		t.Errorf("a new event: %v", all)
	}
	must.Get(outboxstore.NewEvents(db).DeleteExpired(t.Context(), time.Now().Add(event.MaxAge+time.Minute), 10))(t)
	add(time.Now().Add(-time.Hour))
	says(t, checkEvents(t.Context(), s, config.All), warning, "1 of Octavo's own events", "WEBHOOK_EVENTS=auto")
}

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

func TestTheDoctorNamesWorkThatWasGivenUp(t *testing.T) {
	s := &config.Settings{}
	s.Storage.DatabaseURL = "sqlite:" + filepath.Join(t.TempDir(), "octavo.db")
	if all := checkWork(t.Context(), s, config.All); len(all) != 0 {
		t.Errorf("without a database: %v", all)
	}
	db := must.Get(gormstore.Open(t.Context(), s.Storage.DatabaseURL, slog.New(slog.DiscardHandler)))(t)
	defer func() { _ = db.Close() }()
	must.Do(t, db.Migrate(t.Context(), authstore.Migrations, outboxstore.Migrations, workstore.Migrations, marketstore.Migrations))
	add := func(j job.Job) {
		must.Do(t, marketstore.New(db, nil).Atomically(t.Context(), func(ctx context.Context, in market.Stores) error { return in.AddJob(ctx, j) }))
	}
	add(job.Job{ID: 4, Kind: "match_book", Subject: 5, Attempts: 3, Error: "broken"})
	if all := checkWork(t.Context(), s, config.All); len(all) != 0 {
		t.Errorf("a job that is tried again: %v", all)
	}
	add(job.Job{ID: 7, Kind: "match_searches", Subject: 8, Dead: true, Error: "no such column"})
	all := checkWork(t.Context(), s, config.All)
	if len(all) != 2 {
		t.Fatalf("found %v", all)
	}
	says(t, all[:1], warning, "1 job is given up or failing", "octavo work retry")
	says(t, all[1:], warning, "job 7, match_searches of 8: no such column", "")
}

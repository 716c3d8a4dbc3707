package doctor

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/test/must"
	"gorm.io/gorm"
)

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

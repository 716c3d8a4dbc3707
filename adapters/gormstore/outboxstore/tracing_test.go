package outboxstore_test

import (
	"context"
	"database/sql/driver"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
	"gorm.io/gorm"
)

// fakeTracer records which database systems it traces.
type fakeTracer struct{ systems *[]string }

func (p fakeTracer) WrapConnector(system string, next driver.Connector) driver.Connector {
	*p.systems = append(*p.systems, system)
	return next
}

type parentKey struct{}

func (fakeTracer) Traceparent(ctx context.Context) string {
	parent, _ := ctx.Value(parentKey{}).(string)
	return parent
}

func TestAMessageCarriesTheTraceOfItsRequest(t *testing.T) {
	for want, open := range map[string]func(*testing.T) string{
		"sqlite":     func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "octavo.db") },
		"postgresql": func(t *testing.T) string { return database.PostgresURL(t) },
	} {
		t.Run(want, func(t *testing.T) {
			var systems []string
			db := must.Get(gormstore.Open(t.Context(), open(t), slog.New(slog.DiscardHandler), gormstore.WithTracer(fakeTracer{&systems})))(t)
			defer func() { _ = db.Close() }()
			must.Do(t, db.Migrate(t.Context(), outboxstore.Migrations))
			inherited, given := code(1), code(2)
			given.Kind, given.Trace = message.PasswordReset, "of its own"
			ctx := context.WithValue(t.Context(), parentKey{}, "the request")
			must.Do(t, db.Atomically(ctx, func(tx *gorm.DB) error { return outboxstore.AddMessages(tx, plainSealer{}, inherited, given) }))
			now := inherited.CreatedAt.Add(time.Second)
			claimed, _, err := outboxstore.NewOutbox(db, plainSealer{}).ClaimMessages(t.Context(), now, now.Add(time.Minute), 2)
			if err != nil || len(claimed) != 2 || claimed[0].Trace != "the request" || claimed[1].Trace != "of its own" {
				t.Errorf("claimed %+v, %v", claimed, err)
			}
			if len(systems) == 0 || systems[0] != want {
				t.Errorf("traced %q", systems)
			}
		})
	}
}

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
	"gorm.io/gorm"
)

// passerby follows all and changes nothing.
type passerby struct{ systems *[]string }

func (p passerby) Connector(system string, next driver.Connector) driver.Connector {
	*p.systems = append(*p.systems, system)
	return next
}

type causeKey struct{}

func (passerby) Traceparent(ctx context.Context) string {
	cause, _ := ctx.Value(causeKey{}).(string)
	return cause
}

func TestAMessageKeepsWhatCausedIt(t *testing.T) {
	for want, open := range map[string]func(*testing.T) string{
		"sqlite":     func(t *testing.T) string { return "sqlite:" + filepath.Join(t.TempDir(), "octavo.db") },
		"postgresql": func(t *testing.T) string { return database.PostgresURL(t) },
	} {
		t.Run(want, func(t *testing.T) {
			var systems []string
			db, err := gormstore.Open(t.Context(), open(t), slog.New(slog.DiscardHandler), gormstore.Followed(passerby{&systems}))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = db.Close() }()
			if err := db.Migrate(t.Context(), outboxstore.Migrations); err != nil {
				t.Fatal(err)
			}
			caused, given := code(1), code(2)
			given.Kind, given.Trace = message.PasswordReset, "of its own"
			ctx := context.WithValue(t.Context(), causeKey{}, "the request")
			if err := db.Atomically(ctx, func(tx *gorm.DB) error { return outboxstore.Add(tx, plainSealer{}, caused, given) }); err != nil {
				t.Fatal(err)
			}
			now := caused.CreatedAt.Add(time.Second)
			claimed, err := outboxstore.NewOutbox(db, plainSealer{}).Claim(t.Context(), now, now.Add(time.Minute), 2)
			if err != nil || len(claimed) != 2 || claimed[0].Trace != "the request" || claimed[1].Trace != "of its own" {
				t.Errorf("claimed %+v, %v", claimed, err)
			}
			if len(systems) == 0 || systems[0] != want {
				t.Errorf("followed %q", systems)
			}
		})
	}
}

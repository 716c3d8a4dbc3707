package outboxstore_test

import (
	"context"
	"database/sql/driver"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
	"gorm.io/gorm"
)

// testOutbox adds and erases in transactions, as other stores do.
type testOutbox struct {
	*outboxstore.Outbox
	*outboxstore.OptOuts
	db *gormstore.DB
}

func (o testOutbox) AddMessages(ctx context.Context, messages ...message.Message) error {
	return o.db.Atomically(ctx, func(tx *gorm.DB) error { return outboxstore.AddMessages(tx, plainSealer{}, messages...) })
}

func (o testOutbox) EraseRecipients(ctx context.Context, emails ...user.Email) error {
	return o.db.Atomically(ctx, func(tx *gorm.DB) error { return outboxstore.EraseRecipients(tx, emails...) })
}

// testEvents adds in transactions, as other stores do.
type testEvents struct {
	*outboxstore.Events
	db *gormstore.DB
}

func (e testEvents) AddEvents(ctx context.Context, events ...event.Event) error {
	return e.db.Atomically(ctx, func(tx *gorm.DB) error { return outboxstore.AddEvents(tx.Statement.Context, tx, events...) })
}

func TestTheOutboxKeepsItsPromises(t *testing.T) {
	for name, open := range databases {
		t.Run(name, func(t *testing.T) { keepsPromises(t, open) })
	}
}

// A transaction runs again after a deadlock and, on SQLite, when the commit that it shares fails.
func TestTheOutboxKeepsItsPromisesThoughEveryTransactionRunsTwice(t *testing.T) {
	keepsPromises(t, func(t testing.TB, all ...gormstore.Migrations) *gormstore.DB {
		return database.Twice(database.SQLite(t, all...))
	})
}

func keepsPromises(t *testing.T, open func(testing.TB, ...gormstore.Migrations) *gormstore.DB) {
	contract.Outbox(t, func(t *testing.T) contract.OutboxStore {
		db := database.WithoutPolls(open(t, outboxstore.Migrations))
		return testOutbox{outboxstore.NewOutbox(db, plainSealer{}), outboxstore.NewOptOuts(db), db}
	})
	contract.Events(t, func(t *testing.T) contract.EventStore {
		db := database.WithoutPolls(open(t, outboxstore.Migrations))
		return testEvents{outboxstore.NewEvents(db), db}
	})
	contract.OptOuts(t, func(t *testing.T) mailer.OptOutStore { return outboxstore.NewOptOuts(open(t, outboxstore.Migrations)) })
	contract.Mailbox(t, func(t *testing.T) contract.MailboxStore {
		return outboxstore.NewMailbox(open(t, outboxstore.Migrations))
	})
}

var databases = map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{
	"sqlite": database.SQLite, "postgres": database.Postgres,
}

func TestMain(m *testing.M) { os.Exit(database.Main(m)) }

func TestNothingInTheOutboxNamesAnErasedRecipient(t *testing.T) {
	onEach(t, func(t *testing.T, db *gormstore.DB) {
		now := time.UnixMicro(1_750_000_000_000_000)
		o := outboxstore.NewOutbox(db, plainSealer{})
		for i, outcome := range []mailer.Outcome{mailer.Dead, mailer.Sent} {
			m := code(int64(i + 1))
			m.Params = map[string]string{message.ParamIP: "192.0.2.7"}
			add(t, db, m)
			claimed, _, err := o.ClaimMessages(t.Context(), now, now.Add(time.Minute), 1)
			if err != nil || len(claimed) != 1 {
				t.Fatalf("claimed %v, %v", claimed, err)
			}
			must.Do(t, o.SettleMessages(t.Context(), now, []mailer.Result{{Message: claimed[0], Outcome: outcome, Reason: "550 no ann@rochester.edu here"}}))
		}
		must.Do(t, outboxstore.NewOptOuts(db).AddOptOut(t.Context(), "ann@rochester.edu", now))
		must.Do(t, db.Atomically(t.Context(), func(tx *gorm.DB) error { return outboxstore.EraseRecipients(tx, "ann@rochester.edu") }))
		for _, table := range []string{"outbox", "mail_optouts"} {
			var all []map[string]any
			must.Do(t, db.Read.Raw("SELECT * FROM "+table).Scan(&all).Error)
			if dump := fmt.Sprint(all); strings.Contains(dump, "ann@") || strings.Contains(dump, "192.0.2.7") {
				t.Errorf("%s: %s", table, dump)
			}
		}
	})
}

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

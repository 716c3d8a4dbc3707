package rest_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/memstore"
)

// storeVariable selects the store of the tests: sqlite, postgres or memory.
const storeVariable = "REST_TEST_STORE"

// All tests run over SQLite; this one runs them again over the other stores.
func TestTheSuitePassesOverOtherStores(t *testing.T) {
	if os.Getenv(storeVariable) != "" {
		t.Skip("this is one of the other runs")
	}
	for _, store := range []string{"memory", "postgres"} {
		t.Run(store, func(t *testing.T) {
			t.Parallel()
			if store == "postgres" {
				database.Need(t)
			}
			cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.timeout=20m")
			cmd.Env = append(os.Environ(), storeVariable+"="+store)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// stores holds the stores of the marketplace and of auth.
type stores struct {
	auth   authkit.Stores
	market marketStores
	// withdraw returns the accounts with a hook that runs before those of the market.
	withdraw func(market.Deps, func(context.Context, market.Stores) error) auth.Database
}

// suspender is market.AccountSuspender as the program has it.
type suspender struct {
	deps     market.Deps
	withdraw func(market.Deps, func(context.Context, market.Stores) error) auth.Database
	people   *auth.Users
}

func (s suspender) SuspendAccount(ctx context.Context, by user.Caller, id user.ID, reason string, then func(context.Context, market.Stores) error) error {
	_, err := s.people.Over(s.withdraw(s.deps, then)).Suspend(ctx, by, id, reason)
	return err
}

type marketStores interface {
	market.SavedSearchReader
	market.ImportReader
	market.CourseReader
	market.CourseListReader
	market.TitleReader
	market.PhotoReader
	market.ConversationReader
	market.BlockReader
	market.Store
	market.BookReader
	market.SearchIndex
	market.Vocabulary
	market.ListingReader
	market.RequestReader
	market.OrderReader
	market.NotificationReader
	market.NotificationMarker
	market.StatisticsReader
	market.SaleReader
	market.PostReader
	market.ReportReader
	market.RatingReader
	market.MeetingPlaceReader
	market.SellerReader
	market.ReportedMessageReader
	market.PhotoReader
}

func openStores(t testing.TB) stores {
	t.Helper()
	schema := []gormstore.Migrations{outboxstore.Migrations, authstore.Migrations, marketstore.Migrations}
	switch os.Getenv(storeVariable) {
	case "memory":
		s := memstore.New()
		accounts := func(d market.Deps, first func(context.Context, market.Stores) error) auth.Database {
			return s.Identity().WithMarket(d, first)
		}
		return stores{authkit.Stores{Identity: s.Identity().WithMarket(market.Deps{IDs: &fake.IDs{}}), Sessions: s.Sessions(), RateLimiter: s.RateLimiter(), Messages: s.Messages}, s.Market(), accounts}
	case "postgres":
		return overDatabase(t, database.PostgresReused(t, schema...))
	}
	return overDatabase(t, database.SQLite(t, schema...))
}

func overDatabase(t testing.TB, db *gormstore.DB) stores {
	t.Helper()
	books := marketstore.New(db, unsealed{})
	identity := authstore.New(db, unsealed{}, books.OnUsersDeleted(market.Deps{IDs: &fake.IDs{}})).
		OnUserWithdrawn(books.OnUserWithdrawn(market.Deps{IDs: &fake.IDs{}})).OnUserMoves(books.OnUserMoves(market.Deps{}))
	sessions, limits := authstore.NewSessions(db, unsealed{}), authstore.NewRateLimiter(db)
	messages := func() []message.Message { return messagesIn(t, db) }
	accounts := func(d market.Deps, first func(context.Context, market.Stores) error) auth.Database {
		return identity.OnUserWithdrawn(books.OnUserWithdrawn(d, first))
	}
	return stores{authkit.Stores{Identity: identity, Sessions: sessions, RateLimiter: limits, Messages: messages}, books, accounts}
}

// unsealed stores codes and links without encryption, so that tests can read them.
type unsealed struct{}

func (unsealed) Seal(plain []byte) ([]byte, error)  { return plain, nil }
func (unsealed) Open(sealed []byte) ([]byte, error) { return sealed, nil }

// messagesIn reads the outbox, oldest first.
func messagesIn(t testing.TB, db *gormstore.DB) (all []message.Message) {
	t.Helper()
	_, read := db.SQL()
	rows, err := read.Query(`SELECT kind, recipient, lang, secret FROM outbox ORDER BY id`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var m message.Message
		var secret []byte
		if err := rows.Scan(&m.Kind, &m.To, &m.Lang, &secret); err != nil {
			t.Fatal(err)
		}
		if len(secret) > 0 {
			if err := json.Unmarshal(secret, &m); err != nil { // "code" and "link"
				t.Fatal(err)
			}
		}
		all = append(all, m)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

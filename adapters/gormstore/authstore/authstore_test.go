package authstore_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/contract/authcontract"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
)

// databases open each engine.
var databases = map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{
	"sqlite":   database.SQLite,
	"postgres": database.Postgres,
}

// onEach runs the cases of a contract, which know nothing of the schema.
func onEach(t *testing.T, test func(*testing.T, authcontract.Open)) {
	for name, open := range map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{
		"sqlite": database.SQLite, "postgres": database.PostgresReused,
	} {
		t.Run(name, func(t *testing.T) {
			test(t, func(t *testing.T) authkit.Stores {
				return stores(t, open(t, authstore.Migrations, outboxstore.Migrations, workstore.Migrations))
			})
		})
	}
}

// A transaction runs again after a deadlock and, on SQLite, when the commit that it shares fails.
func TestPortsAndUseCasesKeepTheirPromisesThoughEveryTransactionRunsTwice(t *testing.T) {
	deep.NotShort(t, "repeats the suites with every transaction run twice")
	for name, suite := range map[string]func(*testing.T, authcontract.Open){
		"use cases": authcontract.UseCases, "sessions": authcontract.Sessions, "second factors": authcontract.SecondFactors,
		"clients": authcontract.Clients, "ceremonies": authcontract.Ceremonies, "identities": authcontract.Identities,
		"passkeys": authcontract.Passkeys, "personal access tokens": authcontract.PersonalTokens, "machines": authcontract.Machines, "labels": authcontract.Labels, "grants": authcontract.Grants, "audit": authcontract.AuditStorage, "rate limits": rateLimits,
	} {
		t.Run(name, func(t *testing.T) {
			suite(t, func(t *testing.T) authkit.Stores {
				return stores(t, database.Twice(database.SQLite(t, authstore.Migrations, outboxstore.Migrations, workstore.Migrations)))
			})
		})
	}
}

func stores(t testing.TB, db *gormstore.DB) authkit.Stores {
	t.Helper()
	identity, sessions, limits := authstore.New(db, unsealed{}, nil), authstore.NewSessions(db, unsealed{}), authstore.NewRateLimiter(db)
	return authkit.Stores{
		Identity: identity, Sessions: sessions, RateLimiter: limits, Sweepers: []account.Sweep{identity.DeleteExpired, sessions.DeleteExpired, limits.DeleteExpired},
		Messages: func() []message.Message { return messages(t, db) }, Events: outboxstore.NewEvents(db), Jobs: workstore.New(db),
	}
}

// unsealed does not encrypt codes, so that tests can read them.
type unsealed struct{}

func (unsealed) Seal(plain []byte) ([]byte, error)  { return plain, nil }
func (unsealed) Open(sealed []byte) ([]byte, error) { return sealed, nil }

func TestPersonalTokens(t *testing.T) { onEach(t, authcontract.PersonalTokens) }

func TestMachines(t *testing.T) { onEach(t, authcontract.Machines) }

func TestGrants(t *testing.T) { onEach(t, authcontract.Grants) }

func TestLabels(t *testing.T) { onEach(t, authcontract.Labels) }

func TestUseCases(t *testing.T) { onEach(t, authcontract.UseCases) }

// messages reads the outbox table.
func messages(t testing.TB, db *gormstore.DB) (all []message.Message) {
	t.Helper()
	_, read := db.SQL()
	rows, err := read.Query(`SELECT id, kind, recipient, lang, params, secret, created_at, expires_at FROM outbox ORDER BY id`)
	must.Do(t, err)
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var m message.Message
		var params string
		var secret []byte
		var created, expires int64
		must.Do(t, rows.Scan(&m.ID, &m.Kind, &m.To, &m.Lang, &params, &secret, &created, &expires))
		m.CreatedAt, m.ExpiresAt = time.UnixMicro(created), time.UnixMicro(expires)
		must.Do(t, json.Unmarshal([]byte(params), &m.Params))
		if len(secret) > 0 {
			if err := json.Unmarshal(secret, &m); err != nil { // "code" and "link"
				t.Fatal(err)
			}
		}
		all = append(all, m)
	}
	must.Do(t, rows.Err())
	return all
}

func TestSessionPorts(t *testing.T) { onEach(t, authcontract.Sessions) }

func TestSecondFactorPorts(t *testing.T) { onEach(t, authcontract.SecondFactors) }
func TestClientPorts(t *testing.T)       { onEach(t, authcontract.Clients) }

func TestCeremonyStorePort(t *testing.T) { onEach(t, authcontract.Ceremonies) }

func TestIdentityPorts(t *testing.T) { onEach(t, authcontract.Identities) }
func TestPasskeyPorts(t *testing.T)  { onEach(t, authcontract.Passkeys) }

func TestRateLimiterPort(t *testing.T) { onEach(t, rateLimits) }

func rateLimits(t *testing.T, open authcontract.Open) {
	authcontract.RateLimiter(t, func(t *testing.T) auth.RateLimiter { return open(t).RateLimiter })
}

// Nothing that an anonymous client can create stays forever.
func TestExpiredRowsAreDeleted(t *testing.T) {
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			db := open(t, authstore.Migrations, outboxstore.Migrations, workstore.Migrations)
			k := authkit.New(t, stores(t, db), nil)
			ctx := context.Background()
			admin := k.CreateCaller(t, "root@example.org", user.Admin)
			for i := range 700 {
				email := fmt.Sprintf("u%d@example.org", i)
				must.Do(t, k.Passwords.RequestReset(ctx, email, user.EN, user.ClientInfo{IP: fmt.Sprintf("10.0.%d.%d", i/250, i%250)}))
			}
			must.Do(t, k.Accounts.SignUp(ctx, account.SignUpRequest{Email: "ann@example.org", Password: authkit.Password}))
			must.Get(k.Invitations.Invite(ctx, admin, "bob@example.org", user.EN))(t)
			k.Clock.Advance(session.AbsoluteTimeout)
			must.Do(t, k.Housekeeping.DeleteExpired(ctx))
			for _, table := range []string{"signups", "challenges", "invitations", "sessions", "limits"} {
				var n int
				if err := db.Read.Raw("SELECT count(*) FROM " + table).Scan(&n).Error; err != nil || n != 0 {
					t.Errorf("%s: %d rows, %v", table, n, err)
				}
			}
		})
	}
}

func TestTheGaugeOfSessionsCountsActiveOnes(t *testing.T) {
	for name, open := range databases {
		t.Run(name, func(t *testing.T) {
			db := open(t, authstore.Migrations, outboxstore.Migrations, workstore.Migrations)
			k := authkit.New(t, stores(t, db), nil)
			ann := k.CreateCaller(t, "ann@example.org", user.Admin)
			k.SignIn(t, "ann@example.org")
			k.SignIn(t, "ann@example.org")
			sessions := authstore.NewSessions(db, unsealed{})
			count := func(want int) {
				t.Helper()
				if n, err := sessions.CountActive(t.Context(), k.Clock.Now()); err != nil || n != want {
					t.Errorf("%d sessions, %v; there are %d", n, err, want)
				}
			}
			count(3)
			must.Get(sessions.RevokeSessions(t.Context(), ann.ID, []user.SessionID{ann.Session}, k.Clock.Now(), auth.SideEffects{}))(t)
			count(2)
			k.Clock.Advance(session.IdleTimeout)
			count(0)
		})
	}
}

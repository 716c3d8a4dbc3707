package marketstore_test

import (
	"strconv"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/database"
)

var engines = map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{"sqlite": database.SQLite, "postgres": database.Postgres}

func TestTheCheckOfTheLedgerFindsAWrongCountOfTheDashboard(t *testing.T) {
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			db := open(t, migrations...)
			b := contract.NewBazaar(side(db))
			b.Post(t, b.Join(t, "ann", user.Regular), contract.Draft("Calculus", "MTH 161", 1000))
			b.Balanced(t)
			run(t, db, "UPDATE tallies SET n = n + 3 WHERE kind = 2")
			wrong, err := b.Ledger.Check(t.Context())
			if err != nil || len(wrong) != 1 || wrong[0].What != "the dashboard counts 3 too many (tally 2, "+strconv.FormatInt(b.Clock.Now().Unix()/86400, 10)+")" {
				t.Errorf("%+v, %v", wrong, err)
			}
		})
	}
}

func TestPeopleWhoSignedUpBeforeThereWasAMarketplaceAreCounted(t *testing.T) {
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			db := open(t, authstore.Migrations, outboxstore.Migrations)
			run(t, db, "INSERT INTO users (id, email, created_at) VALUES (1, 'ann@mit.edu', 86400000000), (2, 'bob@mit.edu', 86400000000)")
			check(t, db.Migrate(t.Context(), marketstore.Migrations))
			run(t, db, "INSERT INTO users (id, email, created_at) VALUES (3, 'cat@mit.edu', 86400000000)")
			var people int
			check(t, db.Read.Raw("SELECT sum(n) FROM tallies WHERE kind = 4 AND key = 1").Scan(&people).Error)
			if people != 3 {
				t.Errorf("%d people are counted", people)
			}
		})
	}
}

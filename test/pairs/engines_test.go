package pairs_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/stores"
)

// engine keeps a world.
type engine struct {
	backend contract.MarketBackend
	db      *gormstore.DB
}

func over(db *gormstore.DB) engine { return engine{stores.Backend(db), db} }

// snapshot returns all content, to be compared.
func (e engine) snapshot(t testing.TB) map[string]string { return rows(t, e.db) }

// rows returns all rows of all tables but the answers that are kept under idempotency keys: those
// contain refusals.
func rows(t testing.TB, db *gormstore.DB) map[string]string {
	t.Helper()
	list := `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'book_search%'`
	if db.Dialect == gormstore.Postgres {
		list = `SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`
	}
	var tables []string
	must.Do(t, db.Read.WithContext(t.Context()).Raw(list).Scan(&tables).Error)
	all := map[string]string{}
	for _, name := range tables {
		if strings.HasPrefix(name, "goose_") || name == "replies" {
			continue
		}
		var found []map[string]any
		must.Do(t, db.Read.WithContext(t.Context()).Raw("SELECT * FROM "+name).Scan(&found).Error)
		lines := make([]string, len(found))
		for i, row := range found {
			lines[i] = fmt.Sprint(row)
		}
		slices.Sort(lines)
		all[name] = strings.Join(lines, "\n")
	}
	return all
}

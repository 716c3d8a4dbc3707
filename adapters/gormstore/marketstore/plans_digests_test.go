package marketstore_test

import (
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/test/deep"
)

// manyDigests wait for as many people, who have requested books and saved searches.
var manyDigests = []string{
	"INSERT INTO mail_digests SELECT i, 'match_found', '[]', '[]', 1, i FROM ",
	"INSERT INTO requests SELECT i, i, 'Topology', 'MTH 440', '', 0, 0, 0, 0, 1 FROM ",
	"INSERT INTO pairs SELECT i, i, i, i, 'isbn', 1, 1 FROM ",
	"INSERT INTO saved_search_hits SELECT i, i, 1 FROM ",
}

func TestDigestsAndThresholdsReadNoWholeTable(t *testing.T) {
	deep.Only(t, "fills tables with tens of thousands of rows")
	for engine, open := range engines {
		t.Run(engine, func(t *testing.T) {
			db := open(t, migrations...)
			fillDigests(t, engine, db)
			plans := map[string]string{"due": "SELECT * FROM mail_digests WHERE wake_at <= 7 ORDER BY wake_at LIMIT 50", "partners": marketstore.Partners(marketstore.New(db, plain{}))}
			for _, q := range marketstore.HoldingItems() {
				plans[q] = strings.ReplaceAll(q, "IN ?", "IN (3, 4, 5, 6, 7, 8, 9)")
			}
			for name, query := range plans {
				var args []any
				if name == "partners" {
					args = []any{7, 1, 1, 7, 1, 1}
				}
				plan := explain(t, engine, db, query, args...)
				for _, step := range strings.Split(plan, "\n") {
					if strings.Contains(step, "Seq Scan") || strings.HasPrefix(step, "SCAN ") && !strings.Contains(step, "SCAN p") {
						t.Errorf("%s in the plan of %s:\n%s", step, query, plan)
					}
				}
			}
		})
	}
}

func fillDigests(t *testing.T, engine string, db *gormstore.DB) {
	t.Helper()
	for _, statement := range manyBooks[engine] {
		run(t, db, statement)
	}
	for _, statement := range append(manyDigests, manyPeople...) {
		run(t, db, statement+rowsOf[engine])
	}
	if engine == "postgres" {
		run(t, db, "ANALYZE")
	}
}

var manyRequests = []string{
	"INSERT INTO requests SELECT i, i, 'Topology', 'MTH 440', '', 0, 0, 0, 0, 1 FROM ",
	"INSERT INTO request_keys (key, request_id, words) SELECT 'w:' || (i % 50), i, 1 FROM ",
}

// However many requests are open, a post reads a bounded range of their index, and then only requests
// whose words it has.
func TestAPostReadsTheOpenRequestsFromTheirIndex(t *testing.T) {
	deep.NotShort(t, "fills tables with tens of thousands of rows")
	for engine, open := range engines {
		t.Run(engine, func(t *testing.T) {
			db := open(t, migrations...)
			if engine == "postgres" {
				run(t, db, "ALTER TABLE requests DISABLE TRIGGER USER")
			}
			for _, statement := range manyRequests {
				run(t, db, statement+rowsOf[engine])
			}
			run(t, db, "ANALYZE")
			scan := marketstore.RequestScan(marketstore.New(db, plain{}))
			plan := explain(t, engine, db, scan, "w:1", "w:2", "c:csc7", "i:17", 2000, 0, 100, "w:1", "w:2", "c:csc7", "i:17", 1999)
			for _, whole := range []string{"Seq Scan", "SCAN request_keys", "SCAN r\n", "SCAN requests"} {
				if strings.Contains(plan, whole) {
					t.Errorf("%s:\n%s", scan, plan)
				}
			}
		})
	}
}

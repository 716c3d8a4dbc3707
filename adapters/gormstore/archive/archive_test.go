package archive_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/archive"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
)

func TestMain(m *testing.M) { os.Exit(database.Main(m)) }

var schema = []gormstore.Migrations{
	outboxstore.Migrations, workstore.Migrations, authstore.Migrations, marketstore.Migrations, inboxstore.Migrations,
}

// column is a column of a table of SQLite.
type column struct{ Table, Name, Type string }

// columnsOf lists the columns of all tables with content.
func columnsOf(t *testing.T, db *gormstore.DB) (all []column) {
	t.Helper()
	query := `SELECT l.name AS "table", c.name, lower(c.type) AS type FROM pragma_table_list l, pragma_table_info(l.name) c
		WHERE l.type = 'table' AND l.name NOT LIKE 'goose_%' AND l.name NOT LIKE 'sqlite_%' AND l.name NOT IN ('terms', 'spellings', 'search_versions') ORDER BY 1, 2`
	if db.Dialect == gormstore.Postgres {
		query = `SELECT relname::text AS "table", attname::text AS name, format_type(atttypid, NULL) AS type FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
			WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = 'public'::regnamespace AND attnum > 0 AND NOT attisdropped
			AND relname NOT LIKE 'goose_%' AND relname NOT IN ('terms', 'spellings', 'search_versions', 'book_search') ORDER BY 1, 2`
	}
	must.Do(t, db.Read.Raw(query).Scan(&all).Error)
	return all
}

func engines() map[string]func(*testing.T) *gormstore.DB {
	return map[string]func(*testing.T) *gormstore.DB{
		"sqlite":   func(t *testing.T) *gormstore.DB { return database.SQLite(t, schema...) },
		"postgres": func(t *testing.T) *gormstore.DB { return database.Postgres(t, schema...) },
	}
}

func TestEveryTableIsInAnArchiveAndEveryColumnIsAnonymisedOrKeptOnPurpose(t *testing.T) {
	for engine, open := range engines() {
		t.Run(engine, func(t *testing.T) {
			db := open(t)
			_, header := export(t, db, nil)
			stale := archive.Classified()
			for _, c := range columnsOf(t, db) {
				stale = slices.DeleteFunc(stale, func(name string) bool { return name == c.Table })
				exported := slices.ContainsFunc(header.Tables, func(h archive.Table) bool {
					return h.Name == c.Table && slices.ContainsFunc(h.Columns, func(h archive.Column) bool { return h.Name == c.Name })
				})
				if !exported {
					t.Errorf("no archive has %s.%s", c.Table, c.Name)
				}
				columns, leftOut := archive.Content(c.Table)
				if leftOut == slices.Contains(columns, c.Name) {
					t.Errorf("say in anonymised.go what becomes of %s.%s", c.Table, c.Name)
				}
			}
			if len(stale) > 0 {
				t.Errorf("there are no tables %v", stale)
			}
		})
	}
}

func export(t *testing.T, db *gormstore.DB, a *archive.Anonymiser) ([]byte, archive.Header) {
	t.Helper()
	var b bytes.Buffer
	e := archive.Export{
		Sources: []archive.Source{{DB: db, Schema: schema}}, Program: "a test", Keys: map[string]string{"PRIVATE_KEY": "k"}, Now: time.Unix(1e9, 0),
		Anonymiser: a, Report: func(string, int64, int64) {},
	}
	must.Get(e.Write(t.Context(), &b))(t)
	return b.Bytes(), open(t, b.Bytes()).Header
}

func open(t *testing.T, content []byte) *archive.Archive {
	t.Helper()
	return must.Get(archive.Open(t.Context(), bytes.NewReader(content), func(string, int64, int64) {}))(t)
}

func load(ctx context.Context, db *gormstore.DB, a *archive.Archive) error {
	return into(db).Read(ctx, a)
}

func into(db *gormstore.DB) archive.Import {
	return archive.Import{Targets: []archive.Source{{DB: db, Schema: schema}}, Report: func(string, int64, int64) {}}
}

// fill adds two rows to every table, with texts that are found again. Constraints do not hold: they are of no
// concern here.
func fill(t *testing.T, db *gormstore.DB) {
	t.Helper()
	write, _ := db.SQL()
	for _, pragma := range []string{"PRAGMA foreign_keys = OFF", "PRAGMA ignore_check_constraints = ON"} {
		must.Get(write.ExecContext(t.Context(), pragma))(t)
	}
	rows := map[string][]column{}
	for _, c := range columnsOf(t, db) {
		rows[c.Table] = append(rows[c.Table], c)
	}
	for _, table := range slices.Sorted(maps.Keys(rows)) {
		for n := range rowsOf(table) {
			var names, marks []string
			var values []any
			for _, c := range rows[table] {
				names, marks, values = append(names, `"`+c.Name+`"`), append(marks, "?"), append(values, valueFor(c, n))
			}
			must.Get(write.ExecContext(t.Context(), `INSERT INTO "`+table+`" (`+strings.Join(names, ", ")+") VALUES ("+strings.Join(marks, ", ")+")", values...))(t)
		}
	}
	for _, pragma := range []string{"PRAGMA foreign_keys = ON", "PRAGMA ignore_check_constraints = OFF"} {
		must.Get(write.ExecContext(t.Context(), pragma))(t)
	}
}

func rowsOf(table string) int {
	if table == "market_currency" {
		return 1
	}
	return 2
}

// valueFor is a value that satisfies the constraints that Postgres does not ignore.
func valueFor(c column, n int) any {
	fixed := map[string]int64{
		"books.buyer_id": 0, "books.status": 0, "requests.status": 0, "requests.filled_by": 0, "reports.resolved_at": 1, "users.role": 1, "users.verified": 1,
		"market_currency.id": 1, "photos.state": 1, "ratings.as_described": 1, "imports.state": 1, "ledger.account": 1, "ledger.movement": 2,
	}
	id := int64(n + 1)
	switch value, isFixed := fixed[c.Table+"."+c.Name]; {
	case c.Table+"."+c.Name == "users.deleted_at":
		return nil
	case isFixed:
		return value
	case c.Table+"."+c.Name == "books.comments":
		return "Zqmärk with what Postgres cannot store: \x00 \xff"
	case strings.HasSuffix(c.Name, "seller_id") || c.Name == "of_id":
		return id + 2
	case c.Type == "text":
		return fmt.Sprintf("Zqmärk <%s.%s> %d", c.Table, c.Name, n)
	case c.Type == "blob":
		return fmt.Appendf(nil, "\xff\x00zqmark %s %d", c.Name, n)
	case strings.HasSuffix(c.Name, "_at"):
		return int64(1)<<60 + id // beyond what every reader of JSON keeps
	}
	return id
}

func TestEveryRowOfEveryTableComesBackOnTheOtherEngineWithEqualSums(t *testing.T) {
	lite := database.SQLite(t, schema...)
	fill(t, lite)
	content, _ := export(t, lite, nil)
	first := open(t, content)
	if got := len(first.Manifest.Tables); got < 60 {
		t.Fatalf("only %d tables have rows", got)
	}
	server := database.Postgres(t)
	must.Do(t, load(t.Context(), server, first))
	must.Do(t, into(server).Finish(t.Context()))
	content, _ = export(t, server, nil)
	second := open(t, content)
	if !maps.Equal(first.Manifest.Tables, second.Manifest.Tables) {
		t.Errorf("Postgres has\n%v, not\n%v", second.Manifest.Tables, first.Manifest.Tables)
	}
	again := database.SQLite(t)
	must.Do(t, load(t.Context(), again, second))
	must.Do(t, into(again).Finish(t.Context()))
	content, _ = export(t, again, nil)
	if third := open(t, content); !maps.Equal(first.Manifest.Tables, third.Manifest.Tables) {
		t.Errorf("SQLite has\n%v, not\n%v", third.Manifest.Tables, first.Manifest.Tables)
	}
}

func unpacked(t *testing.T, content []byte) string {
	t.Helper()
	var b bytes.Buffer
	must.Get(b.ReadFrom(must.Get(gzip.NewReader(bytes.NewReader(content)))(t)))(t)
	return b.String()
}

// keptTexts are the columns whose texts are from lists of the program, or no words.
var keptTexts = strings.Fields(`users.lang audit_entries.action market_currency.code books.isbn requests.isbn matches.reason orders.isbn
	notifications.kind reports.reason reports.action quota_uses.quota`)

func TestAnAnonymisedArchiveHasNoTextThatAnybodyHasTyped(t *testing.T) {
	db := database.SQLite(t, schema...)
	fill(t, db)
	a := archive.NewAnonymiser([]byte("key"), "the hash of one password")
	content, _ := export(t, db, a)
	text := unpacked(t, content)
	for _, kept := range keptTexts {
		text = strings.ReplaceAll(text, "Zqmärk \\u003c"+kept+"\\u003e", "")
	}
	for _, mark := range []string{"Zqm", "zqm", "/wB6c"} { // the last in base64
		if at := strings.Index(text, mark); at >= 0 {
			t.Errorf("it has %q: %s", mark, text[max(0, at-200):min(len(text), at+100)])
		}
	}
	for _, want := range []string{"person-1@example.edu", "person-2@example.edu", "the hash of one password"} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not have %q", want)
		}
	}
	if len(a.Staff) != 2 || a.Staff[0].Email != "person-1@example.edu" {
		t.Errorf("the staff is %v", a.Staff)
	}
	must.Do(t, load(t.Context(), database.SQLite(t), open(t, content)))
}

package archive

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

// derived are the tables that are no content: an import makes them again of the others.
var derived = []string{"book_search", "user_search", "order_search", "terms", "spellings", "search_versions"}

// sortedBy has the columns that identify the rows of a table whose primary key is not the same on both engines.
var sortedBy = map[string][]string{"inbox_attempts": {"id"}}

// querier is a pool, or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Source is a database with the schema of its components.
type Source struct {
	DB     *gormstore.DB
	Schema []gormstore.Migrations
}

// versions returns those of the components that the database has.
func (s Source) versions(ctx context.Context) (map[string]int64, error) {
	states, err := s.DB.Schema(ctx, s.Schema...)
	if err != nil {
		return nil, err
	}
	versions := map[string]int64{}
	for _, state := range states {
		switch {
		case state.TooOld():
			return nil, gormstore.ErrTooOld
		case state.Ahead():
			return nil, fmt.Errorf("the database is newer than this program (%s: %d, known: %d): use the newer program", state.Name, state.Current, state.Target)
		case state.Current > 0:
			versions[state.Name] = state.Current
		}
	}
	return versions, nil
}

// tables reads what the tables of the components are. They come in the order of their creation, in which
// tables refer only to earlier ones.
func (s Source) tables(ctx context.Context, q querier, versions map[string]int64) ([]Table, error) {
	names, err := texts(ctx, q, listTables[s.DB.Dialect])
	if err != nil {
		return nil, err
	}
	var all []Table
	for _, m := range s.Schema {
		if versions[m.Name] == 0 {
			continue
		}
		expected, err := m.Expected(s.DB.Dialect)
		if err != nil {
			return nil, err
		}
		for _, name := range expected.Tables {
			if !slices.Contains(names, name) || slices.Contains(derived, name) || strings.HasPrefix(name, "goose_") {
				continue
			}
			t := Table{Name: name, Component: m.Name}
			if err := t.read(ctx, q, s.DB.Dialect); err != nil {
				return nil, fmt.Errorf("table %s: %w", name, err)
			}
			all = append(all, t)
		}
	}
	return all, nil
}

// The statements that read the schema: its tables without partitions; name, type and place in the primary key of
// the columns of a table.
var (
	listTables = map[gormstore.Dialect]string{
		gormstore.SQLite:   "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'",
		gormstore.Postgres: "SELECT relname::text FROM pg_class WHERE relkind IN ('r', 'p') AND NOT relispartition AND pg_table_is_visible(oid)",
	}
	listColumns = map[gormstore.Dialect]string{
		gormstore.SQLite: "SELECT name, lower(type), pk FROM pragma_table_info($1)",
		gormstore.Postgres: `SELECT a.attname::text, format_type(a.atttypid, NULL),
			COALESCE((SELECT array_position((i.indkey::int2[])[0:i.indnkeyatts - 1], a.attnum) FROM pg_index i WHERE i.indrelid = a.attrelid AND i.indisprimary), 0)
			FROM pg_attribute a WHERE a.attrelid = $1::regclass AND a.attnum > 0 AND NOT a.attisdropped`,
	}
)

var types = map[string]Type{"integer": Integer, "bigint": Integer, "smallint": Integer, "text": Text, "blob": Bytes, "bytea": Bytes}

// read reads the columns.
func (t *Table) read(ctx context.Context, q querier, d gormstore.Dialect) error {
	rows, err := q.QueryContext(ctx, listColumns[d], t.Name)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	key := map[string]int{}
	for rows.Next() {
		var name, kind string
		var place int
		if err := rows.Scan(&name, &kind, &place); err != nil {
			return err
		}
		if types[kind] == "" {
			return fmt.Errorf("the column %s has the type %s, which an archive cannot have", name, kind)
		}
		t.Columns = append(t.Columns, Column{name, types[kind]})
		if place > 0 {
			key[name] = place
			t.order = append(t.order, name)
		}
	}
	slices.SortFunc(t.Columns, func(a, b Column) int { return strings.Compare(a.Name, b.Name) })
	slices.SortFunc(t.order, func(a, b string) int { return cmp.Compare(key[a], key[b]) })
	if by := sortedBy[t.Name]; by != nil {
		t.order = by
	}
	if len(t.order) == 0 {
		return fmt.Errorf("it has no primary key to sort its rows by")
	}
	return rows.Err()
}

// names returns the names of the columns.
func (t Table) names() []string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	return names
}

// query selects all rows. Both engines return them in the same order: that of the bytes of a text.
func (t Table) query(d gormstore.Dialect) string {
	by := slices.Clone(t.order)
	for i, name := range by {
		at, _ := slices.BinarySearchFunc(t.Columns, name, func(c Column, n string) int { return strings.Compare(c.Name, n) })
		by[i] = quote(name)
		if d == gormstore.Postgres && t.Columns[at].Type == Text {
			by[i] += ` COLLATE "C"`
		}
	}
	return "SELECT " + quoted(t.names()) + " FROM " + quote(t.Name) + " ORDER BY " + strings.Join(by, ", ")
}

func quote(name string) string { return `"` + name + `"` } // an identifier, see Header.check

func quoted(names []string) string { return `"` + strings.Join(names, `", "`) + `"` }

func texts(ctx context.Context, q querier, query string, args ...any) (all []string, err error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var one string
		if err := rows.Scan(&one); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

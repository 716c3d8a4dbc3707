package gormstore

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// CheckIntegrity reads every table and index of the components completely and returns
// the damage; notes say what could not be checked. It changes nothing, has no time limit
// and does not block others.
func (db *DB) CheckIntegrity(ctx context.Context, all ...Migrations) (damage, notes []string, err error) {
	var want Expected
	for _, m := range all {
		e, err := m.Expected(db.Dialect)
		if err != nil {
			return nil, nil, err
		}
		want.Tables, want.Indexes = append(want.Tables, e.Tables...), append(want.Indexes, e.Indexes...)
	}
	conn, err := db.readPool.Conn(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = conn.Close() }()
	if db.Dialect == SQLite {
		damage, err = checkSQLite(ctx, conn, want)
		return damage, nil, err
	}
	return checkPostgres(ctx, conn, want)
}

// checkSQLite runs SQLite's integrity check, which covers every page and, through FTS5's
// own check, the full text index.
func checkSQLite(ctx context.Context, conn *sql.Conn, want Expected) ([]string, error) {
	there, err := queryTexts(ctx, conn, `SELECT type || ' ' || name FROM sqlite_master WHERE type IN ('table', 'index')`)
	if err != nil {
		return nil, err
	}
	damage := missingObjects(want, there)
	found, err := queryTexts(ctx, conn, "PRAGMA integrity_check")
	if err != nil {
		return append(damage, err.Error()), nil // an unreadable file is damage
	}
	damage = append(damage, slices.DeleteFunc(found, func(s string) bool { return s == "ok" })...)
	orphans, err := queryTexts(ctx, conn, `SELECT "table" || ': ' || count(*) || ' rows refer to rows of ' || parent || ' that do not exist'
		FROM pragma_foreign_key_check GROUP BY "table", parent`)
	if err != nil {
		return append(damage, err.Error()), nil
	}
	return append(damage, orphans...), nil
}

func missingObjects(want Expected, there []string) (missing []string) {
	for _, table := range want.Tables {
		if !slices.Contains(there, "table "+table) {
			missing = append(missing, "the table "+table+" is missing")
		}
	}
	for _, index := range want.Indexes {
		if !slices.Contains(there, "index "+index) {
			missing = append(missing, "the index "+index+" is missing")
		}
	}
	return missing
}

func checkPostgres(ctx context.Context, conn *sql.Conn, want Expected) (damage, notes []string, err error) {
	if _, err := conn.ExecContext(ctx, "SET statement_timeout = 0"); err != nil {
		return nil, nil, err
	}
	defer func() { _, _ = conn.ExecContext(context.WithoutCancel(ctx), "RESET statement_timeout") }()
	there, err := queryTexts(ctx, conn, `SELECT CASE WHEN relkind IN ('i', 'I') THEN 'index ' ELSE 'table ' END || relname
		FROM pg_class WHERE relkind IN ('r', 'p', 'i', 'I') AND pg_table_is_visible(oid)`)
	if err != nil {
		return nil, nil, err
	}
	damage = missingObjects(want, there)
	tables := slices.DeleteFunc(slices.Clone(want.Tables), func(t string) bool { return !slices.Contains(there, "table "+t) })
	for _, table := range tables {
		// Converting whole rows to text also reads values that are stored out of line (TOAST).
		var size sql.NullInt64
		err := conn.QueryRowContext(ctx, "SELECT sum(length(r::text)) FROM "+quoteIdentifier(table)+" AS r").Scan(&size)
		switch {
		case isUnavailable(err) || ctx.Err() != nil:
			return damage, nil, err
		case err != nil:
			damage = append(damage, fmt.Sprintf("the table %s cannot be read: %v", table, err))
		}
	}
	partitions, err := queryTexts(ctx, conn, `SELECT p.relid::regclass::text FROM unnest($1::text[]) t, pg_partition_tree(t::regclass) p WHERE p.level > 0`, tables)
	if err != nil {
		return damage, nil, err
	}
	tables = append(tables, partitions...)
	invalid, err := queryTexts(ctx, conn, `SELECT 'the index ' || i.relname || ' of ' || t.relname || ' is not valid: REINDEX INDEX CONCURRENTLY ' || i.relname
		FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
		WHERE t.relname = ANY ($1) AND pg_table_is_visible(t.oid) AND NOT (x.indisvalid AND x.indisready AND x.indislive)`, tables)
	if err != nil {
		return damage, nil, err
	}
	more, notes, err := amcheck(ctx, conn, tables)
	return append(append(damage, invalid...), more...), notes, err
}

// amcheck compares every B-tree with its table, if the extension is installed and
// permitted.
func amcheck(ctx context.Context, conn *sql.Conn, tables []string) (damage, notes []string, err error) {
	schema, err := queryTexts(ctx, conn, `SELECT n.nspname FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'amcheck'`)
	if err != nil {
		return nil, nil, err
	}
	if len(schema) == 0 {
		return nil, []string{"indexes were not compared with their tables: CREATE EXTENSION amcheck"}, nil
	}
	indexes, err := queryTexts(ctx, conn, `SELECT x.indexrelid::regclass::text FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
		JOIN pg_am a ON a.oid = i.relam JOIN pg_class t ON t.oid = x.indrelid
		WHERE i.relkind = 'i' AND a.amname = 'btree' AND t.relname = ANY ($1) AND pg_table_is_visible(t.oid) AND x.indisvalid AND x.indisready`, tables)
	if err != nil {
		return nil, nil, err
	}
	for _, index := range indexes {
		check := "SELECT " + quoteIdentifier(schema[0]) + ".bt_index_check($1::regclass, true)" //nolint:gosec // quoted
		_, err := conn.ExecContext(ctx, check, index)
		switch {
		case err == nil:
		case postgresCode(err) == "42501": // insufficient privilege
			return damage, append(notes, "indexes were not compared with their tables: GRANT EXECUTE ON FUNCTION bt_index_check(regclass, boolean)"), nil
		case isUnavailable(err) || ctx.Err() != nil:
			return damage, notes, err
		default:
			damage = append(damage, fmt.Sprintf("the index %s: %s", index, strings.TrimSpace(err.Error())))
		}
	}
	return damage, notes, nil
}

// quoteIdentifier quotes an SQL identifier.
func quoteIdentifier(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

package database

import (
	"database/sql/driver"
	"encoding/json"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/test/must"
	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// SQLiteSteps returns a function that runs a query and counts the steps of SQLite's virtual machine.
// It does not count those of the full-text index.
func SQLiteSteps(t testing.TB, db *gormstore.DB) func(query string, args []any) int {
	t.Helper()
	var path string
	_, read := db.SQL()
	must.Do(t, read.QueryRowContext(t.Context(), "SELECT file FROM pragma_database_list WHERE name = 'main'").Scan(&path))
	m := &machine{t: t, tls: libc.NewTLS()}
	m.cell = libc.Xmalloc(m.tls, 8)
	m.check("open "+path, sqlite3.Xsqlite3_open_v2(m.tls, m.text(path), m.cell, sqlite3.SQLITE_OPEN_READONLY, 0))
	m.db = libc.AtomicLoadPUintptr(m.cell)
	t.Cleanup(func() {
		sqlite3.Xsqlite3_close_v2(m.tls, m.db)
		m.tls.Close()
	})
	return m.steps
}

// machine is a connection without the driver, which does not tell the number of steps.
type machine struct {
	t    testing.TB
	tls  *libc.TLS
	db   uintptr
	cell uintptr // memory for the address of what a call creates
}

func (m *machine) check(what string, code int32) {
	m.t.Helper()
	if code != sqlite3.SQLITE_OK && code != sqlite3.SQLITE_DONE {
		m.t.Fatalf("%s: %s", what, libc.GoString(sqlite3.Xsqlite3_errmsg(m.tls, m.db)))
	}
}

// text copies a text. The copy lives as long as the process.
func (m *machine) text(s string) uintptr {
	m.t.Helper()
	p := must.Get(libc.CString(s))(m.t)
	return p
}

func (m *machine) steps(query string, args []any) int {
	m.t.Helper()
	m.check(query, sqlite3.Xsqlite3_prepare_v2(m.tls, m.db, m.text(query), -1, m.cell, 0))
	statement := libc.AtomicLoadPUintptr(m.cell)
	defer sqlite3.Xsqlite3_finalize(m.tls, statement)
	for i, arg := range args {
		m.bind(statement, int32(i+1), arg)
	}
	for {
		code := sqlite3.Xsqlite3_step(m.tls, statement)
		if code != sqlite3.SQLITE_ROW {
			m.check(query, code)
			break
		}
	}
	return int(sqlite3.Xsqlite3_stmt_status(m.tls, statement, sqlite3.SQLITE_STMTSTATUS_VM_STEP, 0))
}

func (m *machine) bind(statement uintptr, i int32, arg any) {
	m.t.Helper()
	value := must.Get(driver.DefaultParameterConverter.ConvertValue(arg))(m.t)
	code := int32(sqlite3.SQLITE_MISMATCH)
	switch v := value.(type) {
	case int64:
		code = sqlite3.Xsqlite3_bind_int64(m.tls, statement, i, v)
	case bool:
		code = sqlite3.Xsqlite3_bind_int64(m.tls, statement, i, map[bool]int64{true: 1}[v])
	case string:
		code = sqlite3.Xsqlite3_bind_text(m.tls, statement, i, m.text(v), int32(len(v)), 0)
	}
	m.check("bind", code)
}

// PostgresRows returns a function that runs a query and counts the rows that pass through the nodes
// of its plan, or are dropped there.
func PostgresRows(t testing.TB, db *gormstore.DB) func(query string, args []any) int {
	t.Helper()
	pool, _ := db.SQL()
	return func(query string, args []any) int {
		t.Helper()
		var text []byte
		if err := pool.QueryRowContext(t.Context(), "EXPLAIN (ANALYZE, TIMING OFF, SUMMARY OFF, FORMAT JSON) "+query, args...).Scan(&text); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		var plans []struct{ Plan node }
		must.Do(t, json.Unmarshal(text, &plans))
		return int(plans[0].Plan.rows())
	}
}

type node struct {
	Rows    float64 `json:"Actual Rows"`
	Loops   float64 `json:"Actual Loops"`
	Filter  float64 `json:"Rows Removed by Filter"`
	Join    float64 `json:"Rows Removed by Join Filter"`
	Recheck float64 `json:"Rows Removed by Index Recheck"`
	Plans   []node
}

func (n node) rows() float64 {
	sum := (n.Rows + n.Filter + n.Join + n.Recheck) * n.Loops
	for _, below := range n.Plans {
		sum += below.rows()
	}
	return sum
}

package gormstore

import (
	"database/sql"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/callbacks"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/migrator"
	"gorm.io/gorm/schema"
)

// dialector connects GORM to SQLite through the pure Go driver. It has no data types,
// because migrations create the schema, never structs.
type dialector struct{ pool *sql.DB }

func (dialector) Name() string { return "sqlite" }

func (d dialector) Initialize(db *gorm.DB) error {
	db.ConnPool = d.pool
	db.ClauseBuilders = map[string]clause.ClauseBuilder{"LIMIT": writeLimit}
	callbacks.RegisterDefaultCallbacks(db, &callbacks.Config{
		CreateClauses: []string{"INSERT", "VALUES", "ON CONFLICT", "RETURNING"},
		// Without clause.Locking ("FOR"), because a SQLite transaction that writes has no concurrent one.
		QueryClauses:  []string{"SELECT", "FROM", "WHERE", "GROUP BY", "ORDER BY", "LIMIT"},
		UpdateClauses: []string{"UPDATE", "SET", "FROM", "WHERE", "RETURNING"},
		DeleteClauses: []string{"DELETE", "FROM", "WHERE", "RETURNING"},
	})
	return nil
}

// writeLimit writes the limit as an expression, because SQLite plans a prepared statement
// again whenever a bare parameter after LIMIT is bound.
func writeLimit(c clause.Clause, b clause.Builder) {
	l, ok := c.Expression.(clause.Limit)
	if !ok {
		return
	}
	n := -1 // all
	if l.Limit != nil {
		n = *l.Limit
	}
	clause.Expr{SQL: "LIMIT ? + 0", Vars: []any{n}}.Build(b)
	if l.Offset > 0 {
		clause.Expr{SQL: " OFFSET ? + 0", Vars: []any{l.Offset}}.Build(b)
	}
}

func (d dialector) Migrator(db *gorm.DB) gorm.Migrator {
	return migrator.Migrator{Config: migrator.Config{DB: db, Dialector: d}}
}

func (dialector) DataTypeOf(*schema.Field) string { return "" }

func (dialector) DefaultValueOf(*schema.Field) clause.Expression { return clause.Expr{SQL: "NULL"} }

func (dialector) BindVarTo(w clause.Writer, _ *gorm.Statement, _ any) { _ = w.WriteByte('?') }

func (dialector) QuoteTo(w clause.Writer, name string) {
	_, _ = w.WriteString("`" + escapeName.Replace(name) + "`")
}

// escapeName escapes a name between backticks. A dot separates a table from its column.
var escapeName = strings.NewReplacer("`", "``", ".", "`.`")

// Explain gets no values, because the log is parameterised.
func (dialector) Explain(statement string, _ ...any) string { return statement }

// Translate wraps failures of the database in ErrUnavailable. Stores recognise the violation
// of a unique index by IsUnique.
func (dialector) Translate(err error) error { return WrapUnavailable(err) }

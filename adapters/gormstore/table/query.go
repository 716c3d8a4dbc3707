// Package table queries the rows of one type with GORM.
//
// It offers what the stores use of gorm.G, with the same names. gorm.G compiles its whole
// interface anew for each type of row, about 900 functions: for 60 types the compiler needed
// minutes of processor time. Here all that does not depend on the type is compiled once.
package table

import (
	"context"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// Query selects rows of the type T. Its methods do not change it: each returns another one.
type Query[T any] struct{ q query }

// Of returns the query of all rows. The clauses, such as a lock or what to do about a conflict,
// are added to its statements.
func Of[T any](db *gorm.DB, clauses ...clause.Expression) *Query[T] {
	q := query{db: db}
	if len(clauses) > 0 {
		q = q.with(func(db *gorm.DB) *gorm.DB { return db.Clauses(clauses...) })
	}
	return &Query[T]{q}
}

// Where adds a condition.
func (t *Query[T]) Where(condition string, args ...any) *Query[T] {
	return &Query[T]{t.q.where(condition, args)}
}

// Select names the columns that are read or updated.
func (t *Query[T]) Select(columns string, more ...any) *Query[T] {
	return &Query[T]{t.q.selecting(columns, more)}
}

// Omit leaves out columns.
func (t *Query[T]) Omit(columns ...string) *Query[T] { return &Query[T]{t.q.omit(columns)} }

// Order sorts the rows.
func (t *Query[T]) Order(by string) *Query[T] { return &Query[T]{t.q.order(by)} }

// Limit bounds the number of rows.
func (t *Query[T]) Limit(n int) *Query[T] { return &Query[T]{t.q.limit(n)} }

// Offset skips rows.
func (t *Query[T]) Offset(n int) *Query[T] { return &Query[T]{t.q.offset(n)} }

// Raw replaces the statement by a hand-written one.
func (t *Query[T]) Raw(statement string, args ...any) *Query[T] {
	return &Query[T]{t.q.raw(statement, args)}
}

// Find returns the rows.
func (t *Query[T]) Find(ctx context.Context) (rows []T, err error) {
	err = t.q.start(ctx).Find(&rows).Error
	return rows, err
}

// Take returns one row, or gorm.ErrRecordNotFound.
func (t *Query[T]) Take(ctx context.Context) (row T, err error) {
	err = t.q.start(ctx).Take(&row).Error
	return row, err
}

// Scan stores the selected columns in target, a pointer to a list or a value.
func (t *Query[T]) Scan(ctx context.Context, target any) error {
	return t.q.start(ctx).Model(new(T)).Find(target).Error
}

// Count returns the number of rows.
func (t *Query[T]) Count(ctx context.Context) (int, error) { return t.q.count(ctx, new(T)) }

// Exists reports whether there is a row. There must be few.
func (t *Query[T]) Exists(ctx context.Context) (bool, error) {
	n, err := t.Count(ctx)
	return n > 0, err
}

// Create inserts a row.
func (t *Query[T]) Create(ctx context.Context, row *T) error { return t.q.start(ctx).Create(row).Error }

// CreateInBatches inserts rows, at most n with a statement.
func (t *Query[T]) CreateInBatches(ctx context.Context, rows *[]T, n int) error {
	return t.q.start(ctx).CreateInBatches(rows, n).Error
}

// Update sets one column and returns how many rows matched.
func (t *Query[T]) Update(ctx context.Context, column string, value any) (int, error) {
	return affected(t.q.start(ctx).Model(new(T)).Update(column, value))
}

// Updates sets the selected columns, or those that are not zero, to the values of a row.
func (t *Query[T]) Updates(ctx context.Context, row T) (int, error) {
	return affected(t.q.start(ctx).Updates(row))
}

// Assign sets columns to values or expressions.
func (t *Query[T]) Assign(ctx context.Context, values map[string]any) (int, error) {
	return affected(t.q.start(ctx).Model(new(T)).Clauses(clause.Assignments(values)).Updates(map[string]any{}))
}

// Delete deletes the rows and returns how many there were.
func (t *Query[T]) Delete(ctx context.Context) (int, error) {
	return affected(t.q.start(ctx).Delete(new(T)))
}

// Build is clause.Expression: the query is then part of another one, as in "id IN (?)".
func (t *Query[T]) Build(b clause.Builder) {
	b.AddVar(b, t.q.start(context.Background()).Model(new(T)))
}

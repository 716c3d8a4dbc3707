package marketrows

import (
	"context"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
)

// Where is a conjunction of conditions with their arguments.
type Where struct {
	conditions []string
	Args       []any // in their order
}

// WhereAll begins a conjunction with a condition.
func WhereAll(condition string, args ...any) *Where { return &Where{[]string{condition}, args} }

// And adds a condition.
func (w *Where) And(condition string, args ...any) {
	w.conditions = append(w.conditions, condition)
	w.Args = append(w.Args, args...)
}

func (w *Where) String() string { return "WHERE " + strings.Join(w.conditions, " AND ") }

// Exists reports whether one of two statements with the same arguments finds a row; the second
// may be empty.
func Exists(ctx context.Context, c Handle, first, second string, args []any) (bool, error) {
	one := func() ([]any, func() int64) {
		var n int64
		return []any{&n}, func() int64 { return n }
	}
	_, found, err := rawsql.One(ctx, c.Conn, one, first, args...)
	if err != nil || found || second == "" {
		return found, err
	}
	_, found, err = rawsql.One(ctx, c.Conn, one, second, args...)
	return found, err
}

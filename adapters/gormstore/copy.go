package gormstore

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// CopyRows inserts rows into a table of Postgres with COPY. next writes the values of one item to a row,
// in the order of the columns.
func CopyRows[T any](ctx context.Context, tx pgx.Tx, table string, columns []string, items []T, next func(T) ([]any, error)) error {
	if len(items) == 0 {
		return nil
	}
	_, err := tx.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromSlice(len(items), func(i int) ([]any, error) { return next(items[i]) }))
	return WrapUnavailable(err)
}

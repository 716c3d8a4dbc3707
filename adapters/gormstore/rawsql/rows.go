package rawsql

import (
	"context"
	"errors"
	"math"

	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"gorm.io/gorm"
)

// RowsPerStatement bounds the variables of a statement that inserts or names many rows.
const RowsPerStatement = 64

// Take returns the row of a GORM query, or the error missing if there is none.
func Take[R any](ctx context.Context, query *table.Query[R], missing error) (R, error) {
	row, err := query.Take(ctx)
	if errors.Is(err, gorm.ErrRecordNotFound) {
		err = missing
	}
	return row, err
}

// List returns the rows of a GORM query, converted.
func List[R, V any](ctx context.Context, query *table.Query[R], value func(*R) V) ([]V, error) {
	rows, err := query.Find(ctx)
	return Convert(rows, value), err
}

// Convert converts rows.
func Convert[R, V any](rows []R, value func(*R) V) []V {
	values := make([]V, len(rows))
	for i := range rows {
		values[i] = value(&rows[i])
	}
	return values
}

// UpperBound returns the exclusive bound of the ids of a list that is newest first; before
// is 0 without a bound.
func UpperBound[T ~int64](before T) int64 {
	if before == 0 {
		return math.MaxInt64
	}
	return int64(before)
}

package rawsql

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm/schema"
)

// In returns the placeholders and arguments of IN (…) for at least one value. It pads the
// list to a power of two with the last value, so that few different statements arise.
func In[T any](values []T) (placeholders string, args []any) {
	for _, v := range Padded(values) {
		args = append(args, v)
	}
	return strings.Repeat("?, ", len(args)-1) + "?", args
}

// Values returns the placeholders and arguments of VALUES … for at least one row. Call it for Batches.
func Values[T any](rows []T, columns func(T) []any) (placeholders string, args []any) {
	for _, r := range rows {
		args = append(args, columns(r)...)
	}
	row := "(" + strings.Repeat("?, ", len(args)/len(rows)-1) + "?)"
	return strings.Repeat(row+", ", len(rows)-1) + row, args
}

// Batches splits rows into batches for one statement each. Their sizes are powers of two up to
// RowsPerStatement, so that few different statements arise.
func Batches[T any](rows []T) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		for n := RowsPerStatement; len(rows) > 0; rows = rows[n:] {
			for n > len(rows) {
				n /= 2
			}
			if !yield(rows[:n]) {
				return
			}
		}
	}
}

// Padded returns the values, at least one, padded as In does.
func Padded[T any](values []T) []T {
	n := 1
	for n < len(values) {
		n *= 2
	}
	return append(slices.Clip(values), slices.Repeat(values[len(values)-1:], n-len(values))...)
}

// Micros returns the stored form of a time: Unix microseconds, 0 for the zero time.
func Micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// Time returns the time that Micros stored, in UTC.
func Time(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

// ScanTime scans a column of Micros into a time, the zero time if the column is null.
func ScanTime(t *time.Time) sql.Scanner { return timeColumn{t} }

type timeColumn struct{ *time.Time }

func (c timeColumn) Scan(stored any) error {
	micros, ok := stored.(int64)
	if !ok && stored != nil {
		return fmt.Errorf("a stored time is %T, not a number", stored)
	}
	*c.Time = Time(micros)
	return nil
}

// serializer makes GORM store a time.Time with the tag serializer:micros as Micros. GORM
// does not use it for values in conditions and assignments: use Micros there.
type serializer struct{}

func init() { schema.RegisterSerializer("micros", serializer{}) }

func (serializer) Value(_ context.Context, _ *schema.Field, _ reflect.Value, value any) (any, error) {
	return Micros(value.(time.Time)), nil
}

func (serializer) Scan(ctx context.Context, f *schema.Field, row reflect.Value, stored any) error {
	return timeColumn{f.ReflectValueOf(ctx, row).Addr().Interface().(*time.Time)}.Scan(stored)
}

// Flag returns the stored form of a bool: 1 or 0.
func Flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

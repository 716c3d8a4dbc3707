package rawsql

import (
	"context"
	"database/sql"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm/schema"
)

// In writes the inside of IN (…) for some values, of which there must be one at least.
// The lengths are powers of two, filled up with the last value, so that few statements
// need preparing.
func In[T any](values []T) (placeholders string, args []any) {
	for _, v := range Padded(values) {
		args = append(args, v)
	}
	return strings.Repeat("?, ", len(args)-1) + "?", args
}

// Padded are some values, of which there must be one at least, filled up as In does.
func Padded[T any](values []T) []T {
	n := 1
	for n < len(values) {
		n *= 2
	}
	return append(slices.Clip(values), slices.Repeat(values[len(values)-1:], n-len(values))...)
}

// Micros is how a time is stored: microseconds since 1970, 0 for the zero time.
func Micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

// Time is the time that Micros stored, in UTC.
func Time(micros int64) time.Time {
	if micros == 0 {
		return time.Time{}
	}
	return time.UnixMicro(micros).UTC()
}

// ScanTime scans a column of Micros into a time.
func ScanTime(t *time.Time) sql.Scanner { return column{t} }

type column struct{ *time.Time }

func (c column) Scan(stored any) error {
	micros, ok := stored.(int64)
	if !ok {
		return fmt.Errorf("a stored time is %T and no number", stored)
	}
	*c.Time = Time(micros)
	return nil
}

// serializer lets GORM store a time.Time with the tag serializer:micros as Micros. GORM does
// not ask it for values in conditions and assignments: write Micros there.
type serializer struct{}

func init() { schema.RegisterSerializer("micros", serializer{}) }

func (serializer) Value(_ context.Context, _ *schema.Field, _ reflect.Value, value any) (any, error) {
	return Micros(value.(time.Time)), nil
}

func (serializer) Scan(ctx context.Context, f *schema.Field, row reflect.Value, stored any) error {
	return column{f.ReflectValueOf(ctx, row).Addr().Interface().(*time.Time)}.Scan(stored)
}

// Flag is how a bool is stored: 1 or 0.
func Flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

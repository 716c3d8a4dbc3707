package gormstore_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
)

// The tests are built with the tag of the program that leaves out pgx' list of types.
func TestEveryTypeOfParameterIsSentWithoutPreparedStatements(t *testing.T) {
	dsn := must.Get(url.Parse(database.PostgresURL(t)))(t)
	query := dsn.Query()
	query.Set("default_query_exec_mode", "exec")
	dsn.RawQuery = query.Encode()
	pool := must.Get(openPostgres(t, dsn.String()).Read.DB())(t)
	at := time.Date(2026, 11, 26, 18, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		as   string
		sent any
		want string
	}{
		{"text", "é", "é"}, {"bigint", user.ID(7), "7"}, {"bigint", int64(-7), "-7"}, {"int", 7, "7"}, {"int", book.Bought, "1"},
		{"int", uint32(7), "7"}, {"bigint", uint64(7), "7"}, {"int", int32(7), "7"}, {"int", int16(7), "7"}, {"int", uint8(7), "7"},
		{"boolean", true, "true"}, {"float8", 0.5, "0.5"}, {"float8", float32(0.5), "0.5"}, {"bytea", []byte{0, 255}, `\x00ff`},
		{"timestamptz", at, "2026-11-26 18:00:00+00"},
		{"text[]", []string{"a", "b,c"}, `{a,"b,c"}`}, {"bigint[]", []int64{1, 2}, "{1,2}"}, {"int[]", []int{1, 2}, "{1,2}"},
		{"bytea[]", [][]byte{{1}}, `{"\\x01"}`}, {"text", (*string)(nil), "none"},
	} {
		var got string
		err := pool.QueryRowContext(t.Context(), "SELECT COALESCE($1::"+c.as+"::text, 'none')", c.sent).Scan(&got)
		if err != nil || got != c.want {
			t.Errorf("%T as %s: %q, %v", c.sent, c.as, got, err)
		}
	}
}

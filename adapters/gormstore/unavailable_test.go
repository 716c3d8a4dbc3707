package gormstore_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/test/must"
	"gorm.io/gorm"
)

func TestOnlyFailuresOfTheDatabaseItselfAreUnavailable(t *testing.T) {
	listener := must.Get((&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	address := listener.Addr().String()
	must.Do(t, listener.Close())
	_, refused := pgx.Connect(t.Context(), "postgres://octavo@"+address+"/octavo?sslmode=disable")
	for name, c := range map[string]struct {
		err         error
		unavailable bool
	}{
		"nothing":             {nil, false},
		"refused":             {refused, true},
		"connection lost":     {fmt.Errorf("query: %w", driver.ErrBadConn), true},
		"too many clients":    {&pgconn.PgError{Code: "53300"}, true},
		"shutting down":       {&pgconn.PgError{Code: "57P01"}, true},
		"connection failure":  {&pgconn.PgError{Code: "08006"}, true},
		"closed before":       {fmt.Errorf("query: %w", pgconn.ErrConnClosed), true},
		"connection returned": {sql.ErrConnDone, true},
		"crashed":             {&pgconn.PgError{Code: "57P02"}, true},
		"starting":            {&pgconn.PgError{Code: "57P03"}, true},
		"idle in transaction": {&pgconn.PgError{Code: "25P03"}, true},
		"took too long":       {&pgconn.PgError{Code: "57014"}, true},
		"read-only":           {&pgconn.PgError{Code: "25006"}, true},
		"disk full":           {&pgconn.PgError{Code: "53100"}, true},
		"disk fails":          {&pgconn.PgError{Code: "58030"}, true},
		"already wrapped":     {gormstore.ErrUnavailable, true},
		"unique violation":    {&pgconn.PgError{Code: "23505"}, false},
		"syntax error":        {&pgconn.PgError{Code: "42601"}, false},
		"nothing found":       {gorm.ErrRecordNotFound, false},
		"the caller has left": {context.Canceled, false},
	} {
		got := gormstore.WrapUnavailable(c.err)
		if errors.Is(got, gormstore.ErrUnavailable) != c.unavailable || c.err != nil && !errors.Is(got, c.err) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

package gormstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/octavo-books/octavo/adapters/gormstore/groupcommit"
	"github.com/octavo-books/octavo/domain/fault"
)

// ErrUnavailable is the error for callers while the database is unavailable or too busy.
var ErrUnavailable = fault.New(fault.Unavailable, "unavailable", "The service is busy or partly down. Please try again in a moment.").After(2 * time.Second)

// WrapUnavailable wraps a failure of the database itself in ErrUnavailable: it cannot be
// reached, is starting or shutting down, or is out of resources. Any other error is
// returned unchanged.
func WrapUnavailable(err error) error {
	if err == nil || !isUnavailable(err) || errors.Is(err, ErrUnavailable) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

func isUnavailable(err error) bool {
	var connect *pgconn.ConnectError
	var network net.Error
	switch {
	case errors.As(err, &connect), errors.As(err, &network), errors.Is(err, io.ErrUnexpectedEOF), isSQLiteUnavailable(err),
		errors.Is(err, groupcommit.ErrBusy):
		return true
	case errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone), errors.Is(err, pgconn.ErrConnClosed):
		return true // the connection was lost before or during this statement
	}
	return isPostgresUnavailable(postgresCode(err))
}

// isPostgresUnavailable reports connection exceptions (class 08), insufficient resources
// (53), system errors (58), operator intervention (57P), statement timeouts (57014),
// sessions that were idle in a transaction for too long (25P03), and read-only servers
// (25006).
func isPostgresUnavailable(code string) bool {
	for _, class := range []string{"08", "53", "58", "57P", "57014", "25P03", "25006"} {
		if strings.HasPrefix(code, class) {
			return true
		}
	}
	return false
}

const maxTransactionAttempts = 6

// Retry runs fn, which runs one transaction, and repeats it after a deadlock, a
// serialization failure or a lock that another process holds, and once if the server is
// read-only, because the next connection may lead to another. After the last attempt the
// error is ErrUnavailable.
func Retry(ctx context.Context, fn func() error) error {
	var err error
	for attempt := range maxTransactionAttempts {
		err = fn()
		if again := mayRetry(err) || attempt == 0 && isReadOnly(err); !again {
			return WrapUnavailable(err)
		}
		if !pause(ctx, time.Duration(1<<attempt)*time.Millisecond) {
			break
		}
	}
	return errors.Join(ErrUnavailable, err)
}

// mayRetry reports whether the same transaction may succeed the next time.
func mayRetry(err error) bool { return isSQLiteBusy(err) || isPostgresRetryable(err) }

// pause waits about d, and reports false if ctx ends first.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d/2 + rand.N(d))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}

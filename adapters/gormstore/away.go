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

// ErrUnavailable is what a caller sees while the database is away or too busy.
var ErrUnavailable = fault.New(fault.Unavailable, "unavailable", "The service is busy or partly down. Please try again in a moment.").After(2 * time.Second)

// Explain adds ErrUnavailable to a failure of the database itself: it cannot be
// reached, is starting or going down, or has no room for more. Any other error
// is returned as it is.
func Explain(err error) error {
	if err == nil || !isAway(err) || errors.Is(err, ErrUnavailable) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnavailable, err)
}

func isAway(err error) bool {
	var connect *pgconn.ConnectError
	var network net.Error
	switch {
	case errors.As(err, &connect), errors.As(err, &network), errors.Is(err, io.ErrUnexpectedEOF), isSQLiteStuck(err), errors.Is(err, groupcommit.ErrBusy):
		return true
	case errors.Is(err, driver.ErrBadConn), errors.Is(err, sql.ErrConnDone), errors.Is(err, pgconn.ErrConnClosed):
		return true // the connection was lost before this statement, or by it
	}
	return isPostgresAway(postgresCode(err))
}

// isPostgresAway holds for connection exceptions (class 08), insufficient resources
// (53), system errors (58), an operator's intervention (57P), a statement that took too
// long (57014), a session that was ended for resting in a transaction (25P03), and a
// server that is or has become read-only (25006).
func isPostgresAway(code string) bool {
	for _, class := range []string{"08", "53", "58", "57P", "57014", "25P03", "25006"} {
		if strings.HasPrefix(code, class) {
			return true
		}
	}
	return false
}

const transactionTries = 6

// Retry runs fn, which does one transaction, again after a deadlock, a serialization
// failure or a lock that another process holds. After the last try, ErrUnavailable.
func Retry(ctx context.Context, fn func() error) error {
	var err error
	for try := range transactionTries {
		err = fn()
		if !mayRetry(err) {
			return Explain(err)
		}
		if !pause(ctx, time.Duration(1<<try)*time.Millisecond) {
			break
		}
	}
	return errors.Join(ErrUnavailable, err)
}

func mayRetry(err error) bool {
	return err != nil && (isSQLiteBusy(err) || isPostgresRetry(err))
}

// pause waits about d, unless the caller leaves first.
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

package gormstore

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

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
	case errors.As(err, &connect), errors.As(err, &network), errors.Is(err, driver.ErrBadConn), errors.Is(err, io.ErrUnexpectedEOF), isSQLiteStuck(err):
		return true
	}
	return isPostgresAway(postgresCode(err))
}

// isPostgresAway holds for connection exceptions (class 08), insufficient
// resources (53), an operator's intervention (57P) and a server that has become a
// standby (25006).
func isPostgresAway(code string) bool {
	return strings.HasPrefix(code, "08") || strings.HasPrefix(code, "53") || strings.HasPrefix(code, "57P") || code == "25006"
}

package gormstore

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// Pooling is what a pooler between this program and Postgres does to its connections.
type Pooling struct {
	SharesSessions  bool // each transaction may run in another session
	LosesStatements bool // one that was prepared may be unknown in the next transaction
	Unlimited       bool // statements have no timeout, because the pooler ignores the one we ask for
}

// InspectPooling finds out what a pooler does to the connections of a postgres:// URL. With
// no pooler all answers are false.
func InspectPooling(ctx context.Context, dsn string) (p Pooling, err error) {
	settings, err := postgresSettings(dsn)
	if err != nil {
		return p, err
	}
	prepares := settings.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement
	settings.DefaultQueryExecMode = pgx.QueryExecModeExec
	one, err := pgx.ConnectConfig(ctx, settings)
	if err != nil {
		return p, err
	}
	defer func() { _ = one.Close(context.WithoutCancel(ctx)) }()
	other, err := pgx.ConnectConfig(ctx, settings)
	if err != nil {
		return p, err
	}
	defer func() { _ = other.Close(context.WithoutCancel(ctx)) }()
	for range 5 { // a busy pooler may give the connections different sessions by chance
		shared, lost, err := swapSessions(ctx, one, other)
		p.SharesSessions, p.LosesStatements = p.SharesSessions || shared, p.LosesStatements || lost && prepares
		if err != nil || shared {
			break
		}
	}
	if err == nil {
		err = one.QueryRow(ctx, "SELECT current_setting('statement_timeout') = '0'").Scan(&p.Unlimited)
	}
	return p, err
}

// swapSessions prepares a statement on one connection and executes it while the other is in
// a transaction, which takes its session away if they share sessions.
func swapSessions(ctx context.Context, one, other *pgx.Conn) (shared, lost bool, err error) {
	name := "octavo_doctor_" + strconv.FormatInt(time.Now().UnixNano(), 36)
	if _, err = one.Prepare(ctx, name, "SELECT pg_backend_pid()"); err != nil {
		return false, false, err
	}
	before, lostBefore, err := sessionOf(ctx, one, name)
	if err != nil {
		return false, false, err
	}
	tx, err := other.Begin(ctx)
	if err != nil {
		return false, false, err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	var taken int
	if err = tx.QueryRow(ctx, "SELECT pg_backend_pid()").Scan(&taken); err != nil {
		return false, false, err
	}
	after, lostAfter, err := sessionOf(ctx, one, name)
	lost = lostBefore || lostAfter
	return lost || before == taken || before != after, lost, err
}

// sessionOf returns the session that executes a prepared statement, or that the statement is
// unknown there.
func sessionOf(ctx context.Context, c *pgx.Conn, statement string) (pid int, lost bool, err error) {
	err = c.QueryRow(ctx, statement).Scan(&pid)
	if isLostStatement(err) {
		return 0, true, nil
	}
	return pid, false, err
}

// isLostStatement reports that the session does not know a statement that was prepared, or
// knows one of that name already.
func isLostStatement(err error) bool {
	code := postgresCode(err)
	return code == "26000" || code == "42P05"
}

// explainLostStatement adds what to do about it.
func explainLostStatement(err error) error {
	if !isLostStatement(err) {
		return err
	}
	return fmt.Errorf("%w; a pooler loses prepared statements: run octavo doctor", err)
}

// RefusedParameter returns the parameter of a session that a pooler refuses to pass on.
func RefusedParameter(err error) (name string, refused bool) {
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Code != "08P01" {
		return "", false
	}
	return strings.CutPrefix(e.Message, "unsupported startup parameter: ")
}

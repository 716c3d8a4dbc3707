package gormstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
)

// The timeouts at which Postgres cancels a statement or an idle transaction; requests end
// earlier.
const (
	statementTimeout = "15s"
	idleInTxTimeout  = "30s"
	poolSize         = 20
	// connectTimeout is for each host of the URL. A host that is gone does not refuse.
	connectTimeout = 5 * time.Second
)

func openPostgres(dsn string, config *gorm.Config) (*DB, error) {
	db, err := newPostgres(dsn, config, 0)
	if err != nil {
		return nil, fmt.Errorf("DATABASE_URL: %w", err)
	}
	return db, nil
}

// newPostgres makes the pool of a server, which connects when it is used. Without a timeout for
// connecting it is that of the URL or of pgx.
func newPostgres(dsn string, config *gorm.Config, connect time.Duration) (*DB, error) {
	settings, err := postgresSettings(dsn)
	if err != nil {
		return nil, err
	}
	settings.ConnectTimeout = cmp.Or(connect, settings.ConnectTimeout)
	// A pooler may lose prepared statements; default_query_exec_mode in the URL turns them off.
	config.PrepareStmt = settings.DefaultQueryExecMode == pgx.QueryExecModeCacheStatement
	pool := sql.OpenDB(connectorFor(config, "postgresql", postgresConnector(settings)))
	pool.SetMaxOpenConns(poolSize)
	pool.SetMaxIdleConns(poolSize)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	pool.SetConnMaxLifetime(time.Hour)
	db, err := newDB(Postgres, pool, pool, func(p *sql.DB) gorm.Dialector {
		return postgresDialector{postgres.Dialector{Config: &postgres.Config{Conn: p}}}
	}, config)
	if err == nil {
		db.direct = settings
	}
	return db, err
}

// postgresSettings parses a DSN and adds Octavo's parameters of a session.
func postgresSettings(dsn string) (*pgx.ConnConfig, error) {
	settings, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, hideDSN(err)
	}
	for name, value := range map[string]string{
		"statement_timeout":                   statementTimeout,
		"idle_in_transaction_session_timeout": idleInTxTimeout,
		"application_name":                    "octavo",
		"timezone":                            "UTC",
	} {
		if _, set := settings.RuntimeParams[name]; !set {
			settings.RuntimeParams[name] = value
		}
	}
	if settings.ConnectTimeout == 0 { // not in the DSN
		settings.DialFunc = (&net.Dialer{Timeout: connectTimeout}).DialContext
	}
	closeReadOnly(settings)
	settings.AfterConnect = planForShortStatements
	return settings, nil
}

// ClearTextHosts returns the hosts of a DSN with which a connection may be in clear text: without
// sslmode=require or verify-…, a server, or somebody on the way, decides. It returns none for SQLite
// and for a DSN that cannot be parsed.
func ClearTextHosts(dsn string) (hosts []string) {
	if !strings.HasPrefix(dsn, "postgres") {
		return nil
	}
	settings, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil
	}
	if settings.TLSConfig == nil {
		hosts = append(hosts, settings.Host)
	}
	for _, f := range settings.Fallbacks {
		if f.TLSConfig == nil {
			hosts = append(hosts, f.Host)
		}
	}
	return hosts
}

// planForShortStatements keeps a server from compiling statements and from starting processes for
// them. For the dashboard of a large market, or a search that finds nothing, both take longer than
// the statement. They are no parameters of the connection, because a pooler refuses those that it
// does not know.
func planForShortStatements(ctx context.Context, c *pgconn.PgConn) error {
	err := c.Exec(ctx, "SET jit = off; SET max_parallel_workers_per_gather = 0").Close()
	if postgresCode(err) != "" { // an engine without them
		return nil
	}
	return err
}

// closeReadOnly closes a connection on which a write was refused because its server is read-only:
// after a failover another connection may lead to the primary, and this one would stay in the pool for an hour.
func closeReadOnly(settings *pgx.ConnConfig) {
	next := settings.OnPgError
	settings.OnPgError = func(c *pgconn.PgConn, e *pgconn.PgError) bool { return next(c, e) && !isReadOnly(e) }
}

// isReadOnly reports that a server refused to write.
func isReadOnly(err error) bool { return postgresCode(err) == "25006" }

// postgresDialector applies WrapUnavailable to GORM's errors. A store must call it itself
// only for reads with Scan, whose errors GORM does not translate.
type postgresDialector struct{ postgres.Dialector }

// Translate is gorm.ErrorTranslator.
func (d postgresDialector) Translate(err error) error {
	return WrapUnavailable(d.Dialector.Translate(err))
}

// hideDSN removes the connection string from an error, because it may contain a password.
func hideDSN(err error) error {
	var parse *pgconn.ParseConfigError
	if errors.As(err, &parse) {
		return errors.New("not a valid Postgres connection string")
	}
	return err
}

func postgresCode(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}

// IsLockTimeout reports that a statement waited longer for a lock than lock_timeout says.
func IsLockTimeout(err error) bool { return postgresCode(err) == "55P03" }

// IsCheckViolation reports a row that violates a constraint, which a partition has, too.
func IsCheckViolation(err error) bool { return postgresCode(err) == "23514" }

func isPostgresUnique(err error) bool { return postgresCode(err) == "23505" }

// isPostgresRetryable reports a serialization failure or a deadlock, after which the same
// transaction may succeed.
func isPostgresRetryable(err error) bool {
	code := postgresCode(err)
	return code == "40001" || code == "40P01"
}

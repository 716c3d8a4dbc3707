package gormstore

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
)

// What a statement may take before Postgres ends it; a request has given up by then.
const (
	statementTimeout = "15s"
	idleInTxTimeout  = "30s"
	poolSize         = 20
)

func openPostgres(dsn string, config *gorm.Config) (*DB, error) {
	settings, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("DATABASE_URL: %w", hideDSN(err))
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
	pool := sql.OpenDB(connectorFor(config, "postgresql", stdlib.GetConnector(*settings)))
	pool.SetMaxOpenConns(poolSize)
	pool.SetMaxIdleConns(poolSize)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	pool.SetConnMaxLifetime(time.Hour)
	return assemble(Postgres, pool, pool, func(p *sql.DB) gorm.Dialector {
		return explaining{postgres.Dialector{Config: &postgres.Config{Conn: p}}}
	}, config)
}

// explaining lets GORM see the failures of Postgres itself as Explain does. A store has to
// call Explain only where it reads with Scan, of which GORM translates no error.
type explaining struct{ postgres.Dialector }

// Translate is gorm.ErrorTranslator.
func (d explaining) Translate(err error) error { return Explain(d.Dialector.Translate(err)) }

// hideDSN drops the connection string, which may hold a password.
func hideDSN(err error) error {
	var parse *pgconn.ParseConfigError
	if errors.As(err, &parse) {
		return errors.New("not a connection string that Postgres understands")
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

func isPostgresUnique(err error) bool { return postgresCode(err) == "23505" }

// isPostgresRetry holds for a serialization failure and a deadlock: the same
// transaction may well succeed when it is run again.
func isPostgresRetry(err error) bool {
	code := postgresCode(err)
	return code == "40001" || code == "40P01"
}

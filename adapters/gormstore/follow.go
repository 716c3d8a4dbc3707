package gormstore

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"gorm.io/gorm"
)

// Follower is shown what goes on in a database, as adapters/telemetry is.
type Follower interface {
	// Connector stands between the pools and the driver, whose system is called
	// "sqlite" or "postgresql".
	Connector(system string, next driver.Connector) driver.Connector
	// Traceparent names what goes on in ctx, see Traceparent below.
	Traceparent(ctx context.Context) string
}

// Option is a choice of Open.
type Option func(*gorm.Config)

// Followed shows by all that goes on.
func Followed(by Follower) Option {
	return func(c *gorm.Config) { c.Plugins = map[string]gorm.Plugin{followed{}.Name(): followed{by}} }
}

// Traceparent names what tx is part of, as W3C Trace Context does, for those who
// go on with it later. It is empty where nobody follows.
func Traceparent(tx *gorm.DB) string {
	if f, ok := tx.Plugins[followed{}.Name()].(followed); ok {
		return f.Traceparent(tx.Statement.Context)
	}
	return ""
}

// followed goes with a gorm.DB as its plugin.
type followed struct{ Follower }

// Name implements gorm.Plugin.
func (followed) Name() string { return "octavo:followed" }

// Initialize implements gorm.Plugin.
func (followed) Initialize(*gorm.DB) error { return nil }

// connectorFor is next, or what the follower puts before it.
func connectorFor(config *gorm.Config, system string, next driver.Connector) driver.Connector {
	if f, ok := config.Plugins[followed{}.Name()].(followed); ok {
		return f.Connector(system, next)
	}
	return next
}

// openSQLitePool is sql.Open, past the follower.
func openSQLitePool(config *gorm.Config, dsn string) (*sql.DB, error) {
	plain, err := sql.Open("sqlite", dsn)
	if err != nil || config.Plugins == nil {
		return plain, err
	}
	pool := sql.OpenDB(connectorFor(config, "sqlite", sqliteConnector{plain.Driver(), dsn}))
	return pool, plain.Close()
}

type sqliteConnector struct {
	driver driver.Driver
	dsn    string
}

func (c sqliteConnector) Connect(context.Context) (driver.Conn, error) { return c.driver.Open(c.dsn) }

func (c sqliteConnector) Driver() driver.Driver { return c.driver }

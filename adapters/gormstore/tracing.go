package gormstore

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"gorm.io/gorm"
	"modernc.org/sqlite"
)

// Tracer traces the statements of a database; adapters/telemetry implements it.
type Tracer interface {
	// WrapConnector wraps the driver's connector. system is "sqlite" or "postgresql".
	WrapConnector(system string, next driver.Connector) driver.Connector
	// Traceparent returns the trace context of ctx; see Traceparent below.
	Traceparent(ctx context.Context) string
}

// Option configures Open.
type Option func(*gorm.Config)

// WithTracer traces all statements with t.
func WithTracer(t Tracer) Option {
	return func(c *gorm.Config) { c.Plugins = map[string]gorm.Plugin{tracerPlugin{}.Name(): tracerPlugin{t}} }
}

// Traceparent returns the W3C Trace Context of tx, to be stored with work that continues
// the trace later. It is empty without a tracer.
func Traceparent(tx *gorm.DB) string {
	if t, ok := tx.Plugins[tracerPlugin{}.Name()].(tracerPlugin); ok {
		return t.Traceparent(tx.Statement.Context)
	}
	return ""
}

// tracerPlugin attaches the tracer to a gorm.DB.
type tracerPlugin struct{ Tracer }

// Name implements gorm.Plugin.
func (tracerPlugin) Name() string { return "octavo:tracer" }

// Initialize implements gorm.Plugin.
func (tracerPlugin) Initialize(*gorm.DB) error { return nil }

// connectorFor returns next, wrapped by the tracer if there is one.
func connectorFor(config *gorm.Config, system string, next driver.Connector) driver.Connector {
	if t, ok := config.Plugins[tracerPlugin{}.Name()].(tracerPlugin); ok {
		return t.WrapConnector(system, next)
	}
	return next
}

// openSQLitePool is sql.Open with the tracer.
func openSQLitePool(config *gorm.Config, dsn string) (*sql.DB, error) {
	connector, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connectorFor(config, "sqlite", connector)), nil
}

package telemetry

import (
	"context"
	"database/sql/driver"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

// Connector follows the statements of a database: system is "sqlite" or
// "postgresql". Only what belongs to a request or a message is followed, so that
// polls make no traces. The span of a query ends with its first row.
func (t *Tracing) Connector(system string, next driver.Connector) driver.Connector {
	if t == nil {
		return next
	}
	return connector{next, statements{t.tracer, attribute.String("db.system.name", system)}}
}

// Step follows one command to a store such as Redis until the function it gives
// is called.
func (t *Tracing) Step(ctx context.Context, system, command string) (context.Context, func(error)) {
	if t == nil || !trace.SpanFromContext(ctx).IsRecording() {
		return ctx, func(error) {}
	}
	ctx, span := t.tracer.Start(ctx, command, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String("db.system.name", system)))
	return ctx, func(err error) { end(span, err) }
}

// statements begins the spans of statements.
type statements struct {
	tracer trace.Tracer
	system attribute.KeyValue
}

// longest bounds the text of a statement in a span, in bytes.
const longest = 4096

func (s statements) begin(ctx context.Context, text string) (context.Context, trace.Span) {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return ctx, trace.SpanFromContext(nil) //nolint:staticcheck // one that does nothing
	}
	text = text[:min(len(text), longest)]
	operation, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	operation, _, _ = strings.Cut(operation, "\n")
	return s.tracer.Start(ctx, strings.ToUpper(operation), trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(s.system, attribute.String("db.query.text", text)))
}

type connector struct {
	driver.Connector
	statements
}

// full is what both drivers' connections do.
type full interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.ConnBeginTx
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
}

// Connect implements driver.Connector.
func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if f, ok := conn.(full); ok {
		return connection{f, c.statements}, nil
	}
	return conn, nil
}

type connection struct {
	full
	statements
}

// PrepareContext implements driver.ConnPrepareContext.
func (c connection) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	s, err := c.full.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	if f, ok := s.(fullStatement); ok {
		return prepared{f, c.statements, query}, nil
	}
	return s, nil
}

// ExecContext implements driver.ExecerContext.
func (c connection) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	ctx, span := c.begin(ctx, query)
	result, err := c.full.ExecContext(ctx, query, args)
	end(span, err)
	return result, err
}

// QueryContext implements driver.QueryerContext.
func (c connection) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	ctx, span := c.begin(ctx, query)
	rows, err := c.full.QueryContext(ctx, query, args)
	end(span, err)
	return rows, err
}

// BeginTx implements driver.ConnBeginTx.
func (c connection) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	within, span := c.begin(ctx, "BEGIN")
	tx, err := c.full.BeginTx(within, o)
	end(span, err)
	if err != nil {
		return nil, err
	}
	return transaction{tx, c.statements, ctx}, nil
}

// IsValid implements driver.Validator.
func (c connection) IsValid() bool {
	v, ok := c.full.(driver.Validator)
	return !ok || v.IsValid()
}

// CheckNamedValue implements driver.NamedValueChecker.
func (c connection) CheckNamedValue(v *driver.NamedValue) error {
	if checker, ok := c.full.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(v)
	}
	return driver.ErrSkip
}

type transaction struct {
	driver.Tx
	statements
	ctx context.Context //nolint:containedctx // a commit belongs to what began the transaction
}

// Commit implements driver.Tx.
func (t transaction) Commit() error {
	_, span := t.begin(t.ctx, "COMMIT")
	err := t.Tx.Commit()
	end(span, err)
	return err
}

// fullStatement is what both drivers' statements do.
type fullStatement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

type prepared struct {
	fullStatement
	statements
	query string
}

// ExecContext implements driver.StmtExecContext.
func (p prepared) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	ctx, span := p.begin(ctx, p.query)
	result, err := p.fullStatement.ExecContext(ctx, args)
	end(span, err)
	return result, err
}

// QueryContext implements driver.StmtQueryContext.
func (p prepared) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	ctx, span := p.begin(ctx, p.query)
	rows, err := p.fullStatement.QueryContext(ctx, args)
	end(span, err)
	return rows, err
}

package telemetry

import (
	"context"
	"database/sql/driver"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
)

// WrapConnector wraps a database driver with a span for each statement. system is
// "sqlite" or "postgresql". Statements outside a trace get no span, so polling
// creates no traces. The span of a query ends with its first row.
func (t *Tracing) WrapConnector(system string, next driver.Connector) driver.Connector {
	if t == nil {
		return next
	}
	return connector{next, statementTracer{t.tracer, attribute.String("db.system.name", system)}}
}

// StartSpan starts a span for one command to a store such as Redis. The returned
// function ends it.
func (t *Tracing) StartSpan(ctx context.Context, system, command string) (context.Context, func(error)) {
	if t == nil || !trace.SpanFromContext(ctx).IsRecording() {
		return ctx, func(error) {}
	}
	ctx, span := t.tracer.Start(ctx, command, trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(attribute.String("db.system.name", system)))
	return ctx, func(err error) { endSpan(span, err) }
}

// statementTracer starts the spans of SQL statements.
type statementTracer struct {
	tracer trace.Tracer
	system attribute.KeyValue
}

// maxQueryText bounds the text of a statement in a span, in bytes.
const maxQueryText = 4096

func (s statementTracer) startSpan(ctx context.Context, text string) (context.Context, trace.Span) {
	if !trace.SpanFromContext(ctx).IsRecording() {
		return ctx, trace.SpanFromContext(nil) //nolint:staticcheck // a span that does nothing
	}
	text = text[:min(len(text), maxQueryText)]
	operation, _, _ := strings.Cut(strings.TrimSpace(text), " ")
	operation, _, _ = strings.Cut(operation, "\n")
	return s.tracer.Start(ctx, strings.ToUpper(operation), trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(s.system, attribute.String("db.query.text", text)))
}

type connector struct {
	driver.Connector
	statementTracer
}

// fullConn lists the interfaces that the connections of both drivers implement.
type fullConn interface {
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
	if f, ok := conn.(fullConn); ok {
		return connection{f, c.statementTracer}, nil
	}
	return conn, nil
}

type connection struct {
	fullConn
	statementTracer
}

// PrepareContext implements driver.ConnPrepareContext.
func (c connection) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	s, err := c.fullConn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	if f, ok := s.(fullStatement); ok {
		return prepared{f, c.statementTracer, query}, nil
	}
	return s, nil
}

// ExecContext implements driver.ExecerContext.
func (c connection) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	ctx, span := c.startSpan(ctx, query)
	result, err := c.fullConn.ExecContext(ctx, query, args)
	endSpan(span, err)
	return result, err
}

// QueryContext implements driver.QueryerContext.
func (c connection) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	ctx, span := c.startSpan(ctx, query)
	rows, err := c.fullConn.QueryContext(ctx, query, args)
	endSpan(span, err)
	return rows, err
}

// BeginTx implements driver.ConnBeginTx.
func (c connection) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	within, span := c.startSpan(ctx, "BEGIN")
	tx, err := c.fullConn.BeginTx(within, o)
	endSpan(span, err)
	if err != nil {
		return nil, err
	}
	return transaction{tx, c.statementTracer, ctx}, nil
}

// IsValid implements driver.Validator.
func (c connection) IsValid() bool {
	v, ok := c.fullConn.(driver.Validator)
	return !ok || v.IsValid()
}

// CheckNamedValue implements driver.NamedValueChecker.
func (c connection) CheckNamedValue(v *driver.NamedValue) error {
	if checker, ok := c.fullConn.(driver.NamedValueChecker); ok {
		return checker.CheckNamedValue(v)
	}
	return driver.ErrSkip
}

type transaction struct {
	driver.Tx
	statementTracer
	ctx context.Context //nolint:containedctx // Commit has no context of its own
}

// Commit implements driver.Tx.
func (t transaction) Commit() error {
	_, span := t.startSpan(t.ctx, "COMMIT")
	err := t.Tx.Commit()
	endSpan(span, err)
	return err
}

// fullStatement lists the interfaces that the statements of both drivers implement.
type fullStatement interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

type prepared struct {
	fullStatement
	statementTracer
	query string
}

// ExecContext implements driver.StmtExecContext.
func (p prepared) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	ctx, span := p.startSpan(ctx, p.query)
	result, err := p.fullStatement.ExecContext(ctx, args)
	endSpan(span, err)
	return result, err
}

// QueryContext implements driver.StmtQueryContext.
func (p prepared) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	ctx, span := p.startSpan(ctx, p.query)
	rows, err := p.fullStatement.QueryContext(ctx, args)
	endSpan(span, err)
	return rows, err
}

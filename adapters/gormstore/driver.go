package gormstore

import (
	"context"
	"database/sql/driver"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5/stdlib"
)

// connector explains every failure of Postgres itself, wherever in a statement it
// shows: no store has to think of it, and no caller takes it for a fault of the
// program.
type connector struct{ driver.Connector }

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return connection{conn.(*stdlib.Conn)}, nil
}

type connection struct{ *stdlib.Conn }

func (c connection) Ping(ctx context.Context) error { return Explain(c.Conn.Ping(ctx)) }

func (c connection) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	s, err := c.Conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, Explain(err)
	}
	return statement{s.(*stdlib.Stmt)}, nil
}

func (c connection) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	r, err := c.Conn.ExecContext(ctx, query, args)
	return r, Explain(err)
}

func (c connection) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	return explainedRows(c.Conn.QueryContext(ctx, query, args))
}

func (c connection) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	tx, err := c.Conn.BeginTx(ctx, o)
	if err != nil {
		return nil, Explain(err)
	}
	return explainedTx{tx}, nil
}

type explainedTx struct{ driver.Tx }

func (t explainedTx) Commit() error { return Explain(t.Tx.Commit()) }

type statement struct{ *stdlib.Stmt }

func (s statement) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	r, err := s.Stmt.ExecContext(ctx, args)
	return r, Explain(err)
}

func (s statement) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	return explainedRows(s.Stmt.QueryContext(ctx, args))
}

type rows struct{ *stdlib.Rows }

func (r rows) Next(dest []driver.Value) error {
	err := r.Rows.Next(dest)
	if err == io.EOF { //nolint:errorlint // the end of the rows, as database/sql wants it
		return err
	}
	return Explain(err)
}

func explainedRows(r driver.Rows, err error) (driver.Rows, error) {
	if err != nil {
		return nil, Explain(err)
	}
	return rows{r.(*stdlib.Rows)}, nil
}

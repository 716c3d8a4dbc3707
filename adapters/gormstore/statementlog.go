package gormstore

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// slowStatement is the duration from which a statement is logged.
const slowStatement = 500 * time.Millisecond

// statementLog logs GORM's messages to slog, never with values, which contain addresses
// and hashes.
type statementLog struct{ log *slog.Logger }

func (l statementLog) LogMode(logger.LogLevel) logger.Interface { return l }

func (l statementLog) Info(ctx context.Context, format string, _ ...any) {
	l.log.InfoContext(ctx, "gorm", "message", format)
}

func (l statementLog) Warn(ctx context.Context, format string, _ ...any) {
	l.log.WarnContext(ctx, "gorm", "message", format)
}

func (l statementLog) Error(ctx context.Context, format string, _ ...any) {
	l.log.ErrorContext(ctx, "gorm", "message", format)
}

// Trace logs slow statements. Errors are left to the caller, because a unique violation or
// a missing row is often the expected result.
func (l statementLog) Trace(ctx context.Context, begin time.Time, statement func() (string, int64), err error) {
	took := time.Since(begin)
	if took < slowStatement || errors.Is(err, context.Canceled) {
		return
	}
	text, rows := statement()
	l.log.WarnContext(ctx, "slow statement", "sql", text, "rows", rows, "took", took.String())
}

// ParamsFilter removes the values from every logged statement.
func (l statementLog) ParamsFilter(_ context.Context, statement string, _ ...any) (string, []any) {
	return statement, nil
}

// zeroClock replaces GORM's clock. Times come from the use cases; if one is forgotten, the
// zero time in the row shows it.
func zeroClock() time.Time { return time.Time{} }

var _ gorm.ParamsFilter = statementLog{}

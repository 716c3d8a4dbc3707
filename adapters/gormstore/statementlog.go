package gormstore

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/logger"
)

// slowStatement is when a statement is worth a line of its own.
const slowStatement = 500 * time.Millisecond

// statementLog writes what GORM has to say to slog, never with values: they hold
// addresses and hashes.
type statementLog struct{ log *slog.Logger }

func (l statementLog) LogMode(logger.LogLevel) logger.Interface { return l }

func (l statementLog) Info(ctx context.Context, format string, _ ...any) {
	l.log.InfoContext(ctx, "gorm says", "message", format)
}

func (l statementLog) Warn(ctx context.Context, format string, _ ...any) {
	l.log.WarnContext(ctx, "gorm says", "message", format)
}

func (l statementLog) Error(ctx context.Context, format string, _ ...any) {
	l.log.ErrorContext(ctx, "gorm says", "message", format)
}

// Trace notes slow statements. A failure is the caller's to judge and to log:
// a unique violation or a row that is not there is often the expected answer.
func (l statementLog) Trace(ctx context.Context, begin time.Time, statement func() (string, int64), err error) {
	took := time.Since(begin)
	if took < slowStatement || errors.Is(err, context.Canceled) {
		return
	}
	text, rows := statement()
	l.log.WarnContext(ctx, "slow statement", "sql", text, "rows", rows, "took", took.String())
}

// ParamsFilter keeps the values out of every statement that is explained.
func (l statementLog) ParamsFilter(_ context.Context, statement string, _ ...any) (string, []any) {
	return statement, nil
}

// noClock stands in for GORM's clock: times come from the use cases, and a
// zero time in a row is a bug that is seen at once.
func noClock() time.Time { return time.Time{} }

var _ gorm.ParamsFilter = statementLog{}

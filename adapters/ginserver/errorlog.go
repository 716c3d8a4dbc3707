package ginserver

import (
	"bytes"
	"context"
	"log" //nolint:depguard // net/http takes no other
	"log/slog"
)

// newErrorLog logs what net/http reports about connections. Scanners of the internet fail to shake hands
// all day: nobody needs to be warned of them.
func newErrorLog(to *slog.Logger) *log.Logger { return log.New(errorLog{to}, "", 0) }

type errorLog struct{ to *slog.Logger }

// Write implements io.Writer.
func (l errorLog) Write(line []byte) (int, error) {
	level := slog.LevelWarn
	if bytes.HasPrefix(line, []byte("http: TLS handshake error")) || bytes.HasPrefix(line, []byte("http2: ")) {
		level = slog.LevelDebug
	}
	l.to.Log(context.Background(), level, "connection", "error", string(bytes.TrimSpace(line)))
	return len(line), nil
}

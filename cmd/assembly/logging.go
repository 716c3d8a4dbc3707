package assembly

import (
	"io"
	"log/slog"
	"os"

	"github.com/octavo-books/octavo/adapters/httpkit"
	"github.com/octavo-books/octavo/adapters/telemetry"
	"github.com/octavo-books/octavo/cmd/config"
)

// newLogger writes to w: for people on a terminal, else as JSON for a collector.
// Lines of a request bear its id, and its trace's where it has one.
func newLogger(s config.WatchingSettings, w io.Writer) *slog.Logger {
	var level slog.Level
	_ = level.UnmarshalText([]byte(s.LogLevel)) // Validate has looked at it
	options := &slog.HandlerOptions{Level: level}
	var h slog.Handler = slog.NewJSONHandler(w, options)
	if s.LogFormat == "text" || s.LogFormat == "" && isTerminal(w) {
		h = slog.NewTextHandler(w, options)
	}
	return slog.New(httpkit.LogHandler{Handler: telemetry.LogHandler{Handler: h}})
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

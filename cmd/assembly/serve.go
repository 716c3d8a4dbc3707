// Package assembly fills the ports of the use cases with adapters and runs the program. It
// alone knows fx.
package assembly

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/octavo-books/octavo/adapters/ginserver"
	"github.com/octavo-books/octavo/adapters/operations"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/config/banner"
	"github.com/octavo-books/octavo/cmd/config/misspelt"
	"github.com/octavo-books/octavo/cmd/doctor"
	"github.com/octavo-books/octavo/cmd/sources"
	"go.uber.org/dig"
	"go.uber.org/fx"
)

const startTimeout = 60 * time.Second

// Serve runs the named components until ctx ends, and then finishes the requests in flight. It
// prints the banner to out and logs to logTo.
func Serve(ctx context.Context, s config.Settings, names []string, out, logTo io.Writer) (err error) {
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP) // before any file is read: an unhandled SIGHUP ends a program
	defer signal.Stop(hangup)
	parts, err := config.ParseComponents(names)
	if err != nil {
		return err
	}
	if err := s.Validate(parts); err != nil {
		return err
	}
	if err := s.MakeDataDir(); err != nil {
		return err
	}
	release, err := s.LockForServing(parts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	l, err := s.Listen(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }() // the server may have closed it already
	public, err := s.ListenPublicly(ctx, parts)
	if err != nil {
		return err
	}
	defer public.Close()
	return serveOn(ctx, hangup, l, public, s, parts, out, operations.RememberFaults(s.NewLogger(logTo)))
}

// serveOn serves on a listener, and at the public ports of HTTPS=auto, until ctx ends.
func serveOn(
	ctx context.Context, hangup <-chan os.Signal, l net.Listener, public config.PublicPorts, s config.Settings, parts config.Components,
	out io.Writer, log *slog.Logger,
) error {
	if err := logMismatches(ctx, &s, parts, log); err != nil {
		return unlessStopped(ctx, err, log)
	}
	tracing, err := config.NewTracing(ctx, out, log)
	if err != nil {
		return err
	}
	life := newLifetime(ctx)
	defer life.end()
	var serving served
	app := fx.New(appGraph(life, s, parts, l, log, tracing), autoHTTPS(s, public), fx.Populate(&serving))
	if err := start(ctx, app); err != nil {
		return unlessStopped(ctx, err, log)
	}
	system.TuneMemory(ctx)
	banner.PrintDevelopment(&s, out)
	banner.Print(&s, out, parts, l.Addr())
	for _, m := range misspelt.Find(&s, os.Environ()) {
		log.Warn("a variable of the environment is no setting and is ignored", "variable", m.Name, "meant", m.Meant)
	}
	failed := serving.wait(ctx, hangup, log)
	life.end()
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	return errors.Join(failed, inTime(app.Stop(stopping), log), inTime(tracing.Close(stopping), log))
}

// logMismatches is bounded in time: a database server may hang.
func logMismatches(ctx context.Context, s *config.Settings, parts config.Components, log *slog.Logger) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	return doctor.LogMismatches(ctx, s, parts, log)
}

// inTime turns a missed deadline into a warning, so that the program exits with 0 even if
// something hangs. Nothing is lost: the work resumes after the next start.
func inTime(err error, log *slog.Logger) error {
	if errors.Is(err, context.DeadlineExceeded) {
		log.Warn("exiting although not everything has stopped", "error", err)
		return nil
	}
	return err
}

// unlessStopped logs the error of a start that a signal interrupted instead of returning it:
// the program was asked to stop, so it exits with 0.
func unlessStopped(ctx context.Context, err error, log *slog.Logger) error {
	if ctx.Err() == nil {
		return err
	}
	log.Info("stopped while starting", "cause", err)
	return nil
}

// start starts the app and, if that fails, stops its started parts. A signal does not cancel
// the hooks, because fx would not close what they have opened; slow hooks watch the lifetime.
// Its error is without fx's description of the graph.
func start(ctx context.Context, app *fx.App) error {
	if err := app.Err(); err != nil {
		return dig.RootCause(err)
	}
	starting, cancel := context.WithTimeout(context.WithoutCancel(ctx), startTimeout)
	defer cancel()
	if err := app.Start(starting); err != nil {
		return dig.RootCause(err)
	}
	return nil
}

// served is what the program watches while it serves.
type served struct {
	fx.In
	Server  *ginserver.Server
	Sources *sources.Sources `optional:"true"` // nil without webhooks
}

// wait returns when the program is asked to stop or the server fails. At each signal it reads the rules and secrets
// of webhooks again.
func (s served) wait(ctx context.Context, hangup <-chan os.Signal, log *slog.Logger) error {
	for {
		select {
		case <-hangup:
			if s.Sources == nil {
				log.Info("SIGHUP: there is nothing to read again, because no webhooks are served here")
				continue
			}
			s.Sources.Reload(ctx)
		case <-ctx.Done():
			log.Info("stopping: finishing requests in flight")
			return nil
		case err := <-s.Server.Failed():
			return fmt.Errorf("serve: %w", err)
		}
	}
}

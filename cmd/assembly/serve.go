package assembly

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"time"

	"github.com/octavo-books/octavo/adapters/ginserver"
	"github.com/octavo-books/octavo/adapters/telemetry"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/cmd/doctor"
	"go.uber.org/dig"
	"go.uber.org/fx"
	"go.uber.org/fx/fxevent"
)

const startTimeout = 60 * time.Second

// Serve runs the named components until ctx ends, and then finishes what is in
// flight. out gets what a person wants to know, logTo the log. A refused setting
// is an config.ErrSetting.
func Serve(ctx context.Context, s config.Settings, names []string, out, logTo io.Writer) (err error) {
	parts, err := config.ParseComponents(names)
	if err != nil {
		return err
	}
	if err := s.Prepare(); err != nil {
		return err
	}
	if err := parts.Check(&s); err != nil {
		return err
	}
	release, err := serveAlone(&s, parts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	l, err := listen(ctx, &s)
	if err != nil {
		return err
	}
	defer func() { _ = l.Close() }() // a second time, when the server has closed it
	log := newLogger(s.Watching, logTo)
	if err := logMismatches(ctx, &s, parts, log); err != nil {
		return err
	}
	tracing, err := newTracing(ctx, out, log)
	if err != nil {
		return err
	}
	var server *ginserver.Server
	var life lifetime
	app := fx.New(graphOf(s, parts, l, log, tracing), fx.Populate(&server, &life))
	if err := start(ctx, app); err != nil {
		return err
	}
	settleHeap()
	greet(out, s, parts, l)
	if s.Production() && parts.Identity() && s.Server.BaseURL == "http://"+s.LocalAddress(l.Addr()) {
		log.Warn("BASE_URL is not set: links in mails lead to where this program listens", "base_url", s.Server.BaseURL)
	}
	failed := wait(ctx, server, log)
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

// inTime lets the program end well though something hangs: nothing is lost by that, it
// only goes on after the next start.
func inTime(err error, log *slog.Logger) error {
	if errors.Is(err, context.DeadlineExceeded) {
		log.Warn("not everything had ended when the program did", "error", err)
		return nil
	}
	return err
}

// start undoes what had begun when something fails.
func start(ctx context.Context, app *fx.App) error {
	if err := app.Err(); err != nil {
		return plain(err)
	}
	starting, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	if err := app.Start(starting); err != nil {
		return plain(err)
	}
	return nil
}

// plain takes off what fx says about its own works: the operator wants the cause.
func plain(err error) error { return dig.RootCause(err) }

func wait(ctx context.Context, server *ginserver.Server, log *slog.Logger) error {
	select {
	case <-ctx.Done():
		log.Info("stopping: finishing what is in flight")
		return nil
	case err := <-server.Failed():
		return fmt.Errorf("serve: %w", err)
	}
}

// greet says where to go next.
func greet(out io.Writer, s config.Settings, parts config.Components, l net.Listener) {
	base, own := s.Server.BaseURL, "http://"+s.LocalAddress(l.Addr())
	_, _ = fmt.Fprintf(out, "Octavo serves %s. Listening on %s\n", parts, own)
	lines := []struct {
		on         bool
		what, path string
	}{
		{parts.Market, "marketplace", "/"},
		{parts.Market, "its JSON API", "/api/docs"},
		{parts.Auth, "auth service", "/graphql"},
		{parts.Webhooks, "webhooks", s.Webhooks.Path},
		{parts.Identity() && s.DevMailbox(), "mails sent", "/dev/mail"},
	}
	for _, l := range lines {
		if l.on {
			_, _ = fmt.Fprintf(out, "  %-13s %s%s\n", l.what, base, l.path)
		}
	}
	_, _ = fmt.Fprintf(out, "  %-13s %s/readyz\n", "readiness", own) // a balancer would ask any replica
}

// graphOf is everything that the components need, with what starts and stops it.
func graphOf(s config.Settings, parts config.Components, l net.Listener, log *slog.Logger, tracing *telemetry.Tracing) fx.Option {
	return fx.Options(
		core(s, parts, log, tracing),
		fx.Provide(func() net.Listener { return l }, newLifetime, newBackground),
		courierAtWork(s, parts), sessionsWatched(s, parts), housekeeping(parts), graphEdge(parts), marketEdge(parts), pagesEdge(parts), webhookEdge(parts), watching(), profiling(s), server(parts),
	)
}

// core is what the components are without their edges.
func core(s config.Settings, parts config.Components, log *slog.Logger, tracing *telemetry.Tracing) fx.Option {
	return fx.Options(
		fx.WithLogger(func() fxevent.Logger {
			quiet := &fxevent.SlogLogger{Logger: log}
			quiet.UseLogLevel(slog.LevelDebug)
			quiet.UseErrorLevel(slog.LevelDebug) // what fails is returned, and said once
			return quiet
		}),
		fx.StartTimeout(startTimeout), fx.StopTimeout(stopTimeout),
		fx.Supply(&s, parts, log, tracing),
		machine(), storage(s, parts), identity(s, parts), mails(s, parts), marketplace(parts),
	)
}

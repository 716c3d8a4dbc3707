package assembly

import (
	"context"
	"log/slog"
	"time"

	"go.uber.org/fx"
)

const (
	// stopTimeout is how long stopping may take: the process must have exited within
	// ten seconds.
	stopTimeout = 9500 * time.Millisecond
	// closeTime is the part of it that is reserved for closing databases and connections,
	// and again for storing the outcome of aborted requests.
	closeTime = time.Second
)

// lifetime ends as soon as the program gets a signal to stop, even while it starts. fx stops
// one component after another; slow ones must begin to stop at once, or their times add up.
type lifetime struct {
	context.Context //nolint:containedctx // fx needs a type of its own for this context
	end             context.CancelFunc
}

func newLifetime(asked context.Context) lifetime {
	ctx, cancel := context.WithCancel(asked)
	return lifetime{ctx, cancel}
}

// background runs the jobs beside the requests.
type background struct {
	lc   fx.Lifecycle
	life lifetime
	log  *slog.Logger
}

func newBackground(lc fx.Lifecycle, life lifetime, log *slog.Logger) background {
	return background{lc, life, log}
}

// Run runs a job from the start until the program gets a signal to stop. The dependencies of
// the job are stopped after it has returned.
func (b background) Run(what string, run func(context.Context)) { b.until(b.life, what, run) }

// RunToTheEnd runs a job until everything that depends on it has stopped, for jobs that
// requests in flight still need.
func (b background) RunToTheEnd(what string, run func(context.Context)) {
	b.until(context.Background(), what, run)
}

func (b background) until(stopped context.Context, what string, run func(context.Context)) {
	ctx, cancel := context.WithCancel(stopped)
	done := make(chan struct{})
	b.lc.Append(fx.Hook{
		OnStart: func(context.Context) error {
			go func() {
				defer close(done)
				run(ctx)
			}()
			return nil
		},
		OnStop: func(stopping context.Context) error {
			cancel()
			waiting, enough := beforeClosing(stopping)
			defer enough()
			select {
			case <-done:
			case <-waiting.Done():
				b.log.Warn("exiting although a job has not ended", "job", what)
			}
			return nil
		},
	})
}

// beforeClosing bounds the waiting, so that closeTime is left.
func beforeClosing(stopping context.Context) (context.Context, context.CancelFunc) {
	deadline, bounded := stopping.Deadline()
	if !bounded {
		return context.WithCancel(stopping)
	}
	return context.WithDeadline(stopping, deadline.Add(-closeTime))
}

// closed is a constructor whose value is closed after everything that uses it has stopped.
func closed(constructor, closing any) any { return fx.Annotate(constructor, fx.OnStop(closing)) }

// run runs a job of something that the graph has, as background.Run does.
func run[T any](what string, job func(T, context.Context)) fx.Option {
	return fx.Invoke(func(b background, of T) { b.Run(what, func(ctx context.Context) { job(of, ctx) }) })
}

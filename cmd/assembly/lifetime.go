package assembly

import (
	"context"
	"log/slog"
	"time"

	"go.uber.org/fx"
)

const (
	// stopTimeout is what stopping may take, so that the process has ended within the
	// ten seconds that who stops it gives it.
	stopTimeout = 9500 * time.Millisecond
	// closeTime is left of that for closing databases and connections, and as much for
	// storing what became of the requests that were cut off.
	closeTime = time.Second
)

// lifetime ends when the program is told to stop. fx stops one part after the
// other; what takes its time must know at once, or the times add up.
type lifetime struct {
	context.Context //nolint:containedctx // a context is what it is
	end             context.CancelFunc
}

func newLifetime() lifetime {
	ctx, cancel := context.WithCancel(context.Background())
	return lifetime{ctx, cancel}
}

// background runs what goes on behind the requests.
type background struct {
	lc   fx.Lifecycle
	life lifetime
	log  *slog.Logger
}

func newBackground(lc fx.Lifecycle, life lifetime, log *slog.Logger) background {
	return background{lc, life, log}
}

// Run runs from the start until the program is told to stop, and has what it stands
// on wait for it to return.
func (b background) Run(what string, run func(context.Context)) { b.until(b.life, what, run) }

// RunToTheEnd runs until what stands on it has stopped: it serves requests that are
// still in flight.
func (b background) RunToTheEnd(what string, run func(context.Context)) {
	b.until(context.Background(), what, run)
}

func (b background) until(told context.Context, what string, run func(context.Context)) {
	ctx, cancel := context.WithCancel(told)
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
				b.log.Warn("this had not ended when the program did", "what", what)
			}
			return nil
		},
	})
}

// beforeClosing is the part of stopping that is for waiting.
func beforeClosing(stopping context.Context) (context.Context, context.CancelFunc) {
	deadline, bounded := stopping.Deadline()
	if !bounded {
		return context.WithCancel(stopping)
	}
	return context.WithDeadline(stopping, deadline.Add(-closeTime))
}

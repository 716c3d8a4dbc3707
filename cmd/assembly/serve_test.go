package assembly

import (
	"context"
	"io"
	"sync/atomic"
	"testing"

	"github.com/octavo-books/octavo/test/settings"
)

// countdown is a context that ends after a number of calls of Done. It simulates a
// signal at a certain step of the start.
type countdown struct {
	context.Context //nolint:containedctx // it is a context
	end             context.CancelFunc
	left            atomic.Int64
}

func newCountdown(t *testing.T, steps int64) *countdown {
	ctx, cancel := context.WithCancel(t.Context())
	c := &countdown{Context: ctx, end: cancel}
	c.left.Store(steps)
	return c
}

func (c *countdown) Done() <-chan struct{} {
	if c.left.Add(-1) < 0 {
		c.end()
	}
	return c.Context.Done()
}

// stopOnBanner is a banner that stops the program when it is printed.
type stopOnBanner struct {
	end     context.CancelFunc
	printed bool
}

func (b *stopOnBanner) Write(p []byte) (int, error) {
	b.printed = true
	b.end()
	return len(p), nil
}

func TestASignalAtAnyMomentOfTheStartEndsTheProgramWithoutAnError(t *testing.T) {
	s := settings.Default(t)
	for steps := int64(0); ; steps++ {
		ctx := newCountdown(t, steps)
		banner := &stopOnBanner{end: ctx.end}
		if err := Serve(ctx, s, []string{"auth", "market", "webhooks"}, banner, io.Discard); err != nil {
			t.Fatalf("after %d steps: %v", steps, err)
		}
		if banner.printed {
			t.Logf("the start has %d steps", steps)
			return
		}
	}
}

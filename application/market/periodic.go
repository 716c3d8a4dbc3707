package market

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/domain/job"
)

// Periodic is work that a room does again and again, in one process at a time.
type Periodic struct {
	Name  job.Kind
	Every time.Duration // between the end of one run and the next
	// Do returns how much it did. A run repeats it until that is less than Batch; 0: does it once.
	Do    func(context.Context) (int, error)
	Batch int
}

// Once is for work that does not say how much it did.
func Once(do func(context.Context) error) func(context.Context) (int, error) {
	return func(ctx context.Context) (int, error) { return 0, do(ctx) }
}

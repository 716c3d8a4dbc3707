package push_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/message"
)

// BenchmarkAMailOfAnotherProcess measures how long after its commit a mail of one process is in the
// hands of another's relay.
func BenchmarkAMailOfAnotherProcess(b *testing.B) {
	at := migrated(b)
	one, two, arrived := start(b, at, time.Hour), start(b, at, time.Hour), make(arrivals, 1)
	two.relay(arrived)
	var took []time.Duration
	for id := int64(1); b.Loop(); id++ {
		one.mail(id)
		committed := time.Now()
		took = append(took, max(0, (<-arrived).Sub(committed)))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds())/1000, "p99-ms")
}

// arrivals has the times at which mails arrived.
type arrivals chan time.Time

func (a arrivals) PublishMessages(_ context.Context, all []message.Message) []error {
	a <- time.Now()
	return make([]error, len(all))
}

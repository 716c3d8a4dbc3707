package assembly

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/application/work"
	"github.com/octavo-books/octavo/domain/job"
)

// identitySweeps are the periodic work of each process with accounts.
func identitySweeps(a *authrooms.Auth, r *mailer.Relay, s *workstore.Store, c system.Clock) []work.Kind {
	return []work.Kind{
		work.Periodic("delete_expired", 10*time.Minute, a.Housekeeping.DeleteExpired),
		work.Periodic("delete_old_mails", time.Hour, r.DeleteOldMessages),
		work.DeleteDead(s, c),
	}
}

// marketWork is the background work of the market: the jobs that its rooms do, and what they do again
// and again. Posts and sales fragment the search index, which is merged.
func marketWork(m *rooms.Market, s *marketstore.Store) []work.Kind {
	all := []work.Kind{work.Periodic("merge_search_index", 10*time.Minute, s.MergeSearchIndex)}
	for _, kind := range m.Jobs.Kinds() {
		all = append(all, work.Jobs(kind, func(ctx context.Context) (job.Job, bool, error) { return m.Jobs.Take(ctx, kind) }))
	}
	for _, p := range m.Periodic() {
		all = append(all, work.Periodic(p.Name, p.Every, work.InBatches(p.Batch, p.Do)))
	}
	return all
}

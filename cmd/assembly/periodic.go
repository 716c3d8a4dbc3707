package assembly

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/application/work"
	"github.com/octavo-books/octavo/domain/job"
)

// identitySweeps are the periodic work of each process with accounts.
func identitySweeps(a *auth.Services, r *mailer.Relay, s *workstore.Store, c system.Clock) []work.Kind {
	return []work.Kind{
		work.Periodic("delete_expired", 10*time.Minute, a.Housekeeping.DeleteExpired),
		work.Periodic("delete_old_mails", time.Hour, r.DeleteOldMessages),
		work.DeleteDead(s, c),
	}
}

// marketJobs are the jobs of the market.
func marketJobs(m *rooms.Market) []work.Kind {
	var all []work.Kind
	for _, kind := range m.Jobs.Kinds() {
		all = append(all, work.Jobs(kind, func(ctx context.Context) (job.Job, bool, error) { return m.Jobs.Take(ctx, kind) }))
	}
	return all
}

// marketSweeps are the periodic work of the market. Posts and sales fragment the search index, which
// is merged.
func marketSweeps(m *rooms.Market, s *marketstore.Store) []work.Kind {
	return []work.Kind{
		work.Periodic("lapse_orders", m.OrderSweeper.Every(), m.OrderSweeper.Sweep),
		work.Periodic("mail_searches", time.Minute, work.InBatches(finding.SearchMailBatch, m.SearchMailer.MailDue)),
		work.Periodic("mail_digests", time.Minute, work.InBatches(market.DigestBatch, m.DigestMailer.MailDue)),
		work.Periodic("delete_photos", 5*time.Minute, uncounted(m.PhotoSweeper.Sweep)),
		work.Periodic("measure_photos", 5*time.Minute, m.PhotoSweeper.Measure),
		work.Periodic("merge_search_index", 10*time.Minute, s.MergeSearchIndex),
		work.Periodic("delete_conversations", time.Hour, uncounted(m.ConversationSweeper.Sweep)),
		work.Periodic("delete_reports", time.Hour, uncounted(m.Reports.DeleteOld)),
		work.Periodic("delete_imports", time.Hour, uncounted(m.Imports.DeleteOld)),
	}
}

// uncounted drops how much was done.
func uncounted(do func(context.Context) (int, error)) func(context.Context) error {
	return func(ctx context.Context) error {
		_, err := do(ctx)
		return err
	}
}

package assembly

import (
	"context"
	"log/slog"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/adapters/metrics"
	"github.com/octavo-books/octavo/adapters/system"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/auth/authrooms"
	"github.com/octavo-books/octavo/application/eventrelay"
	"github.com/octavo-books/octavo/application/inbox/serving"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/application/market/pushing"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/application/work"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/job"
	"go.uber.org/fx"
)

// queueOfWork provides the queue of background work.
func queueOfWork(parts config.Components) fx.Option {
	return when(parts.Identity(), fx.Provide(workstore.New, func(s *workstore.Store, c system.Clock, log *slog.Logger) *work.Board {
		return work.NewBoard(s, c.Now, log)
	}))
}

// asWork adds kinds of work that this process does.
func asWork(constructor any) fx.Option {
	return fx.Provide(fx.Annotate(constructor, fx.ResultTags(`group:"work,flatten"`)))
}

// backgroundWork does the background work while the program serves.
func backgroundWork(parts config.Components) fx.Option {
	return when(parts.Identity(), fx.Options(
		asWork(identityWork),
		fx.Provide(fx.Annotate(newWorker, fx.ParamTags(``, ``, ``, ``, `group:"work"`))),
		run("background work", (*work.Worker).Run),
		fx.Invoke(func(m *metrics.Metrics, s *workstore.Store, c system.Clock) { m.WatchJobs(c.Now, s) }),
		check("jobs", func(s *workstore.Store, ctx context.Context) error { return work.CheckStuck(ctx, s) }),
	))
}

func newWorker(s *workstore.Store, c system.Clock, ids *system.IDs, log *slog.Logger, kinds []work.Kind) *work.Worker {
	return work.NewWorker(work.Deps{Queue: s, Clock: c.Now, IDs: ids.Next, Log: log}, kinds...)
}

// identityWork is the work of each process with accounts.
func identityWork(a *authrooms.Auth, r *mailer.Relay, s *workstore.Store, c system.Clock) []work.Kind {
	return []work.Kind{
		work.Leased(auth.LogoutJob, s, c.Now, func(ctx context.Context, j job.Job) error { return a.Logouts.Tell(ctx, j.Args) }),
		work.Periodic("delete_expired", 10*time.Minute, a.Housekeeping.DeleteExpired),
		work.Periodic("delete_old_mails", time.Hour, r.DeleteOldMessages),
		work.DeleteDead(s, c.Now),
	}
}

// marketWork is the background work of the market: the jobs that its rooms do, some of which wait for other programs, and
// what they do again and again. Posts and sales fragment the search index, which is merged.
func marketWork(m *rooms.Market, s *marketstore.Store, queue *workstore.Store, c system.Clock) []work.Kind {
	pushes := work.Leased(pushing.Job, queue, c.Now, m.Pushes.Send)
	pushes.AtOnce = pushing.AtOnce
	all := []work.Kind{work.Periodic("merge_search_index", 10*time.Minute, s.MergeSearchIndex), pushes}
	for _, kind := range m.Jobs.Kinds() {
		all = append(all, work.Jobs(kind, func(ctx context.Context) (job.Job, bool, error) { return m.Jobs.Take(ctx, kind) }))
	}
	for _, p := range m.Periodic() {
		all = append(all, work.Periodic(p.Name, p.Every, work.InBatches(p.Batch, p.Do)))
	}
	return all
}

// events provides the outbox of events, which other stores write to.
func events(s config.Settings, parts config.Components) fx.Option {
	return when(parts.Identity() || s.RelayEvents(parts), fx.Provide(outboxstore.NewEvents))
}

// eventRelay hands the events to the inbox while the program serves.
func eventRelay(s config.Settings, parts config.Components) fx.Option {
	return when(s.RelayEvents(parts), fx.Options(
		fx.Provide(func(o *outboxstore.Events, i *serving.Service, log *slog.Logger) *eventrelay.Relay {
			return eventrelay.New(o, i.AcceptAll, log)
		}),
		run("handing over events", (*eventrelay.Relay).Run), check("events", (*eventrelay.Relay).Check),
		fx.Invoke(func(m *metrics.Metrics, o *outboxstore.Events, c system.Clock) { m.WatchEvents(c.Now, o.CountEvents) }),
	))
}

// sweepEvents deletes events that no webhook service takes, and logs that.
func sweepEvents(events *outboxstore.Events, log *slog.Logger) account.Sweep {
	return func(ctx context.Context, now time.Time, n int) (int, error) {
		deleted, err := events.DeleteExpired(ctx, now, n)
		if deleted > 0 {
			log.Warn("events that no webhook service took were deleted; serve webhooks, or set WEBHOOK_EVENTS=off", "events", deleted)
		}
		return deleted, err
	}
}

package pairs_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/must"
)

// mostTold bounds the failures of a run: what is wrong between two features is wrong in hundreds of
// combinations.
const mostTold = 200

var told atomic.Int64

// try acts and checks what must hold whatever happened.
func (w *world) try(t *testing.T, p pair) {
	t.Helper()
	p.change.do(t, w, p.action)
	before := w.snapshot(t)
	err := p.action.do(t.Context(), w)
	may := p.action.may(w.role)
	wrong := func(format string, args ...any) {
		t.Errorf("%s: %s", p, fmt.Sprintf(format, args...))
		if told.Add(1) >= mostTold {
			t.Fatal("and so on")
		}
	}
	switch {
	case err == nil && !may && slices.Contains(p.action.never, w.role.as):
		wrong("somebody is on both sides")
	case err == nil && !may:
		wrong("somebody who may not succeeds")
	case err != nil && may && p.change.name == changes[0].name:
		wrong("refused with %v", err)
	case err != nil && may && p.action.keyed && p.change.name == changes[len(changes)-1].name:
		wrong("the repeated call is refused with %v", err)
	case err != nil && !reflect.DeepEqual(before, w.snapshot(t)):
		wrong("a refusal with %v has changed something", err)
	}
	if left := w.runJobs(t, p.fails); left != "" {
		wrong("%s", left)
	}
	if err == nil && p.action.kept != nil {
		if missing := p.action.kept(w); missing != "" {
			wrong("acknowledged, but %s", missing)
		}
	}
	w.check(t, wrong)
}

// check checks that money balances, that every open report is in the queue of the admin of the
// campus at which it was made, and that who waits for a book on sale was told.
func (w *world) check(t *testing.T, wrong func(string, ...any)) {
	t.Helper()
	found, err := w.Ledger.Check(t.Context())
	if err != nil || len(found) > 0 {
		wrong("the ledger does not balance: %+v, %v", found, err)
	}
	all, _ := must.Get2(w.Moderation.ListOpen(t.Context(), w.chief, market.Page{}))(t)
	queue, _ := must.Get2(w.Moderation.ListOpen(t.Context(), w.abel, market.Page{}))(t)
	for _, r := range all {
		if !slices.ContainsFunc(queue, func(q guarding.ReportView) bool { return q.ID == r.ID }) {
			wrong("no admin sees report %d", r.ID)
		}
	}
	for open := len(all); open > 0; open-- { // it decides about all that are about the same
		_, err := w.Moderation.Resolve(t.Context(), w.abel, all[0].ID, report.Dismiss, "")
		if err != nil {
			wrong("no admin can decide about report %d: %v", all[0].ID, err)
		}
		if all, _, err = w.Moderation.ListOpen(t.Context(), w.chief, market.Page{}); err != nil || len(all) == 0 {
			break
		}
	}
	if w.status(w.listed.ID) == book.ForSale && w.hits(w.listed.ID) != 1 {
		wrong("who waits for the listed book was told %d times", w.hits(w.listed.ID))
	}
}

// stumbling loses each job once.
type stumbling struct {
	market.Store
	lost map[int64]bool
}

type stumblingJobs struct {
	market.Stores
	taken *int64
}

func (s stumblingJobs) TakeJob(ctx context.Context, kind job.Kind, now time.Time) (job.Job, bool, error) {
	j, found, err := s.Stores.TakeJob(ctx, kind, now)
	*s.taken = j.ID
	return j, found, err
}

var errStumbled = errors.New("lost once")

func (s stumbling) Atomically(ctx context.Context, do func(context.Context, market.Stores) error) error {
	return s.Store.Atomically(ctx, func(ctx context.Context, in market.Stores) error {
		var taken int64
		if err := do(ctx, stumblingJobs{in, &taken}); err != nil || taken == 0 || s.lost[taken] {
			return err
		}
		s.lost[taken] = true
		return errStumbled
	})
}

// runJobs runs the work until none is left, and returns what is wrong.
func (w *world) runJobs(t *testing.T, fails bool) string {
	t.Helper()
	deps := w.Deps
	if fails {
		deps.Store = stumbling{w.Deps.Store, map[int64]bool{}}
		w.addJob(t, job.Job{ID: w.bad, Kind: contract.FailingJob, Args: "{}"}) // before all other work
	}
	runner := w.NewWorker(deps, slog.New(slog.DiscardHandler))
	for range 1000 {
		found, err := runner.RunOne(t.Context())
		if found {
			continue
		}
		if err != nil {
			return fmt.Sprintf("work stops with %v", err)
		}
		all := must.Get(w.Work.ListJobs(t.Context(), 1000))(t)
		all = slices.DeleteFunc(all, func(j job.Job) bool { return j.Dead })
		if len(all) == 0 {
			return ""
		}
		w.Clock.Set(all[0].DueAt)
	}
	return "work never ends"
}

func (w *world) addJob(t *testing.T, j job.Job) {
	t.Helper()
	must.Do(t, w.Ports.Atomically(t.Context(), func(ctx context.Context, in market.Stores) error { return in.AddJob(ctx, j) }))
}

func (w *world) status(id book.ID) book.Status {
	h, err := w.BookAdmin.History(context.Background(), w.chief, id)
	if err != nil {
		return -1
	}
	return h.Status
}

func (w *world) keptStatus(id book.ID, want book.Status) string {
	if now := w.status(id); now != want {
		return fmt.Sprintf("the book is in status %d, not %d", now, want)
	}
	return ""
}

func (w *world) notStatus(id book.ID, was book.Status) string {
	if w.status(id) == was {
		return fmt.Sprintf("the book is still in status %d", was)
	}
	return ""
}

func (w *world) keptPrice(id book.ID, want money.Amount) string {
	if h, err := w.BookAdmin.History(context.Background(), w.chief, id); err != nil || h.Price != want {
		return fmt.Sprintf("the price is %d, %v", h.Price, err)
	}
	return ""
}

// hits counts the notifications that a saved search has found a book.
func (w *world) hits(id book.ID) (n int) {
	all, _ := w.Ports.ListNotificationsAfter(context.Background(), w.watcher.ID, 0, 1000)
	for _, one := range all {
		if one.Kind == notification.SearchHit && one.Book == id {
			n++
		}
	}
	return n
}

func (w *world) keptPost() string {
	mine, err := w.Ports.ListBooksPostedBy(context.Background(), w.actor.ID, 0, 100)
	mine = slices.DeleteFunc(mine, func(v market.BookView) bool { return v.Name != "Posted" })
	switch {
	case err != nil || len(mine) == 0 || len(mine) > 1 && w.used(w.key):
		return fmt.Sprintf("%d books are posted, %v", len(mine), err)
	case w.hits(mine[0].ID) != 1:
		return fmt.Sprintf("who waits for it was told %d times", w.hits(mine[0].ID))
	}
	return ""
}

// used says that an idempotency key is not empty.
func (*world) used(k market.IdempotencyKey) bool { return k.Value != "" }

func (w *world) keptRequest() string {
	all, _, err := w.Requests.ListMine(context.Background(), w.actor, market.Page{})
	if n := len(slices.DeleteFunc(all, func(r book.Request) bool { return r.Name != "Wanted" })); err != nil || n != 1 {
		return fmt.Sprintf("%d requests are made, %v", n, err)
	}
	return ""
}

func (w *world) keptSearch() string {
	all, _, err := w.SavedSearches.List(context.Background(), w.actor, market.Page{})
	if err != nil || len(all) != 1 {
		return fmt.Sprintf("%d searches are saved, %v", len(all), err)
	}
	return ""
}

// keptPurchase checks that the buyer has the book, at the price that they agreed to.
func (w *world) keptPurchase() string {
	agreed := w.listed.Price + w.Checkout.Fee(w.listed.Price)
	own, _, err := w.Orders.ListOwn(context.Background(), w.actor, buying.OwnOrders{}, market.Page{})
	n := 0
	for _, o := range own {
		if o.Book == w.listed.ID && o.Buyer == w.actor.ID && o.Total() == agreed {
			n++
		}
	}
	if err != nil || n != 1 || w.receipt.Total != agreed {
		return fmt.Sprintf("it is bought %d times, for %d instead of %d: %v", n, w.receipt.Total, agreed, err)
	}
	return ""
}

func (w *world) keptMessage() string {
	page, _, err := w.Conversations.Read(context.Background(), w.actor, w.talk, market.Page{})
	if err != nil || !slices.ContainsFunc(page.Messages, func(m market.MessageView) bool { return m.From == w.actor.ID }) {
		return fmt.Sprintf("the message is not there: %v", err)
	}
	return ""
}

func (w *world) isOpen(id report.ID) bool {
	all, _, _ := w.Moderation.ListOpen(context.Background(), w.chief, market.Page{})
	return slices.ContainsFunc(all, func(r guarding.ReportView) bool { return r.ID == id })
}

func (w *world) keptReport() string {
	if !w.isOpen(w.added) {
		return "the report is in nobody's queue"
	}
	return ""
}

package gormstore_test

import (
	"context"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/inboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

type reads map[string]func(context.Context) error

func TestEveryReadOfEveryStoreIsUnavailableWhilePostgresIs(t *testing.T) {
	db, cut, restore := openSeverable(t)
	must.Do(t, db.Migrate(t.Context(), outboxstore.Migrations, workstore.Migrations, authstore.Migrations, marketstore.Migrations, inboxstore.Migrations))
	all := readsOf(t, db)
	for what, read := range all {
		if err := read(t.Context()); err != nil {
			t.Fatalf("%s, before: %v", what, err)
		}
	}
	cut()
	for what, read := range all {
		must.Refuse(t, read(t.Context()), gormstore.ErrUnavailable, what)
	}
	restore()
	for what, read := range all {
		if err := read(t.Context()); err != nil {
			t.Errorf("%s, back again: %v", what, err)
		}
	}
}

func readsOf(t *testing.T, db *gormstore.DB) reads {
	t.Helper()
	m, out := marketstore.New(db, nil), outboxstore.NewOutbox(db, nil)
	in := inboxstore.New(db)
	now := time.Unix(1e9, 0)
	return reads{
		"listed books": func(ctx context.Context) error {
			return must.Err(m.ListBooksForSale(ctx, finding.Criteria{}, finding.DefaultOrder, market.Position{}, 5))
		},
		"books by number":   func(ctx context.Context) error { _, err := m.ListBooksForSaleByOffset(ctx, 5, 0); return err },
		"one book":          func(ctx context.Context) error { _, err := m.FindBookViews(ctx, 1); return err },
		"a seller's books":  func(ctx context.Context) error { _, err := m.ListBooksPostedBy(ctx, 1, 0, 5); return err },
		"words":             func(ctx context.Context) error { _, err := m.FindTerms(ctx, []string{"a"}); return err },
		"orders":            func(ctx context.Context) error { _, err := m.ListBooksBoughtBy(ctx, 1, 0, 5); return err },
		"order history":     func(ctx context.Context) error { _, err := m.ListOrdersOf(ctx, 1, 0, 0, 0, 5); return err },
		"one order":         func(ctx context.Context) error { _, err := m.FindOrderViews(ctx, 1); return err },
		"the queue":         func(ctx context.Context) error { _, err := m.ListOrderQueue(ctx, 1, "", 0, 5); return err },
		"the backlog":       func(ctx context.Context) error { _, err := m.CountOrders(ctx, 1, "", 5); return err },
		"notices":           func(ctx context.Context) error { _, err := m.ListNotifications(ctx, 1, 0, 5); return err },
		"unread notices":    func(ctx context.Context) error { _, err := m.CountUnread(ctx, 1); return err },
		"statistics":        func(ctx context.Context) error { _, err := m.ReadUserStatistics(ctx, 1); return err },
		"market statistics": func(ctx context.Context) error { _, err := m.ReadDashboard(ctx, "", []time.Time{now, now}); return err },
		"ledger":            func(ctx context.Context) error { _, err := m.FindInconsistencies(ctx); return err },
		"outbox":            func(ctx context.Context) error { _, _, err := out.ClaimMessages(ctx, now, now, 5); return err },
		"outbox counts":     func(ctx context.Context) error { _, err := out.ReadStats(ctx); return err },
		"mailbox":           func(ctx context.Context) error { return must.Err(outboxstore.NewMailbox(db).ListMails(ctx, "", 5)) },
		"opt-outs": func(ctx context.Context) error {
			return must.Err(outboxstore.NewOptOuts(db).FindOptOuts(ctx, []user.Email{"a@example.edu"}))
		},
		"deliveries":   func(ctx context.Context) error { return must.Err(in.ListDeliveries(ctx, inbox.Query{Limit: 5})) },
		"inbox counts": func(ctx context.Context) error { _, err := in.CountJobs(ctx); return err },
		"inbox ready":  in.Ready,
	}
}

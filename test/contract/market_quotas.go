package contract

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketQuotas(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"uses are kept for each person and quota":                                        usesKept,
		"simultaneous uses are all counted":                                              usesCounted,
		"twice as many messages at once as one may send a minute, by clocks that differ": messagesAtOnce,
		"twice as many reports at once as one may make a day, by clocks that differ":     reportsAtOnce,
	})
}

func usesKept(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular).ID, b.Join(t, "bob", user.Regular).ID
	want := limit.Use{Since: b.Clock.Now().Truncate(time.Microsecond), Count: 3}
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error {
		for _, quota := range []string{"messages", "reports"} {
			b.mustUse(ctx, t, s, ann, quota, limit.Use{})
			must.Do(t, s.ChangeUse(ctx, ann, quota, func(limit.Use) (limit.Use, error) { return want, nil }))
		}
		return nil
	}))
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error {
		b.mustUse(ctx, t, s, ann, "messages", want)
		b.mustUse(ctx, t, s, ann, "searches", limit.Use{})
		b.mustUse(ctx, t, s, bob, "messages", limit.Use{})
		must.Do(t, s.ForgetUser(ctx, ann))
		b.mustUse(ctx, t, s, ann, "reports", limit.Use{})
		return nil
	}))
}

func (b *MarketFixture) mustUse(ctx context.Context, t *testing.T, s Stores, id user.ID, quota string, want limit.Use) {
	t.Helper()
	var got limit.Use
	must.Do(t, s.ChangeUse(ctx, id, quota, func(used limit.Use) (limit.Use, error) {
		got = used
		return used, nil
	}))
	if got.Count != want.Count || !got.Since.Equal(want.Since) {
		t.Errorf("of %s is used %+v, not %+v", quota, got, want)
	}
}

func usesCounted(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular).ID
	must.Together(8, func(int) {
		err := b.atomically(t, func(ctx context.Context, s Stores) error {
			return s.ChangeUse(ctx, ann, "messages", func(u limit.Use) (limit.Use, error) {
				u.Count++
				return u, nil
			})
		})
		if err != nil {
			t.Error(err)
		}
	})
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error {
		b.mustUse(ctx, t, s, ann, "messages", limit.Use{Count: 8})
		return nil
	}))
}

// by returns the ports of processes whose clocks differ.
func (b *MarketFixture) by(spread time.Duration) market.Deps {
	deps := b.Deps
	deps.Clock = func() time.Time { return b.Clock.Now().Add(rand.N(spread)) }
	return deps
}

// passing runs n calls at once, of which most must pass and the others exceed the quota.
func passing(t *testing.T, most, n int, do func(i int) error) {
	t.Helper()
	var passed atomic.Int64
	must.Together(n, func(i int) {
		if err := do(i); err == nil {
			passed.Add(1)
		} else if !errors.Is(err, limit.ErrQuota) {
			t.Error(err)
		}
	})
	if passed.Load() != int64(most) {
		t.Errorf("%d of %d calls pass, not %d", passed.Load(), n, most)
	}
}

func messagesAtOnce(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	talks := b.Over(b.by(40 * time.Second)).Conversations
	passing(t, 60, 120, func(int) error { return must.Err(talks.Send(t.Context(), bob, talking.Addressee{Book: v.ID}, "Hello")) })
}

func reportsAtOnce(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	var all [2 * 10]market.BookView
	for i := range all {
		all[i] = b.Post(t, ann, Draft(fmt.Sprint("Calculus ", i), "MTH 161", 1000))
	}
	reports := b.Over(b.by(limit.MaxClockSkew)).Reports
	passing(t, report.PerDay.Max, len(all), func(i int) error {
		return must.Err(reports.Add(t.Context(), bob, guarding.ReportDraft{Targets: about(all[i]), Reason: report.Wrong, Text: "Wrong."}))
	})
}

package contract

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/user"
)

func marketQuotas(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"uses are kept for each person and quota": usesKept,
		"simultaneous uses are all counted":       usesCounted,
	})
}

func usesKept(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular).ID, b.Join(t, "bob", user.Regular).ID
	want := limit.Use{Since: b.Clock.Now().Truncate(time.Microsecond), Count: 3}
	succeed(t, b.atomically(t, func(ctx context.Context, s market.Stores) error {
		for _, quota := range []string{"messages", "reports"} {
			b.mustUse(ctx, t, s, ann, quota, limit.Use{})
			succeed(t, s.Quotas.SaveUse(ctx, ann, quota, want))
		}
		return nil
	}))
	succeed(t, b.atomically(t, func(ctx context.Context, s market.Stores) error {
		b.mustUse(ctx, t, s, ann, "messages", want)
		b.mustUse(ctx, t, s, ann, "searches", limit.Use{})
		b.mustUse(ctx, t, s, bob, "messages", limit.Use{})
		succeed(t, s.Quotas.DeleteUses(ctx, ann))
		b.mustUse(ctx, t, s, ann, "reports", limit.Use{})
		return nil
	}))
}

func (b *MarketFixture) mustUse(ctx context.Context, t *testing.T, s market.Stores, id user.ID, quota string, want limit.Use) {
	t.Helper()
	got, err := s.Quotas.LockUse(ctx, id, quota)
	succeed(t, err)
	if got.Count != want.Count || !got.Since.Equal(want.Since) {
		t.Errorf("of %s is used %+v, not %+v", quota, got, want)
	}
}

func usesCounted(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular).ID
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			err := b.atomically(t, func(ctx context.Context, s market.Stores) error {
				u, err := s.Quotas.LockUse(ctx, ann, "messages")
				if err != nil {
					return err
				}
				u.Count++
				return s.Quotas.SaveUse(ctx, ann, "messages", u)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	succeed(t, b.atomically(t, func(ctx context.Context, s market.Stores) error {
		b.mustUse(ctx, t, s, ann, "messages", limit.Use{Count: 8})
		return nil
	}))
}

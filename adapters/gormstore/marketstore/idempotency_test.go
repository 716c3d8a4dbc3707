package marketstore_test

import (
	"context"
	"errors"
	"strconv"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/database"
)

// claimed claims a key of somebody's and does more in the same step.
func claimed(ctx context.Context, s *marketstore.Store, owner user.ID, key string, now time.Time, more func() error) error {
	return s.Atomically(ctx, func(ctx context.Context, st market.Stores) error {
		kept, err := st.IdempotencyKeys.ClaimKey(ctx, owner, key, now.Add(-market.IdempotencyKeyLife), now)
		if kept != nil {
			err = errors.Join(err, errors.New("the key was used before"))
		}
		return errors.Join(err, st.IdempotencyKeys.SaveResponse(ctx, owner, key, market.StoredResponse{}), more())
	})
}

func done() error { return nil }

// Each claim takes a few old replies away, and in the end there are none.
func TestOldRepliesGoAFewAtATime(t *testing.T) {
	for name, open := range map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{"sqlite": database.SQLite, "postgres": database.Postgres} {
		t.Run(name, func(t *testing.T) {
			db := open(t, migrations...)
			s, start := marketstore.New(db, plain{}), time.Now()
			for i := range 50 {
				check(t, claimed(t.Context(), s, 1, "old "+strconv.Itoa(i), start, done))
			}
			late := start.Add(market.IdempotencyKeyLife + time.Second)
			check(t, claimed(t.Context(), s, 1, "old 49", late, done))
			if got := replies(t, db); got != 30 { // 29 old ones, and the one that was renewed
				t.Errorf("%d replies are left of 50", got)
			}
			for i := range 2 {
				check(t, claimed(t.Context(), s, 1, "new "+strconv.Itoa(i), late, done))
			}
			if got := replies(t, db); got != 3 {
				t.Errorf("%d replies are left, and 3 are new", got)
			}
		})
	}
}

func replies(t *testing.T, db *gormstore.DB) (n int64) {
	t.Helper()
	check(t, db.Write.WithContext(t.Context()).Raw("SELECT count(*) FROM replies").Scan(&n).Error)
	return n
}

func TestClaimsDoNotWaitForOthersToForget(t *testing.T) {
	s, start := marketstore.New(database.Postgres(t, migrations...), plain{}), time.Now()
	for i := range 5 {
		check(t, claimed(t.Context(), s, 1, "old "+strconv.Itoa(i), start, done))
	}
	late := start.Add(market.IdempotencyKeyLife + time.Second)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	check(t, claimed(ctx, s, 2, "key", late, func() error {
		return claimed(ctx, s, 3, "key", late, done) // would wait for the step round it, which is forgetting
	}))
}

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
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
)

// claimed claims a key and calls more in the same transaction.
func claimed(ctx context.Context, s *marketstore.Store, owner user.ID, key string, now time.Time, more func() error) error {
	return s.Atomically(ctx, func(ctx context.Context, st market.Stores) error {
		stored, err := st.ClaimKey(ctx, owner, key, now.Add(-market.IdempotencyKeyLife), now)
		if stored != nil {
			err = errors.Join(err, errors.New("the key was used before"))
		}
		return errors.Join(err, st.SaveResponse(ctx, owner, key, market.StoredResponse{}), more())
	})
}

func done() error { return nil }

// Each claim deletes a few expired responses.
func TestExpiredResponsesAreDeletedAFewAtATime(t *testing.T) {
	for name, open := range map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{"sqlite": database.SQLite, "postgres": database.Postgres} {
		t.Run(name, func(t *testing.T) {
			db := open(t, migrations...)
			s, start := marketstore.New(db, plain{}), time.Now()
			for i := range 50 {
				must.Do(t, claimed(t.Context(), s, 1, "old "+strconv.Itoa(i), start, done))
			}
			late := start.Add(market.IdempotencyKeyLife + time.Second)
			must.Do(t, claimed(t.Context(), s, 1, "old 49", late, done))
			if got := responses(t, db); got != 30 { // 29 expired ones, and the renewed one
				t.Errorf("%d responses are left of 50", got)
			}
			for i := range 2 {
				must.Do(t, claimed(t.Context(), s, 1, "new "+strconv.Itoa(i), late, done))
			}
			if got := responses(t, db); got != 3 {
				t.Errorf("%d responses are left, and 3 are new", got)
			}
		})
	}
}

func responses(t *testing.T, db *gormstore.DB) (n int64) {
	t.Helper()
	must.Do(t, db.Write.WithContext(t.Context()).Raw("SELECT count(*) FROM replies").Scan(&n).Error)
	return n
}

func TestClaimsDoNotWaitForEachOthersSweep(t *testing.T) {
	s, start := marketstore.New(database.Postgres(t, migrations...), plain{}), time.Now()
	for i := range 5 {
		must.Do(t, claimed(t.Context(), s, 1, "old "+strconv.Itoa(i), start, done))
	}
	late := start.Add(market.IdempotencyKeyLife + time.Second)
	ctx, cancel := context.WithTimeout(t.Context(), poll.Limit)
	defer cancel()
	must.Do(t, claimed(ctx, s, 2, "key", late, func() error {
		return claimed(ctx, s, 3, "key", late, done) // would wait for the outer transaction, which deletes expired responses
	}))
}

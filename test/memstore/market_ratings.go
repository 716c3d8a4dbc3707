package memstore

import (
	"cmp"
	"context"
	"maps"
	"time"

	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/rating"
	"github.com/octavo-books/octavo/domain/report"
	"github.com/octavo-books/octavo/domain/user"
)

type ratingKey struct {
	order order.ID
	by    user.ID
}

type ratingTable struct{ table }

func (t ratingTable) SaveRating(_ context.Context, r rating.Rating) error {
	t.ratings[ratingKey{r.Order, r.By}] = r
	return nil
}

func (t ratingTable) RemoveRatings(_ context.Context, id user.ID) error {
	maps.DeleteFunc(t.ratings, func(_ ratingKey, r rating.Rating) bool { return r.Of == id })
	for k, r := range t.ratings {
		if r.By == id {
			r.Text = ""
			t.ratings[k] = r
		}
	}
	return nil
}

func newestRating(a, b rating.Rating) int {
	return cmp.Or(cmp.Compare(b.Order, a.Order), cmp.Compare(a.By, b.By))
}

func (m *Market) pickRatings(ctx context.Context, n int, pass func(rating.Rating) bool) ([]rating.Rating, error) {
	return rows(ctx, m, func(t *marketTables) []rating.Rating { return pick(t.ratings, n, newestRating, pass) })
}

// ListRatings is market.RatingReader.
func (m *Market) ListRatings(ctx context.Context, id order.ID) ([]rating.Rating, error) {
	return m.pickRatings(ctx, 2, func(r rating.Rating) bool { return r.Order == id })
}

// CountRatings is market.RatingReader.
func (m *Market) CountRatings(ctx context.Context, of user.ID) (c rating.Count, err error) {
	all, err := m.pickRatings(ctx, 1<<30, func(r rating.Rating) bool { return r.Of == of })
	counted := map[user.ID]bool{}
	for _, r := range all { // the newest first
		if counted[r.By] {
			continue
		}
		counted[r.By] = true
		c.People++
		if r.AsDescribed {
			c.AsDescribed++
		}
	}
	return c, err
}

// ListRatingsBy is market.RatingReader.
func (m *Market) ListRatingsBy(ctx context.Context, by user.ID, before order.ID, n int) ([]rating.Rating, error) {
	return m.pickRatings(ctx, n, func(r rating.Rating) bool { return r.By == by && isBelow(int64(r.Order), int64(before)) })
}

// HasUpheldReport is market.RatingReader.
func (m *Market) HasUpheldReport(ctx context.Context, about user.ID, after time.Time) (bool, error) {
	found, err := m.listReports(ctx, 1, oldestReport, func(r report.Report) bool { return r.About == about && r.Upheld() && r.ResolvedAt.After(after) })
	return len(found) > 0, err
}

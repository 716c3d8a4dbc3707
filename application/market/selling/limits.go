package selling

import (
	"context"
	"errors"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/user"
)

// MaxImportLines is how many lines a file may have, and how many a campus store may import in a day.
const MaxImportLines = 10_000

// The errors of Limits. RetryAfter says when the day ends.
var (
	ErrPostLimit = fault.New(fault.Limited, "post_limit",
		"You have listed as many books as one person may in a day. Please wait.")
	ErrImportLimit = fault.New(fault.Limited, "import_limit",
		"You have imported as many books as you may in a day, or would with this file. Please wait, or use a smaller file.")
)

const limitPeriod = 24 * time.Hour

// postQuota is the quota of Limits.Posts.
func postQuota(l market.Limits) limit.Quota {
	return limit.Quota{Name: "posts", Max: l.Posts, Period: limitPeriod}
}

// importQuota is the quota of Limits.ImportLines, for a campus store or a person.
func importQuota(l market.Limits, store bool) limit.Quota {
	q := limit.Quota{Name: "import_lines", Max: l.ImportLines, Period: limitPeriod}
	if store || q.Max == 0 {
		q.Max = max(q.Max, MaxImportLines)
	}
	return q
}

// usePost counts a book that the caller posts or relists; ErrPostLimit if it is too many, and
// user.ErrProfileNeeded if the caller may not sell yet.
func (t *tx) usePost(ctx context.Context, by user.Caller) error {
	if err := t.Caller.Profile.CheckTrade(); err != nil {
		return err
	}
	if t.Limits.Posts == 0 || t.Caller.Store {
		return nil
	}
	return renameLimit(t.UseQuota(ctx, by.ID, postQuota(t.Limits), 1), ErrPostLimit)
}

// useImportLines counts n books that the caller imports; ErrImportLimit if they are too many, and
// user.ErrProfileNeeded if the caller may not sell yet.
func (t *tx) useImportLines(ctx context.Context, by user.Caller, n int) error {
	if err := t.Caller.Profile.CheckTrade(); err != nil {
		return err
	}
	return renameLimit(t.UseQuota(ctx, by.ID, importQuota(t.Limits, t.Caller.Store), n), ErrImportLimit)
}

// renameLimit replaces limit.ErrQuota by an error that names the limit, with the same RetryAfter.
func renameLimit(err error, as *fault.Error) error {
	if errors.Is(err, limit.ErrQuota) {
		return as.After(fault.As(err).RetryAfter)
	}
	return err
}

package findingstore

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

type matchRow struct {
	ID        int64          `gorm:"primaryKey;autoIncrement:false"`
	Book      book.ID        `gorm:"column:book_id"`
	Request   book.RequestID `gorm:"column:request_id"`
	Owner     user.ID        `gorm:"column:owner_id"`
	Reason    book.Reason
	Holds     int
	CreatedAt time.Time `gorm:"serializer:micros;autoCreateTime:false"`
}

// TableName is part of GORM's interface.
func (matchRow) TableName() string { return "matches" }

// matches is a part of finding.Store.
type matches struct {
	marketrows.Handle
	text fullText
}

func (s matches) FindBooksByKey(ctx context.Context, key book.SearchKey, before book.ID, n int) ([]book.Book, error) {
	var found *table.Query[marketrows.BookRow]
	switch key.Reason {
	case book.ByISBN:
		found = table.Of[marketrows.BookRow](s.Session).Where("status = 0 AND isbn <> '' AND isbn = ?", key.ISBN)
	case book.ByCourse:
		found = table.Of[marketrows.BookRow](s.Session).Where("status = 0 AND course_key = ?", key.Course)
	default:
		groups := make([][]string, len(key.Words))
		for i, w := range key.Words {
			groups[i] = []string{w}
		}
		return newestWith(ctx, s.Handle, s.text, groups, finding.Criteria{}, rawsql.UpperBound(before), n, marketrows.BookColumns, marketrows.ReadBook)
	}
	return rawsql.List(ctx, found.Where("id < ?", rawsql.UpperBound(before)).Order("id DESC").Limit(n), (*marketrows.BookRow).Book)
}

// addMatches returns the ids of the rows. A match that was stored before keeps its id, by which
// AddMatches tells it from a new one.
const addMatches = `INSERT INTO matches (id, book_id, request_id, owner_id, reason, holds, created_at) VALUES %s
	ON CONFLICT (book_id, request_id) DO UPDATE SET holds = 1, reason = excluded.reason RETURNING id`

func (s matches) AddMatches(ctx context.Context, all []book.Match) ([]bool, error) {
	stored := make(map[int64]bool, len(all))
	for batch := range rawsql.Batches(all) {
		marks, args := rawsql.Values(batch, func(m book.Match) []any {
			return []any{m.ID, int64(m.Book), int64(m.Request), int64(m.Owner), string(m.Reason), 1, rawsql.Micros(m.CreatedAt)}
		})
		ids, err := rawsql.CollectUpTo(ctx, s.Conn, len(batch), rawsql.Integer[int64], fmt.Sprintf(addMatches, marks), args...)
		if err != nil {
			return nil, err
		}
		for _, id := range ids {
			stored[id] = true
		}
	}
	isNew := make([]bool, len(all))
	for i, m := range all {
		isNew[i] = stored[m.ID]
	}
	return isNew, nil
}

func (s matches) InvalidateMatches(ctx context.Context, id book.ID) error {
	_, err := table.Of[matchRow](s.Session).Where("book_id = ? AND holds = 1", id).Update(ctx, "holds", 0)
	return err
}

// FindRequestsByKeys reads only the requests of entries whose words q.Words contains. It
// also reads the last entry that it scanned, if the scan stopped there.
func (s matches) FindRequestsByKeys(ctx context.Context, q finding.MatchQuery) (found []finding.IndexedRequest, end finding.IndexCursor, err error) {
	if len(q.Keys) == 0 {
		return nil, end, nil
	}
	var w marketrows.Where
	marks, args := rawsql.In(q.Keys)
	w.And("key IN ("+marks+")", args...)
	if q.After.Key != "" {
		w.And("(key > ? OR key = ? AND request_id > ?)", q.After.Key, q.After.Key, int64(q.After.Request))
	}
	args = slices.Concat(w.Args, []any{q.MaxEntries, int64(^q.Words), q.Limit}, w.Args, []any{q.MaxEntries - 1})
	found, err = rawsql.Collect(ctx, s.Conn, readIndexedRequest, RequestScan(w.String()), args...)
	if last := slices.IndexFunc(found, func(f finding.IndexedRequest) bool { return f.Request.ID == 0 }); last >= 0 {
		end = found[last].At
		found = slices.Delete(found, last, last+1)
	}
	if len(found) == q.Limit {
		end = found[q.Limit-1].At
	}
	return found, end, err
}

// RequestScan selects the requests, and of the last scanned entry only its position.
func RequestScan(entries string) string {
	return "SELECT * FROM (SELECT k.key, k.request_id, " + marketrows.RequestColumns + `
		FROM (SELECT key, request_id, words FROM request_keys ` + entries + ` ORDER BY key, request_id LIMIT ?) AS k CROSS JOIN requests r
		WHERE k.words & ? = 0 AND r.id = k.request_id AND r.status = 0 ORDER BY k.key, k.request_id LIMIT ?) AS found
	UNION ALL SELECT * FROM (SELECT key, request_id, 0, 0, '', '', '', 0, 0, 0, 0, 0, ''
		FROM request_keys ` + entries + ` ORDER BY key, request_id LIMIT 1 OFFSET ?) AS last`
}

func readIndexedRequest() ([]any, func() finding.IndexedRequest) {
	var r marketrows.RequestRow
	var key string
	var id int64
	return append([]any{&key, &id}, r.Columns()...), func() finding.IndexedRequest {
		return finding.IndexedRequest{At: finding.IndexCursor{Key: key, Request: book.RequestID(id)}, Request: r.Request()}
	}
}

func (s matches) ListInterestedUsers(ctx context.Context, id book.ID, after user.ID, n int) ([]user.ID, error) {
	return rawsql.Collect(ctx, s.Conn, rawsql.Integer[user.ID], `SELECT c.owner_id FROM carts c WHERE c.book_id = ? AND c.owner_id > ?
		UNION SELECT p.owner_id FROM matches p JOIN requests r ON r.id = p.request_id
		WHERE p.book_id = ? AND p.holds = 1 AND p.owner_id > ? AND r.status = 0
		ORDER BY 1 LIMIT ?`, int64(id), int64(after), int64(id), int64(after), n)
}

// ListMatchesOf implements finding.Reader.
func (s Reader) ListMatchesOf(ctx context.Context, owner user.ID, before int64, n int) ([]market.MatchView, error) {
	return rawsql.Collect(ctx, s.Read.Conn, marketrows.ReadMatch, s.Read.SelectMatches()+"AND p.owner_id = ? AND p.holds = 1 AND p.id < ? AND b.status = 0 AND r.status = 0 ORDER BY p.id DESC LIMIT ?",
		int64(owner), rawsql.UpperBound(before), n)
}

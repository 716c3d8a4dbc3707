package marketstore

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
)

// These are the hand-written statements of posting a book, see the package comment.

// insertBook has the columns of bookValues.
const insertBook = `INSERT INTO books (seller_id, buyer_id, status, name, course, edition, price, grade, available_at, comments, isbn,
	university, created_at, listed_at, held, title_key, course_key, university_key, id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

// bookValues are the values of all columns, the id last.
func bookValues(b book.Book) []any {
	held := 0
	if b.Held {
		held = 1
	}
	return []any{
		int64(b.Seller), int64(b.Buyer), int(b.Status), b.Name, b.Course, b.Edition, int64(b.Price), int(b.Condition),
		b.Date.UnixMicro(), b.Comments, string(b.ISBN), b.University, rawsql.Micros(b.CreatedAt), rawsql.Micros(b.ListedAt), held,
		book.TitleKey(b.Name), book.Key(b.Course), book.Key(b.University), int64(b.ID),
	}
}

func (s books) AddBook(ctx context.Context, b book.Book) error {
	if _, err := s.Exec(ctx, insertBook, bookValues(b)...); err != nil || b.Status != book.ForSale {
		return err
	}
	return s.index(ctx, b)
}

// FindRequestsByKeys reads only the requests of entries whose words q.Words contains. It
// also reads the last entry that it scanned, if the scan stopped there.
func (s matches) FindRequestsByKeys(ctx context.Context, q finding.MatchQuery) (found []finding.IndexedRequest, end finding.IndexCursor, err error) {
	if len(q.Keys) == 0 {
		return nil, end, nil
	}
	var w where
	marks, args := rawsql.In(q.Keys)
	w.and("key IN ("+marks+")", args...)
	if q.After.Key != "" {
		w.and("(key > ? OR key = ? AND request_id > ?)", q.After.Key, q.After.Key, int64(q.After.Request))
	}
	args = slices.Concat(w.args, []any{q.MaxEntries, int64(^q.Words), q.Limit}, w.args, []any{q.MaxEntries - 1})
	found, err = rawsql.Collect(ctx, s.Conn, readIndexedRequest, indexScan(w.String()), args...)
	if last := slices.IndexFunc(found, func(f finding.IndexedRequest) bool { return f.Request.ID == 0 }); last >= 0 {
		end = found[last].At
		found = slices.Delete(found, last, last+1)
	}
	if len(found) == q.Limit {
		end = found[q.Limit-1].At
	}
	return found, end, err
}

// indexScan selects the requests, and of the last scanned entry only its position.
func indexScan(entries string) string {
	return "SELECT * FROM (SELECT k.key, k.request_id, " + requestColumns + `
		FROM (SELECT key, request_id, words FROM request_keys ` + entries + ` ORDER BY key, request_id LIMIT ?) AS k CROSS JOIN requests r
		WHERE k.words & ? = 0 AND r.id = k.request_id AND r.status = 0 ORDER BY k.key, k.request_id LIMIT ?) AS found
	UNION ALL SELECT * FROM (SELECT key, request_id, 0, 0, '', '', '', 0, 0, 0, 0, 0
		FROM request_keys ` + entries + ` ORDER BY key, request_id LIMIT 1 OFFSET ?) AS last`
}

func readIndexedRequest() ([]any, func() finding.IndexedRequest) {
	var r requestRow
	var key string
	var id int64
	return append([]any{&key, &id}, r.columns()...), func() finding.IndexedRequest {
		return finding.IndexedRequest{At: finding.IndexCursor{Key: key, Request: book.RequestID(id)}, Request: r.request()}
	}
}

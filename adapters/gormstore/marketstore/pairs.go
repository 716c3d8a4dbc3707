package marketstore

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// pairs is market.PairStore.
type pairs struct {
	conn
	text fullText
}

// Requests reads of the entries that it walks along only the requests that have
// no words too many. Beside them it reads the last entry, if it goes no further.
func (s pairs) Requests(ctx context.Context, l market.Look) (found []market.Filed, end market.Place, err error) {
	if len(l.Keys) == 0 {
		return nil, end, nil
	}
	if nothing, err := s.nothing(ctx, l); nothing || err != nil {
		return nil, end, err
	}
	var w where
	marks, args := rawsql.In(l.Keys)
	w.and("key IN ("+marks+")", args...)
	if l.After.Key != "" {
		w.and("(key > ? OR key = ? AND request_id > ?)", l.After.Key, l.After.Key, int64(l.After.Request))
	}
	args = slices.Concat(w.args, []any{l.Entries, int64(^l.Words), l.Most}, w.args, []any{l.Entries - 1})
	found, err = rawsql.Collect(ctx, s.Conn, readFiled, walk(w.String()), args...)
	if last := slices.IndexFunc(found, func(f market.Filed) bool { return f.Request.ID == 0 }); last >= 0 {
		end = found[last].At
		found = slices.Delete(found, last, last+1)
	}
	if len(found) == l.Most {
		end = found[l.Most-1].At
	}
	return found, end, err
}

// nothing reports that there are few entries under the keys and that all have words
// too many, as for most books: to count them costs half as much as to walk along them.
func (s pairs) nothing(ctx context.Context, l market.Look) (bool, error) {
	under, args := s.under(l.Keys)
	var entries, fit int64
	counts := func() ([]any, func() bool) {
		return []any{&entries, &fit}, func() bool { return fit == 0 && entries < int64(l.Entries) }
	}
	nothing, _, err := rawsql.One(ctx, s.Conn, counts, `SELECT count(*), count(*) FILTER (WHERE words & ? = 0)
		FROM (SELECT k.words FROM `+under+" LIMIT ?) AS found", slices.Concat([]any{int64(^l.Words)}, args, []any{l.Entries})...)
	return nothing, err
}

// walk gives the requests, and of the last entry the place alone.
func walk(entries string) string {
	return "SELECT * FROM (SELECT k.key, k.request_id, " + requestColumns + `
		FROM (SELECT key, request_id, words FROM request_keys ` + entries + ` ORDER BY key, request_id LIMIT ?) AS k CROSS JOIN requests r
		WHERE k.words & ? = 0 AND r.id = k.request_id AND r.status = 0 ORDER BY k.key, k.request_id LIMIT ?) AS found
	UNION ALL SELECT * FROM (SELECT key, request_id, 0, 0, '', '', '', 0, 0, 0, 0, 0
		FROM request_keys ` + entries + ` ORDER BY key, request_id LIMIT 1 OFFSET ?) AS last`
}

func readFiled() ([]any, func() market.Filed) {
	var r requestRow
	var key string
	var id int64
	return append([]any{&key, &id}, r.columns()...), func() market.Filed {
		return market.Filed{At: market.Place{Key: key, Request: book.RequestID(id)}, Request: r.request()}
	}
}

func (s pairs) Books(ctx context.Context, clue book.Clue, before book.ID, n int) ([]book.Book, error) {
	bound := top(before)
	switch clue.Reason {
	case book.ByISBN:
		return rawsql.Collect(ctx, s.Conn, readBook, "SELECT "+bookColumns+` FROM books b
			WHERE b.status = 0 AND b.isbn <> '' AND b.isbn = ? AND b.id < ? ORDER BY b.id DESC LIMIT ?`, string(clue.ISBN), bound, n)
	case book.ByCourse:
		return rawsql.Collect(ctx, s.Conn, readBook, "SELECT "+bookColumns+` FROM books b
			WHERE b.status = 0 AND b.course_key = ? AND b.id < ? ORDER BY b.id DESC LIMIT ?`, clue.Course, bound, n)
	}
	groups := make([][]string, len(clue.Words))
	for i, w := range clue.Words {
		groups[i] = []string{w}
	}
	return newestWith(ctx, s.conn, s.text, groups, nil, bound, forSale(), n, bookColumns, readBook)
}

func (s pairs) Guard(ctx context.Context, posting bool, keys []string) error {
	return s.guard(ctx, posting, keys)
}

const insertPair = `INSERT INTO pairs (id, book_id, request_id, owner_id, reason, holds, created_at)
	VALUES (?, ?, ?, ?, ?, 1, ?) ON CONFLICT (book_id, request_id) DO NOTHING`

func pairValues(p book.Pair) []any {
	return []any{p.ID, int64(p.Book), int64(p.Request), int64(p.Owner), string(p.Reason), rawsql.Micros(p.CreatedAt)}
}

func (s pairs) Put(ctx context.Context, p book.Pair) (bool, error) {
	n, err := s.Exec(ctx, insertPair, pairValues(p)...)
	if err != nil || n == 1 {
		return n == 1, err
	}
	_, err = s.Exec(ctx, "UPDATE pairs SET holds = 1, reason = ? WHERE book_id = ? AND request_id = ?",
		string(p.Reason), int64(p.Book), int64(p.Request))
	return false, err
}

func (s pairs) Drop(ctx context.Context, id book.ID) error {
	_, err := s.Exec(ctx, "UPDATE pairs SET holds = 0 WHERE book_id = ? AND holds = 1", int64(id))
	return err
}

func (s pairs) Waiting(ctx context.Context, id book.ID, after user.ID, n int) ([]user.ID, error) {
	return rawsql.Collect(ctx, s.Conn, rawsql.Integer[user.ID], `SELECT c.owner_id FROM carts c WHERE c.book_id = ? AND c.owner_id > ?
		UNION SELECT p.owner_id FROM pairs p JOIN requests r ON r.id = p.request_id
		WHERE p.book_id = ? AND p.holds = 1 AND p.owner_id > ? AND r.status = 0
		ORDER BY 1 LIMIT ?`, int64(id), int64(after), int64(id), int64(after), n)
}

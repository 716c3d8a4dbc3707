package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

// pairs is market.PairStore.
type pairs struct{ conn }

func (s pairs) Requests(ctx context.Context, keys []string, after market.Place, n int) ([]market.Filed, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	var w where
	marks, args := list(keys)
	w.and("k.key IN ("+marks+")", args...)
	if after.Key != "" {
		w.and("(k.key > ? OR k.key = ? AND k.request_id > ?)", after.Key, after.Key, int64(after.Request))
	}
	return collect(ctx, s.conn, readFiled, "SELECT "+requestColumns+", k.key FROM request_keys k CROSS JOIN requests r "+w.String()+
		" AND r.id = k.request_id AND r.status = 0 ORDER BY k.key, k.request_id LIMIT ?", append(w.args, n)...)
}

func readFiled() ([]any, func() market.Filed) {
	var r requestRow
	var key string
	return r.columns(&key), func() market.Filed {
		return market.Filed{At: market.Place{Key: key, Request: book.RequestID(r.id)}, Request: r.request()}
	}
}

func (s pairs) Books(ctx context.Context, clue book.Clue, before book.ID, n int) ([]book.Book, error) {
	bound := top(before)
	switch clue.Reason {
	case book.ByISBN:
		return collect(ctx, s.conn, readBook, "SELECT "+bookColumns+` FROM books b
			WHERE b.status = 0 AND b.isbn <> '' AND b.isbn = ? AND b.id < ? ORDER BY b.id DESC LIMIT ?`, string(clue.ISBN), bound, n)
	case book.ByCourse:
		return collect(ctx, s.conn, readBook, "SELECT "+bookColumns+` FROM books b
			WHERE b.status = 0 AND b.course_key = ? AND b.id < ? ORDER BY b.id DESC LIMIT ?`, clue.Course, bound, n)
	}
	groups := make([][]string, len(clue.Words))
	for i, w := range clue.Words {
		groups[i] = []string{w}
	}
	return collect(ctx, s.conn, readBook, "SELECT "+bookColumns+` FROM book_search s CROSS JOIN books b
		WHERE b.id = s.rowid AND b.status = 0 AND `+s.searching()+" AND s.rowid < ? ORDER BY s.rowid DESC LIMIT ?", s.expression(groups), bound, n)
}

func (s pairs) Guard(ctx context.Context, posting bool, keys []string) error {
	return s.guard(ctx, posting, keys)
}

const insertPair = `INSERT INTO pairs (id, book_id, request_id, owner_id, reason, holds, created_at)
	VALUES (?, ?, ?, ?, ?, 1, ?) ON CONFLICT (book_id, request_id) DO NOTHING`

func pairValues(p book.Pair) []any {
	return []any{p.ID, int64(p.Book), int64(p.Request), int64(p.Owner), string(p.Reason), micros(p.CreatedAt)}
}

func (s pairs) Put(ctx context.Context, p book.Pair) (bool, error) {
	n, err := s.exec(ctx, insertPair, pairValues(p)...)
	if err != nil || n == 1 {
		return n == 1, err
	}
	_, err = s.exec(ctx, "UPDATE pairs SET holds = 1, reason = ? WHERE book_id = ? AND request_id = ?",
		string(p.Reason), int64(p.Book), int64(p.Request))
	return false, err
}

func (s pairs) Drop(ctx context.Context, id book.ID) error {
	_, err := s.exec(ctx, "UPDATE pairs SET holds = 0 WHERE book_id = ? AND holds = 1", int64(id))
	return err
}

func (s pairs) Waiting(ctx context.Context, id book.ID, after user.ID, n int) ([]user.ID, error) {
	return collect(ctx, s.conn, integer[user.ID], `SELECT c.owner_id FROM carts c WHERE c.book_id = ? AND c.owner_id > ?
		UNION SELECT p.owner_id FROM pairs p JOIN requests r ON r.id = p.request_id
		WHERE p.book_id = ? AND p.holds = 1 AND p.owner_id > ? AND r.status = 0
		ORDER BY 1 LIMIT ?`, int64(id), int64(after), int64(id), int64(after), n)
}

package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
)

// requestColumns are those of requests r, in the order of requestRow.
const requestColumns = "r.id, r.owner_id, r.name, r.course, r.isbn, r.edition, r.max_price, r.status, r.filled_by, r.created_at"

type requestRow struct {
	id, owner, edition, maxPrice, status, filledBy, createdAt int64
	name, course, isbn                                        string
}

func (r *requestRow) columns(more ...any) []any {
	return append([]any{
		&r.id, &r.owner, &r.name, &r.course, &r.isbn, &r.edition, &r.maxPrice, &r.status, &r.filledBy, &r.createdAt,
	}, more...)
}

func (r *requestRow) request() book.Request {
	return book.Request{
		ID: book.RequestID(r.id), Owner: user.ID(r.owner),
		Wish: book.Wish{
			Name: r.name, Course: r.course, ISBN: book.ISBN(r.isbn), Edition: int(r.edition), MaxPrice: money.Cents(r.maxPrice),
		},
		Status: book.RequestStatus(r.status), FilledBy: book.ID(r.filledBy), CreatedAt: rawsql.Time(r.createdAt),
	}
}

func readRequest() ([]any, func() book.Request) {
	var r requestRow
	return r.columns(), r.request
}

// requests is market.RequestStore.
type requests struct {
	conn
	text fullText
}

const insertRequest = `INSERT INTO requests (id, owner_id, name, course, isbn, edition, max_price, status, filled_by, created_at)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

func requestValues(r book.Request) []any {
	return []any{
		int64(r.ID), int64(r.Owner), r.Name, r.Course, string(r.ISBN), r.Edition, int64(r.MaxPrice),
		int(r.Status), int64(r.FilledBy), rawsql.Micros(r.CreatedAt),
	}
}

func (s requests) Add(ctx context.Context, r book.Request, limit int) error {
	if err := s.Lock(ctx, "requests of "+r.Owner.String()); err != nil { // or two could both be the last
		return err
	}
	open, _, err := rawsql.One(ctx, s.Conn, rawsql.Integer[int], "SELECT count(*) FROM requests WHERE owner_id = ? AND status = 0", int64(r.Owner))
	if err != nil {
		return err
	}
	if open >= limit {
		return book.ErrTooManyRequests
	}
	_, err = s.Exec(ctx, insertRequest, requestValues(r)...)
	return err
}

func (s requests) Save(ctx context.Context, r book.Request) error {
	_, err := s.Exec(ctx, "UPDATE requests SET status = ?, filled_by = ? WHERE id = ?", int(r.Status), int64(r.FilledBy), int64(r.ID))
	return err
}

func (s requests) Remove(ctx context.Context, owner user.ID, id book.RequestID) error {
	n, err := s.Exec(ctx, "DELETE FROM requests WHERE id = ? AND owner_id = ?", int64(id), int64(owner))
	if err != nil {
		return err
	}
	if n == 0 {
		return book.ErrRequestNotFound
	}
	if _, err := s.Exec(ctx, "DELETE FROM request_keys WHERE request_id = ?", int64(id)); err != nil {
		return err
	}
	_, err = s.Exec(ctx, "DELETE FROM pairs WHERE request_id = ?", int64(id))
	return err
}

// LockExisting locks in ascending order, and so does Withdraw: they do not deadlock.
func (s requests) LockExisting(ctx context.Context, ids ...book.RequestID) ([]book.RequestID, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	marks, args := rawsql.In(ids)
	return rawsql.Collect(ctx, s.Conn, rawsql.Integer[book.RequestID], "SELECT id FROM requests WHERE id IN ("+marks+") ORDER BY id"+s.ForKeyShare(), args...)
}

// Withdraw looks for pairs when nobody can add one any more.
func (s requests) Withdraw(ctx context.Context, owner user.ID) error {
	_, err := rawsql.Collect(ctx, s.Conn, rawsql.Integer[book.RequestID], "SELECT id FROM requests WHERE owner_id = ? ORDER BY id"+s.ForUpdate(), int64(owner))
	if err != nil {
		return err
	}
	for _, statement := range []string{
		"DELETE FROM request_keys WHERE request_id IN (SELECT id FROM requests WHERE owner_id = ?)",
		"DELETE FROM pairs WHERE request_id IN (SELECT id FROM requests WHERE owner_id = ?)",
		"DELETE FROM requests WHERE owner_id = ?",
	} {
		if _, err := s.Exec(ctx, statement, int64(owner)); err != nil {
			return err
		}
	}
	return nil
}

func (s requests) OpenOf(ctx context.Context, owner user.ID) ([]book.Request, error) {
	return rawsql.Collect(ctx, s.Conn, readRequest, "SELECT "+requestColumns+` FROM requests r
		WHERE r.owner_id = ? AND r.status = 0 ORDER BY r.id LIMIT ?`+s.ForNoKeyUpdate(), int64(owner), book.MaxOpenRequests)
}

func (s requests) FilledBy(ctx context.Context, id book.ID) ([]book.Request, error) {
	return rawsql.Collect(ctx, s.Conn, readRequest, "SELECT "+requestColumns+` FROM requests r
		WHERE r.filled_by = ? AND r.filled_by <> 0 ORDER BY r.id`+s.ForNoKeyUpdate(), int64(id))
}

func (s requests) Find(ctx context.Context, id book.RequestID) (book.Request, error) {
	r, found, err := rawsql.One(ctx, s.Conn, readRequest, "SELECT "+requestColumns+" FROM requests r WHERE r.id = ?"+s.ForNoKeyUpdate(), int64(id))
	if err == nil && !found {
		err = book.ErrRequestNotFound
	}
	return r, err
}

func (s requests) Frequency(ctx context.Context, term string, n int) (int, book.ID, error) {
	newest, err := newestWith(ctx, s.conn, s.text, [][]string{{term}}, nil, top(book.ID(0)), forSale(), n, "b.id", rawsql.Integer[book.ID])
	if err != nil || len(newest) == 0 {
		return 0, 0, err
	}
	return len(newest), newest[len(newest)-1], nil
}

func (s requests) File(ctx context.Context, id book.RequestID, under []book.Filing) error {
	if _, err := s.Exec(ctx, "DELETE FROM request_keys WHERE request_id = ?", int64(id)); err != nil {
		return err
	}
	for _, f := range under {
		if _, err := s.Exec(ctx, "INSERT INTO request_keys (key, request_id, words) VALUES (?, ?, ?)", f.Key, int64(id), int64(f.Words)); err != nil {
			return err
		}
	}
	return nil
}

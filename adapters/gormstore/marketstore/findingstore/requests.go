package findingstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

type requestKeyRow struct {
	RequestID book.RequestID `gorm:"primaryKey;autoIncrement:false"`
	Key       string         `gorm:"primaryKey"`
	Words     book.BloomFilter
}

// TableName is part of GORM's interface.
func (requestKeyRow) TableName() string { return "request_keys" }

// requests is a part of finding.Store.
type requests struct {
	marketrows.Handle
	text fullText
}

func (s requests) AddRequest(ctx context.Context, r book.Request, limit int) error {
	open := table.Of[marketrows.RequestRow](s.Session).Where("owner_id = ? AND status = 0", r.Owner)
	if err := marketrows.MayAdd(ctx, s.Handle, requestsOf(r.Owner), open, limit, book.ErrTooManyRequests); err != nil {
		return err
	}
	row := marketrows.RequestRow(r)
	return table.Of[marketrows.RequestRow](s.Session).Create(ctx, &row)
}

// requestsOf is the name of the lock for adding requests.
func requestsOf(owner user.ID) string { return "requests of " + owner.String() }

func (s requests) LockOpenRequests(ctx context.Context, owner user.ID) ([]book.Request, error) {
	if err := s.AdvisoryLock(ctx, requestsOf(owner)); err != nil {
		return nil, err
	}
	return s.ListOpenRequests(ctx, owner)
}

func (s requests) UpdateRequest(ctx context.Context, r book.Request) error {
	_, err := table.Of[marketrows.RequestRow](s.Session).Where("id = ?", r.ID).
		Select("status", "filled_by").Updates(ctx, marketrows.RequestRow{Status: r.Status, FilledBy: r.FilledBy})
	return err
}

func (s requests) DeleteRequest(ctx context.Context, owner user.ID, id book.RequestID) error {
	n, err := table.Of[marketrows.RequestRow](s.Session).Where("id = ? AND owner_id = ?", id, owner).Delete(ctx)
	if err == nil && n == 0 {
		err = book.ErrRequestNotFound
	}
	if err != nil {
		return err
	}
	return s.deleteReferences(ctx, id)
}

// deleteReferences deletes the rows that refer to a request, or to the requests that a
// subquery selects.
func (s requests) deleteReferences(ctx context.Context, ids any) error {
	_, err := table.Of[requestKeyRow](s.Session).Where("request_id IN (?)", ids).Delete(ctx)
	if err == nil {
		_, err = table.Of[matchRow](s.Session).Where("request_id IN (?)", ids).Delete(ctx)
	}
	return err
}

// LockRequests locks in ascending order, as deleteRequestsOf does, so they do not deadlock.
func (s requests) LockRequests(ctx context.Context, ids ...book.RequestID) (locked []book.RequestID, err error) {
	if len(ids) == 0 {
		return nil, nil
	}
	err = table.Of[marketrows.RequestRow](s.Session, rawsql.ForKeyShare).Select("id").Where("id IN ?", rawsql.Padded(ids)).Order("id").Scan(ctx, &locked)
	return locked, err
}

// deleteRequestsOf locks the requests before it deletes their matches: afterwards no
// transaction can add one.
func (s requests) deleteRequestsOf(ctx context.Context, owner user.ID) error {
	var locked []book.RequestID
	err := table.Of[marketrows.RequestRow](s.Session, rawsql.ForUpdate).Select("id").Where("owner_id = ?", owner).Order("id").Scan(ctx, &locked)
	if err != nil || len(locked) == 0 {
		return err
	}
	if err := s.deleteReferences(ctx, s.Session.Model(marketrows.RequestRow{}).Select("id").Where("owner_id = ?", owner)); err != nil {
		return err
	}
	_, err = table.Of[marketrows.RequestRow](s.Session).Where("owner_id = ?", owner).Delete(ctx)
	return err
}

func (s requests) ListRequestsFilledBy(ctx context.Context, id book.ID) ([]book.Request, error) {
	return rawsql.List(ctx, table.Of[marketrows.RequestRow](s.Session, rawsql.ForNoKeyUpdate).Where("filled_by = ? AND filled_by <> 0", id).Order("id"), (*marketrows.RequestRow).Request)
}

func (s requests) FindRequest(ctx context.Context, id book.RequestID) (book.Request, error) {
	r, err := rawsql.Take(ctx, table.Of[marketrows.RequestRow](s.Session, rawsql.ForNoKeyUpdate).Where("id = ?", id), book.ErrRequestNotFound)
	return r.Request(), err
}

func (s requests) CountBooksWith(ctx context.Context, terms []string, n int) ([]int, error) {
	return s.text.count(ctx, terms, n)
}

func (s requests) IndexRequest(ctx context.Context, id book.RequestID, entries []book.IndexEntry) error {
	_, err := table.Of[requestKeyRow](s.Session).Where("request_id = ?", id).Delete(ctx)
	if err != nil || len(entries) == 0 {
		return err
	}
	rows := rawsql.Convert(entries, func(e *book.IndexEntry) requestKeyRow { return requestKeyRow{id, e.Key, e.Words} })
	return table.Of[requestKeyRow](s.Session).CreateInBatches(ctx, &rows, len(rows))
}

func (s requests) ListOpenRequests(ctx context.Context, owner user.ID) ([]book.Request, error) {
	return rawsql.Collect(ctx, s.Conn, marketrows.ReadRequest, "SELECT "+marketrows.RequestColumns+` FROM requests r
		WHERE r.owner_id = ? AND r.status = 0 ORDER BY r.id LIMIT ?`+s.Locking(rawsql.ForNoKeyUpdate), int64(owner), book.MaxOpenRequests)
}

// ListRequestsOf implements finding.Reader.
func (s Reader) ListRequestsOf(ctx context.Context, owner user.ID, before book.RequestID, n int) ([]book.Request, error) {
	return rawsql.List(ctx, table.Of[marketrows.RequestRow](s.DB.Read).Where("owner_id = ? AND id < ?", owner, rawsql.UpperBound(before)).Order("id DESC").Limit(n), (*marketrows.RequestRow).Request)
}

// ListWantedISBNs implements finding.Reader.
func (s Reader) ListWantedISBNs(ctx context.Context, newest, n int) ([]finding.WantedISBN, error) {
	return rawsql.Collect(ctx, s.Read.Conn, scanWantedISBN, `SELECT w.isbn, COUNT(DISTINCT w.owner_id) AS people, MIN(w.owner_id)
		FROM (SELECT r.isbn, r.owner_id FROM requests r WHERE r.status = 0 AND r.isbn <> '' ORDER BY r.id DESC LIMIT ?) AS w
		GROUP BY w.isbn ORDER BY people DESC, w.isbn LIMIT ?`, newest, n)
}

func scanWantedISBN() ([]any, func() finding.WantedISBN) {
	var w finding.WantedISBN
	return []any{&w.ISBN, &w.People, &w.One}, func() finding.WantedISBN { return w }
}

package findingstore

import (
	"context"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/savedsearch"
	"github.com/octavo-books/octavo/domain/text"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type searchRow struct {
	ID                        savedsearch.ID `gorm:"primaryKey;autoIncrement:false"`
	OwnerID                   user.ID
	Query, University, Course string
	Condition                 book.Condition
	MinPrice, MaxPrice        money.Amount
	Mail                      int
	CreatedAt                 time.Time `gorm:"serializer:micros;autoCreateTime:false"`
	MailedAt                  time.Time `gorm:"serializer:micros"`
	Unmailed                  int
}

type searchKeyRow struct {
	Key                      string         `gorm:"primaryKey"`
	SearchID                 savedsearch.ID `gorm:"primaryKey;autoIncrement:false"`
	OwnerID                  user.ID
	UniversityKey, CourseKey string
	Condition                book.Condition
	MinPrice, MaxPrice       money.Amount
}

type searchHitRow struct {
	SearchID savedsearch.ID `gorm:"primaryKey;autoIncrement:false"`
	BookID   book.ID        `gorm:"primaryKey;autoIncrement:false"`
	FoundAt  time.Time      `gorm:"serializer:micros"`
}

// TableName is part of GORM's interface, here and below.
func (searchRow) TableName() string    { return "saved_searches" }
func (searchKeyRow) TableName() string { return "saved_search_keys" }
func (searchHitRow) TableName() string { return "saved_search_hits" }

func rowOfSearch(s savedsearch.Search) searchRow {
	return searchRow{
		s.ID, s.Owner, s.Query, s.University, s.Course, s.Condition, s.MinPrice, s.MaxPrice,
		rawsql.Flag(s.Mail), s.CreatedAt, s.MailedAt, s.Unmailed,
	}
}

func (r *searchRow) search() savedsearch.Search {
	return savedsearch.Search{
		ID: r.ID, Owner: r.OwnerID, Mail: r.Mail != 0, CreatedAt: r.CreatedAt, MailedAt: r.MailedAt, Unmailed: r.Unmailed,
		Details: savedsearch.Details{
			Query: r.Query, University: r.University, Course: r.Course, Condition: r.Condition, MinPrice: r.MinPrice, MaxPrice: r.MaxPrice,
		},
	}
}

// savedSearches is a part of finding.Store.
type savedSearches struct{ marketrows.Handle }

func (s savedSearches) AddSearch(ctx context.Context, search savedsearch.Search, keys []string, limit int) error {
	others := table.Of[searchRow](s.Session).Where("owner_id = ?", search.Owner)
	if err := marketrows.MayAdd(ctx, s.Handle, "searches of "+search.Owner.String(), others, limit, savedsearch.ErrTooMany); err != nil {
		return err
	}
	row := rowOfSearch(search)
	if err := table.Of[searchRow](s.Session).Create(ctx, &row); err != nil {
		return err
	}
	rows := rawsql.Convert(keys, func(key *string) searchKeyRow {
		return searchKeyRow{*key, search.ID, search.Owner, text.Key(search.University), text.Key(search.Course), search.Condition, search.MinPrice, search.MaxPrice}
	})
	return table.Of[searchKeyRow](s.Session).CreateInBatches(ctx, &rows, len(rows))
}

func (s savedSearches) LockSearches(ctx context.Context, ids ...savedsearch.ID) ([]savedsearch.Search, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	return rawsql.List(ctx, table.Of[searchRow](s.Session, rawsql.ForUpdate).Where("id IN ?", rawsql.Padded(ids)).Order("id"), (*searchRow).search)
}

func (s savedSearches) LockSearchesToMail(ctx context.Context, then time.Time, n int) ([]savedsearch.Search, error) {
	return rawsql.List(ctx, table.Of[searchRow](s.Session, rawsql.SkipLocked).
		Where("unmailed > 0 AND mailed_at <= ?", rawsql.Micros(then)).Order("mailed_at, id").Limit(n), (*searchRow).search)
}

func (s savedSearches) UpdateSearch(ctx context.Context, search savedsearch.Search) error {
	_, err := table.Of[searchRow](s.Session).Where("id = ?", search.ID).
		Select("mail", "mailed_at", "unmailed").Updates(ctx, rowOfSearch(search))
	return err
}

func (s savedSearches) DeleteSearch(ctx context.Context, id savedsearch.ID) error {
	return s.delete(ctx, []savedsearch.ID{id})
}

// deleteSearchesOf deletes all searches of an owner and what they have found.
func (s savedSearches) deleteSearchesOf(ctx context.Context, owner user.ID) error {
	var ids []savedsearch.ID
	err := table.Of[searchRow](s.Session, rawsql.ForUpdate).Select("id").Where("owner_id = ?", owner).Order("id").Scan(ctx, &ids)
	if err != nil || len(ids) == 0 {
		return err
	}
	return s.delete(ctx, ids)
}

// delete deletes locked searches. Others lock a search before they add a hit.
func (s savedSearches) delete(ctx context.Context, ids []savedsearch.ID) error {
	_, err := table.Of[searchHitRow](s.Session).Where("search_id IN ?", ids).Delete(ctx)
	if err == nil {
		_, err = table.Of[searchKeyRow](s.Session).Where("search_id IN ?", ids).Delete(ctx)
	}
	if err == nil {
		_, err = table.Of[searchRow](s.Session).Where("id IN ?", ids).Delete(ctx)
	}
	return err
}

func (s savedSearches) AddHit(ctx context.Context, id savedsearch.ID, found book.ID, now time.Time) (bool, error) {
	added := gorm.WithResult()
	err := table.Of[searchHitRow](s.Session, clause.OnConflict{DoNothing: true}, added).Create(ctx, &searchHitRow{id, found, now})
	return added.RowsAffected == 1, err
}

func (s savedSearches) ListHits(ctx context.Context, id savedsearch.ID, n int) ([]book.Book, error) {
	return rawsql.Collect(ctx, s.Conn, marketrows.ReadBook, "SELECT "+marketrows.BookColumns+` FROM
		(SELECT book_id AS id, found_at FROM saved_search_hits WHERE search_id = ? ORDER BY found_at DESC, book_id DESC LIMIT ?) AS h`+s.JoinBook()+`
		WHERE b.status = 0 ORDER BY h.found_at DESC, b.id DESC`, int64(id), n)
}

func (s savedSearches) DeleteHits(ctx context.Context, found book.ID, n int) (bool, error) {
	deleted, err := s.Exec(ctx, `DELETE FROM saved_search_hits WHERE book_id = ? AND search_id IN
		(SELECT search_id FROM saved_search_hits WHERE book_id = ? ORDER BY search_id LIMIT ?)`, int64(found), int64(found), n)
	return deleted >= int64(n), err
}

// FindSearchesByKeys also reads the last entry that it scanned, if the scan stopped there.
func (s savedSearches) FindSearchesByKeys(ctx context.Context, q finding.SearchQuery) (ids []savedsearch.ID, end finding.SearchCursor, err error) {
	if len(q.Keys) == 0 {
		return nil, end, nil
	}
	var w marketrows.Where
	marks, args := rawsql.In(q.Keys)
	w.And("key IN ("+marks+")", args...)
	if q.After.Key != "" {
		w.And("(key > ? OR key = ? AND search_id > ?)", q.After.Key, q.After.Key, int64(q.After.Search))
	}
	b := q.Book
	args = slices.Concat(w.Args, []any{
		q.MaxEntries, int64(b.Seller), text.Key(b.University), text.Key(b.Course), int(b.Condition), int64(b.Price), int64(b.Price), q.Limit,
	}, w.Args, []any{q.MaxEntries - 1})
	found, err := rawsql.Collect(ctx, s.Conn, readFoundSearch, searchScan(w.String()), args...)
	for _, f := range found {
		if f.last {
			end = f.SearchCursor
		} else {
			ids = append(ids, f.Search)
		}
	}
	if len(ids) == q.Limit {
		end = found[q.Limit-1].SearchCursor
	}
	slices.Sort(ids)
	return slices.Compact(ids), end, err
}

// searchScan selects the searches, and the position of the last scanned entry.
func searchScan(entries string) string {
	return `SELECT key, search_id, 0 FROM (SELECT key, search_id FROM
		(SELECT * FROM saved_search_keys ` + entries + ` ORDER BY key, search_id LIMIT ?) AS scanned
		WHERE owner_id <> ? AND (university_key = '' OR university_key = ?) AND (course_key = '' OR course_key = ?)
			AND (condition = 0 OR condition = ?) AND min_price <= ? AND (max_price = 0 OR max_price >= ?)
		ORDER BY key, search_id LIMIT ?) AS found
	UNION ALL SELECT * FROM (SELECT key, search_id, 1 FROM saved_search_keys ` + entries + ` ORDER BY key, search_id LIMIT 1 OFFSET ?) AS last`
}

type foundSearch struct {
	finding.SearchCursor
	last bool // the position of the last scanned entry, not a search
}

func readFoundSearch() ([]any, func() foundSearch) {
	var f foundSearch
	return []any{&f.Key, &f.Search, &f.last}, func() foundSearch { return f }
}

// ListSearchesOf is finding.Reader.
func (s Reader) ListSearchesOf(ctx context.Context, owner user.ID, before savedsearch.ID, n int) ([]savedsearch.Search, error) {
	return rawsql.List(ctx, table.Of[searchRow](s.DB.Read).Where("owner_id = ? AND id < ?", owner, rawsql.UpperBound(before)).Order("id DESC").Limit(n), (*searchRow).search)
}

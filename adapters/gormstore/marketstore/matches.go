package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// matches implements market.MatchStore.
type matches struct {
	conn
	text fullText
}

// LockKeys takes an advisory lock for each key, shared for books and exclusive for requests,
// until the transaction ends: on Postgres, two concurrent transactions do not see what the
// other has inserted. All transactions take their locks in the same order, so they do not
// deadlock. SQLite has one writer and needs no locks.
func (s matches) LockKeys(ctx context.Context, posting bool, keys []string) error {
	if !s.isPostgres() || len(keys) == 0 {
		return nil
	}
	lock := "pg_advisory_xact_lock"
	if posting {
		lock = "pg_advisory_xact_lock_shared"
	}
	marks, args := rawsql.In(keys)
	_, err := s.Exec(ctx, "SELECT "+lock+"(h) FROM (SELECT DISTINCT hashtextextended(k, 0) AS h FROM unnest(ARRAY["+marks+"]::text[]) AS k ORDER BY h) AS ordered", args...)
	return err
}

func (s matches) FindBooksByKey(ctx context.Context, key book.SearchKey, before book.ID, n int) ([]book.Book, error) {
	var found *table.Query[bookRow]
	switch key.Reason {
	case book.ByISBN:
		found = table.Of[bookRow](s.session).Where("status = 0 AND isbn <> '' AND isbn = ?", key.ISBN)
	case book.ByCourse:
		found = table.Of[bookRow](s.session).Where("status = 0 AND course_key = ?", key.Course)
	default:
		groups := make([][]string, len(key.Words))
		for i, w := range key.Words {
			groups[i] = []string{w}
		}
		return newestWith(ctx, s.conn, s.text, groups, market.Criteria{}, rawsql.UpperBound(before), n, bookColumns, readBook)
	}
	rows, err := found.Where("id < ?", rawsql.UpperBound(before)).Order("id DESC").Limit(n).Find(ctx)
	return rawsql.Convert(rows, (*bookRow).book), err
}

func (s matches) AddMatch(ctx context.Context, m book.Match) (bool, error) {
	added := gorm.WithResult()
	err := table.Of[matchRow](s.session, clause.OnConflict{DoNothing: true}, added).
		Create(ctx, &matchRow{m.ID, m.Book, m.Request, m.Owner, m.Reason, 1, m.CreatedAt})
	if err != nil || added.RowsAffected == 1 {
		return err == nil, err
	}
	_, err = table.Of[matchRow](s.session).Where("book_id = ? AND request_id = ?", m.Book, m.Request).
		Select("holds", "reason").Updates(ctx, matchRow{Holds: 1, Reason: m.Reason})
	return false, err
}

func (s matches) InvalidateMatches(ctx context.Context, id book.ID) error {
	_, err := table.Of[matchRow](s.session).Where("book_id = ? AND holds = 1", id).Update(ctx, "holds", 0)
	return err
}

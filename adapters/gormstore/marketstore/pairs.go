package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/domain/book"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

// pairs is market.MatchStore.
type pairs struct {
	conn
	text fullText
}

func (s pairs) FindBooksByKey(ctx context.Context, clue book.SearchKey, before book.ID, n int) ([]book.Book, error) {
	var found gorm.ChainInterface[bookRow]
	switch clue.Reason {
	case book.ByISBN:
		found = gorm.G[bookRow](s.session).Where("status = 0 AND isbn <> '' AND isbn = ?", clue.ISBN)
	case book.ByCourse:
		found = gorm.G[bookRow](s.session).Where("status = 0 AND course_key = ?", clue.Course)
	default:
		groups := make([][]string, len(clue.Words))
		for i, w := range clue.Words {
			groups[i] = []string{w}
		}
		return newestWith(ctx, s.conn, s.text, groups, nil, top(before), forSale(), n, bookColumns, readBook)
	}
	rows, err := found.Where("id < ?", top(before)).Order("id DESC").Limit(n).Find(ctx)
	return each(rows, (*bookRow).book), err
}

func (s pairs) AddMatch(ctx context.Context, p book.Match) (bool, error) {
	added := gorm.WithResult()
	err := gorm.G[pairRow](s.session, clause.OnConflict{DoNothing: true}, added).
		Create(ctx, &pairRow{p.ID, p.Book, p.Request, p.Owner, p.Reason, 1, p.CreatedAt})
	if err != nil || added.RowsAffected == 1 {
		return err == nil, err
	}
	_, err = gorm.G[pairRow](s.session).Where("book_id = ? AND request_id = ?", p.Book, p.Request).
		Select("holds", "reason").Updates(ctx, pairRow{Holds: 1, Reason: p.Reason})
	return false, err
}

func (s pairs) InvalidateMatches(ctx context.Context, id book.ID) error {
	_, err := gorm.G[pairRow](s.session).Where("book_id = ? AND holds = 1", id).Update(ctx, "holds", 0)
	return err
}

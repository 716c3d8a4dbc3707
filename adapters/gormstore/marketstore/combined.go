package marketstore

import (
	"context"
	"math"
	"strings"

	"github.com/octavo-books/octavo/application/market"
)

// bounds keep a list short that an index does not lead to directly.
type bounds struct {
	walked int // books that are looked at for a price within its step
	sorted int // as many are not sorted by price, nor looked through for one first
}

var usual = bounds{walked: 1000, sorted: 200}

// all is how many books are looked at where that ends soon by itself.
const all = math.MaxInt

// combined lists newest first what meets criteria whose marks have a list together.
func (s *Store) combined(ctx context.Context, c market.Criteria, after market.Position, n int) ([]market.BookView, error) {
	if c.MinPrice != nil || c.MaxPrice != nil {
		return s.inRange(ctx, c, after, n)
	}
	some, err := s.shortest(ctx, shelfLists(c), n)
	if err != nil {
		return nil, err
	}
	return s.within(ctx, strings.Join(some, " AND "), after.ID, all, c, market.Newest, after, n)
}

// within lists what meets the criteria among the newest books that an expression has, or
// of all if it is empty, with ids below before; 0 means all.
func (s *Store) within(ctx context.Context, expression string, before int64, newest int, c market.Criteria, sort market.Sort, after market.Position, n int) ([]market.BookView, error) {
	w := shelved(c, plainUniversity, plainPrice)
	w.and("b.id = hits.id")
	order := w.follow(sort, after)
	if sort == market.Newest {
		order = "hits.id DESC" // as they come: nothing is sorted
	}
	hits, args := "SELECT rowid AS id FROM book_search WHERE book_search MATCH ? AND rowid < ? ORDER BY rowid DESC LIMIT ?", []any{expression, top(before), newest}
	if expression == "" {
		hits, args = "SELECT id FROM books WHERE status = 0 AND id < ? ORDER BY id DESC LIMIT ?", args[1:]
	}
	return collectUpTo(ctx, s.read, n, readListed, "SELECT "+listedColumns+", COALESCE(u.first_name, '') FROM ("+hits+`) AS hits
		CROSS JOIN books b JOIN users u ON u.id = b.seller_id `+w.String()+" ORDER BY "+order+" LIMIT ?",
		append(append(args, w.args...), n)...)
}

// filters counts the criteria that have marks.
func filters(c market.Criteria) int {
	n := len(marksFor(c))
	if c.Course != "" {
		n++
	}
	return n
}

package marketstore

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
)

// plainBounds say how far Postgres walks along a list for what the list does not tell,
// before what there is of it is gathered.
type plainBounds struct {
	books   int // books that are looked at for a price or a condition
	glanced int // entries of book_search that are looked at for words first
	hits    int // as many entries with some words are common ones
	entries int // entries that are looked at for common words
	few     int // fewer books within a range of prices are looked through for words at once
	priced  int // as many are never looked through
}

var usualOnPostgres = plainBounds{books: 5_000, glanced: 5_000, hits: 2_000, entries: 40_000, few: 1_000, priced: 10_000}

// Whatever the planner takes for likely, a list first finds ids by one index, and then
// reads the few books with these one by one. OFFSET 0 keeps it from joining otherwise.
const (
	byID        = " CROSS JOIN LATERAL (SELECT * FROM books WHERE books.id = h.id OFFSET 0) b"
	plainSeller = " CROSS JOIN LATERAL (SELECT first_name FROM users WHERE users.id = b.seller_id OFFSET 0) u"
	plainViews  = "SELECT " + listedColumns + ", COALESCE(u.first_name, '') FROM ("
)

// plainList is Listed on Postgres.
func (s *Store) plainList(ctx context.Context, c market.Criteria, sort market.Sort, after market.Position, n int) ([]market.BookView, error) {
	byPrice := sort == market.Cheapest || sort == market.Costliest
	switch {
	case c.Course != "" || c.ISBN != "":
		return s.plainFew(ctx, c, sort, after, n)
	case !byPrice && (c.Condition != 0 || c.MinPrice != nil || c.MaxPrice != nil):
		return s.plainNewest(ctx, c, after, n)
	}
	if !byPrice {
		w, order := plainAge(c.University, after)
		w.narrow(c, plainPrice)
		return s.plainListed(ctx, "SELECT b.id FROM books b "+w.String()+" ORDER BY "+order+" LIMIT ?", "b.id DESC", n, append(w.args, n)...)
	}
	w := shelved(c, indexedUniversity, indexedPrice)
	order := w.follow(sort, after)
	return s.plainListed(ctx, "SELECT b.id FROM books b "+w.String()+" ORDER BY "+order+" LIMIT ?", order, n, append(w.args, n)...)
}

// plainListed reads the books whose ids a query finds.
func (s *Store) plainListed(ctx context.Context, ids, order string, n int, args ...any) ([]market.BookView, error) {
	return collectUpTo(ctx, s.read, n, readListed, plainViews+ids+") h"+byID+plainSeller+" ORDER BY "+order, args...)
}

// plainFew lists the books of a course or an ISBN: few enough to be looked through.
func (s *Store) plainFew(ctx context.Context, c market.Criteria, sort market.Sort, after market.Position, n int) ([]market.BookView, error) {
	few := shelved(market.Criteria{Course: c.Course, ISBN: c.ISBN}, plainUniversity, plainPrice)
	rest := shelved(market.Criteria{University: c.University, Condition: c.Condition, MinPrice: c.MinPrice, MaxPrice: c.MaxPrice, NotBy: c.NotBy}, indexedUniversity, indexedPrice)
	order := rest.follow(sort, after)
	all := "SELECT * FROM books b " + few.String()
	if sort == market.Cheapest || sort == market.Costliest {
		all += " OFFSET 0"
	}
	return s.plainListed(ctx, "SELECT b.id FROM ("+all+") b "+rest.String()+" ORDER BY "+order+" LIMIT ?", order, n,
		append(append(few.args, rest.args...), n)...)
}

// plainNewest lists by age what has a condition or a price. Where these are common, a
// page is soon found among the newest books; where they are rare, those that there are
// can be gathered by an index and sorted.
func (s *Store) plainNewest(ctx context.Context, c market.Criteria, after market.Position, n int) ([]market.BookView, error) {
	views, err := s.plainWalk(ctx, c, after, n)
	if err != nil || len(views) == n {
		return views, err
	}
	w, order := plainAge(c.University, after)
	last, older, err := one(ctx, s.read, integer[int64],
		"SELECT b.id FROM books b "+w.String()+" ORDER BY "+order+" LIMIT 1 OFFSET ?", append(w.args, s.plain.books-1)...)
	if err != nil || !older {
		return views, err
	}
	w = shelved(c, indexedUniversity, indexedPrice)
	w.and("b.id + 0 < ?", last)
	more, err := s.plainListed(ctx, "SELECT b.id FROM books b "+w.String()+" ORDER BY b.id + 0 DESC LIMIT ?", "b.id DESC", n, append(w.args, n-len(views))...)
	return append(views, more...), err
}

// plainAge are the conditions on books from a position on, of a university if one is named,
// and an order in which its index has them: where the planner takes a university for a
// large one, it would rather walk along all books than have equality.
func plainAge(university string, after market.Position) (w *where, order string) {
	w = &where{}
	w.and("b.status = 0")
	if university == "" {
		w.and("b.id < ?", top(after.ID))
		return w, "b.id DESC"
	}
	w.and("(b.university_key, b.id) < (?, ?) AND (b.university_key, b.id) > (?, 0)", university, top(after.ID), university)
	return w, "b.university_key DESC, b.id DESC"
}

// plainWalk looks through the newest books, of a university if the criteria name one.
func (s *Store) plainWalk(ctx context.Context, c market.Criteria, after market.Position, n int) ([]market.BookView, error) {
	newest, order := plainAge(c.University, after)
	c.University = ""
	rest := shelved(c, indexedUniversity, indexedPrice)
	return s.plainListed(ctx, "SELECT b.id FROM (SELECT * FROM books b "+newest.String()+" ORDER BY "+order+" LIMIT ?) b "+rest.String()+" ORDER BY "+order+" LIMIT ?",
		"b.id DESC", n, append(append(append(newest.args, s.plain.books), rest.args...), n)...)
}

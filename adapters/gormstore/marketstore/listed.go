package marketstore

import (
	"context"
	"strings"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
)

// viewColumns are those of a book with its seller's name.
const viewColumns = bookColumns + ", COALESCE(u.first_name, '')"

const fromViews = " FROM books b JOIN users u ON u.id = b.seller_id "

func readView() ([]any, func() market.BookView) {
	var r bookRow
	var name string
	return r.columns(&name), func() market.BookView { return market.BookView{Book: r.book(), SellerName: name} }
}

// listedViews selects what readListed reads of books for sale.
const listedViews = "SELECT " + listedColumns + ", COALESCE(u.first_name, '')" + fromViews

// readListed leaves status and buyer at 0, which is what books for sale have.
func readListed() ([]any, func() market.BookView) {
	var r bookRow
	var name string
	return r.listedColumns(&name), func() market.BookView { return market.BookView{Book: r.book(), SellerName: name} }
}

// where gathers conditions and their parameters.
type where struct {
	conditions []string
	args       []any
}

func (w *where) and(condition string, args ...any) {
	w.conditions = append(w.conditions, condition)
	w.args = append(w.args, args...)
}

func (w *where) String() string { return "WHERE " + strings.Join(w.conditions, " AND ") }

// narrow adds criteria that need no index; price is an expression of it.
func (w *where) narrow(c market.Criteria, price string) {
	if c.NotBy != 0 {
		w.and("b.seller_id <> ?", int64(c.NotBy))
	}
	if c.MinPrice != nil {
		w.and(price+" >= ?", int64(*c.MinPrice))
	}
	if c.MaxPrice != nil {
		w.and(price+" <= ?", int64(*c.MaxPrice))
	}
}

// What a condition is put on decides whether an index may serve it: an
// expression of a column has none.
const (
	indexedUniversity, plainUniversity = "b.university_key", "b.university_key || ''"
	indexedPrice, plainPrice           = "b.price", "b.price + 0"
)

// shelved are the conditions of criteria on books for sale. Of a course and a
// university the course has fewer books, so its index is the one to use.
func shelved(c market.Criteria, university, price string) *where {
	var w where
	w.and("b.status = 0") // a constant, so that the partial indexes serve
	if c.Course != "" {
		w.and("b.course_key = ?", c.Course)
		university = plainUniversity
	}
	if c.ISBN != "" {
		w.and("b.isbn <> '' AND b.isbn = ?", string(c.ISBN))
		university = plainUniversity
	}
	if c.University != "" {
		w.and(university+" = ?", c.University)
	}
	if c.Condition != 0 {
		w.and("b.grade = ?", int(c.Condition))
	}
	w.narrow(c, price)
	return &w
}

// Listed is market.BookReader. On SQLite, which keeps no statistics, each kind of list
// has a way that stays short however many books there are.
func (s *Store) Listed(ctx context.Context, c market.Criteria, sort market.Sort, after market.Position, n int) ([]market.BookView, error) {
	byPrice := sort == market.Cheapest || sort == market.Costliest
	switch {
	case s.read.postgres():
		return s.plainList(ctx, c, sort, after, n)
	case c.ISBN != "": // few books, in whatever order
	case byPrice:
		return s.byPrice(ctx, c, sort, after, n)
	case filters(c) > 1 || filters(c) == 1 && c.University == "":
		return s.combined(ctx, c, after, n)
	}
	w := shelved(c, indexedUniversity, indexedPrice)
	return s.listed(ctx, w, w.follow(sort, after), n)
}

func (s *Store) listed(ctx context.Context, w *where, order string, n int) ([]market.BookView, error) {
	return collectUpTo(ctx, s.read, n, readListed, listedViews+w.String()+" ORDER BY "+order+" LIMIT ?", append(w.args, n)...)
}

// follow adds the position and returns the order.
func (w *where) follow(sort market.Sort, after market.Position) string {
	switch sort {
	case market.Cheapest:
		if !after.Start() {
			w.and("b.price >= ? AND (b.price > ? OR b.id < ?)", after.Key, after.Key, after.ID)
		}
		return "b.price, b.id DESC"
	case market.Costliest:
		if !after.Start() {
			w.and("(b.price, b.id) < (?, ?)", after.Key, after.ID)
		}
		return "b.price DESC, b.id DESC"
	}
	if !after.Start() {
		w.and("b.id < ?", after.ID)
	}
	return "b.id DESC"
}

// Skipped is market.BookReader. The rows that are skipped are walked in the
// index alone.
func (s *Store) Skipped(ctx context.Context, n, skip int) ([]market.BookView, error) {
	return collectUpTo(ctx, s.read, n, readListed, listedViews+`WHERE b.id IN
		(SELECT id FROM books WHERE status = 0 ORDER BY id DESC LIMIT ? OFFSET ?) ORDER BY b.id DESC`, n, skip)
}

// Views is market.BookReader.
func (s *Store) Views(ctx context.Context, ids ...book.ID) ([]market.BookView, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	marks, args := list(ids)
	return s.withOrders(ctx, "SELECT "+viewColumns+fromViews+"WHERE b.id IN ("+marks+")", args...)
}

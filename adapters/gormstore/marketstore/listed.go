package marketstore

import (
	"context"
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
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

// ListBooksForSale is market.BookReader. A list of
//
//   - an ISBN or a course has its index, by age; what is left of these few books is sorted.
//   - the newest books has one, and another for each university. Prices and conditions are
//     compared on the way, unless few books have them: then these are sorted.
//   - the cheapest or the dearest books has one by condition and price, and another for each
//     university. The lists of all conditions are merged where none is given.
func (s *Store) ListBooksForSale(ctx context.Context, c market.Criteria, sort market.Sort, after market.Position, n int) ([]market.BookView, error) {
	switch {
	case sort == market.PriceAsc || sort == market.PriceDesc:
		return s.listed(ctx, byPrice(c, sort, after, n), n)
	case c.ISBN == "" && c.Course == "" && (c.Condition != 0 || c.MinPrice != nil || c.MaxPrice != nil):
		few, err := s.few(ctx, c)
		if err != nil || few {
			return s.listed(ctx, byAgeOfFew(c, after, n), n)
		}
	}
	return s.listed(ctx, byAge(c, after, n), n)
}

// few reports whether few books have the condition and the price, of whatever age. Where
// there are more, one is soon met among the newest.
func (s *Store) few(ctx context.Context, c market.Criteria) (bool, error) {
	c.NotBy = 0 // of which no index tells
	shelves := priced(c)
	for _, w := range shelves {
		w.args = append(w.args, s.bounds.sorted)
	}
	u := union(shelves, "SELECT b.price", " ORDER BY b.price LIMIT ?") // by which Postgres takes the index
	count, _, err := rawsql.One(ctx, s.read.Conn, rawsql.Integer[int], "SELECT count(*) FROM ("+u.query+" LIMIT ?) AS few", append(u.args, s.bounds.sorted)...)
	return count < s.bounds.sorted, err
}

// listed reads the books of a list. Their ids are found first, so that rows are read for what
// is shown and not for what is passed over or sorted.
func (s *Store) listed(ctx context.Context, of idQuery, n int) ([]market.BookView, error) {
	return rawsql.CollectUpTo(ctx, s.read.Conn, n, readView, "SELECT "+viewColumns+" FROM ("+of.query+") AS h"+
		s.read.itsBook()+s.read.itsSeller()+" ORDER BY "+of.order, of.args...)
}

// byAge lists the newest first.
func byAge(c market.Criteria, after market.Position, n int) idQuery {
	w := aged(c)
	w.and("b.id < ?", top(after.ID))
	return idQuery{"SELECT b.id FROM books b " + w.String() + " ORDER BY b.id DESC LIMIT ?", append(w.args, n), newestFirst}
}

// byAgeOfFew does it for a condition and prices that few books have.
func byAgeOfFew(c market.Criteria, after market.Position, n int) idQuery {
	shelves := priced(c)
	for _, w := range shelves {
		w.and("b.id + 0 < ?", top(after.ID))
	}
	u := union(shelves, "SELECT b.id", "")
	return idQuery{u.query + " ORDER BY id DESC LIMIT ?", append(u.args, n), newestFirst}
}

// byPrice lists the cheapest or the dearest first. The dearest are read backwards, where the
// books of one price have to be sorted: of these the newest comes first in either order.
func byPrice(c market.Criteria, sort market.Sort, after market.Position, n int) idQuery {
	direction, beyond := "", ">"
	if sort == market.PriceDesc {
		direction, beyond = " DESC", "<"
	}
	shelves := []*where{aged(c)}
	if c.ISBN == "" && c.Course == "" {
		shelves = priced(c)
	}
	for _, w := range shelves {
		if !after.Start() {
			w.and("b.price "+beyond+"= ? AND (b.price "+beyond+" ? OR b.id < ?)", after.Key, after.Key, after.ID)
		}
		w.args = append(w.args, n)
	}
	u := union(shelves, "SELECT b.id, b.price", " ORDER BY b.price"+direction+", b.id DESC LIMIT ?")
	return idQuery{
		u.query + " ORDER BY price" + direction + ", id DESC LIMIT ?", append(u.args, n),
		"h.price" + direction + ", h.id DESC",
	}
}

// union selects from the books of each shelf.
func union(shelves []*where, columns, end string) idQuery {
	parts, args := make([]string, len(shelves)), []any(nil)
	for i, w := range shelves {
		parts[i] = "SELECT * FROM (" + columns + " FROM books b " + w.String() + end + ") AS shelf" + strconv.Itoa(i)
		args = append(args, w.args...)
	}
	return idQuery{query: strings.Join(parts, " UNION ALL "), args: args}
}

// where is a list of conditions with their arguments.
type where struct {
	conditions []string
	args       []any
}

func (w *where) and(condition string, args ...any) {
	w.conditions = append(w.conditions, condition)
	w.args = append(w.args, args...)
}

func (w *where) String() string { return "WHERE " + strings.Join(w.conditions, " AND ") }

// forSale is a constant condition, so that the partial indexes serve.
func forSale() *where { return &where{conditions: []string{"b.status = 0"}} }

// aged narrows to the criteria by an index that goes on with the id: that of the ISBN, of the
// course, of the university or of all books.
func aged(c market.Criteria) *where {
	w := forSale()
	switch {
	case c.ISBN != "":
		w.and("b.isbn <> '' AND b.isbn = ?", string(c.ISBN))
		c.ISBN = ""
	case c.Course != "":
		w.and("b.course_key = ?", c.Course)
		c.Course = ""
	case c.University != "":
		w.and("b.university_key = ?", c.University)
		c.University = ""
	}
	w.meeting(c)
	return w
}

// priced narrows to the criteria by the index of condition and price, that of a university or
// that of all books, for each condition: together they have no order that an index could give.
func priced(c market.Criteria) (shelves []*where) {
	for _, condition := range book.Conditions() {
		if c.Condition != 0 && c.Condition != condition {
			continue
		}
		w := forSale()
		if c.University != "" {
			w.and("b.university_key = ?", c.University)
		}
		w.and("b.grade = ?", int(condition))
		if c.MinPrice != nil {
			w.and("b.price >= ?", int64(*c.MinPrice))
		}
		if c.MaxPrice != nil {
			w.and("b.price <= ?", int64(*c.MaxPrice))
		}
		w.meeting(market.Criteria{NotBy: c.NotBy})
		shelves = append(shelves, w)
	}
	return shelves
}

// meeting are the criteria for books that are found by something else.
func meeting(c market.Criteria) *where {
	w := forSale()
	w.meeting(c)
	return w
}

// meeting compares books that are found by something else. Its conditions are on expressions,
// for which there is no index to try.
func (w *where) meeting(c market.Criteria) {
	if c.ISBN != "" {
		w.and("b.isbn || '' = ?", string(c.ISBN))
	}
	if c.Course != "" {
		w.and("b.course_key || '' = ?", c.Course)
	}
	if c.University != "" {
		w.and("b.university_key || '' = ?", c.University)
	}
	if c.Condition != 0 {
		w.and("b.grade + 0 = ?", int(c.Condition))
	}
	if c.MinPrice != nil {
		w.and("b.price + 0 >= ?", int64(*c.MinPrice))
	}
	if c.MaxPrice != nil {
		w.and("b.price + 0 <= ?", int64(*c.MaxPrice))
	}
	if c.NotBy != 0 {
		w.and("b.seller_id <> ?", int64(c.NotBy))
	}
}

// ListBooksForSaleByOffset is market.BookReader. The rows that are skipped are walked in the
// index alone.
func (s *Store) ListBooksForSaleByOffset(ctx context.Context, n, skip int) ([]market.BookView, error) {
	return rawsql.CollectUpTo(ctx, s.read.Conn, n, readView, "SELECT "+viewColumns+fromViews+`WHERE b.id IN
		(SELECT id FROM books WHERE status = 0 ORDER BY id DESC LIMIT ? OFFSET ?) ORDER BY b.id DESC`, n, skip)
}

// FindBookViews is market.BookReader.
func (s *Store) FindBookViews(ctx context.Context, ids ...book.ID) ([]market.BookView, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	marks, args := rawsql.In(ids)
	return s.withOrders(ctx, "SELECT "+viewColumns+fromViews+"WHERE b.id IN ("+marks+")", args...)
}

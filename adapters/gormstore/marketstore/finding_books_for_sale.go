package marketstore

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
)

// bookViewColumns are the columns of a book with its seller's name and its photos.
const bookViewColumns = bookColumns + ", COALESCE(u.first_name, ''), " + photosColumn

const fromBookViews = " FROM books b JOIN users u ON u.id = b.seller_id "

func readBookView() ([]any, func() market.BookView) {
	var v bookViewRow
	return v.columns(), v.view
}

type bookViewRow struct {
	bookRow
	seller string
	photos photoList
}

func (r *bookViewRow) columns(more ...any) []any {
	return r.bookRow.columns(append([]any{&r.seller, &r.photos}, more...)...)
}

func (r *bookViewRow) view() market.BookView {
	b := r.book()
	return market.BookView{Book: b, SellerName: r.seller, Photos: r.photos.of(b)}
}

// ListBooksForSale implements finding.Reader. It reads from an index:
//
//   - With an ISBN or a course, the index of that, by age or by price. Few books remain to be filtered.
//   - Newest first, the index of all books or of a university, by age. It filters by price
//     and condition during the scan, unless few books have them: then it sorts those.
//   - By price, the index of all books or of a university, by condition and price. Without a
//     condition, it merges the scans of all conditions.
func (s *Store) ListBooksForSale(ctx context.Context, c finding.Criteria, sort finding.Sort, after market.Position, n int) ([]market.BookView, error) {
	switch {
	case sort == finding.PriceAsc || sort == finding.PriceDesc:
		return s.booksByIDs(ctx, byPrice(c, sort, after, n), n)
	case c.ISBN == "" && c.Course == "":
		selective, err := s.read.isSelective(ctx, c, s.bounds.sorted)
		if err != nil || selective {
			return s.booksByIDs(ctx, byAgeSorted(c, after, n), n)
		}
	}
	return s.booksByIDs(ctx, s.read.byAge(c, after, n), n)
}

// isSelective reports whether the criteria have a condition or a price and fewer books than
// the bound have it. If more have it, a scan of the newest books soon finds enough.
func (s conn) isSelective(ctx context.Context, c finding.Criteria, bound int) (bool, error) {
	if c.Condition == 0 && c.MinPrice == nil && c.MaxPrice == nil {
		return false, nil
	}
	c.NotBy, c.NotUniversity = 0, "" // no index begins with them
	count, err := s.countByPrice(ctx, c, bound)
	return count < bound, err
}

// countByPrice counts the books that meet the criteria without ISBN and course, up to a bound.
func (s conn) countByPrice(ctx context.Context, c finding.Criteria, bound int) (int, error) {
	scans := byIndexAndPrice(c)
	for _, w := range scans {
		w.args = append(w.args, bound)
	}
	u := union(scans, "SELECT b.price", " ORDER BY b.price LIMIT ?") // ORDER BY makes Postgres use the index
	count, _, err := rawsql.One(ctx, s.Conn, rawsql.Integer[int], "SELECT count(*) FROM ("+u.query+" LIMIT ?) AS few", append(u.args, bound)...)
	return count, err
}

// booksByIDs reads the books of a list. The query for the ids runs first, so that it reads
// whole rows only for the books of the page, not for those that it skips or sorts.
func (s *Store) booksByIDs(ctx context.Context, of idQuery, n int) ([]market.BookView, error) {
	return rawsql.CollectUpTo(ctx, s.read.Conn, n, readBookView, "SELECT "+bookViewColumns+" FROM ("+of.query+") AS h"+
		s.read.joinBook()+s.read.joinSeller()+" ORDER BY "+of.order, of.args...)
}

// byAge lists the newest books first, in the order of an index.
func (s conn) byAge(c finding.Criteria, after market.Position, n int) idQuery {
	if s.isPostgres() {
		return byAgeFiltered(c, after, n)
	}
	w := byIndexAndAge(c)
	w.and("b.id < ?", rawsql.UpperBound(after.ID))
	return idQuery{"SELECT b.id FROM books b " + w.String() + " ORDER BY b.id DESC LIMIT ?", append(w.args, n), newestFirst}
}

// byAgeFiltered is byAge for Postgres, which takes a condition and a price for so rare that it would
// rather sort all books of a university. OFFSET 0 keeps it from seeing them until it has chosen the index.
// A university to leave out is in no index by age, so the row is read only outside: else Postgres
// sometimes reads all rows backwards, with those of sold books.
func byAgeFiltered(c finding.Criteria, after market.Position, n int) idQuery {
	filters := &where{conditions: []string{"TRUE"}}
	filters.condition(c, "", "")
	if c.NotUniversity != "" {
		filters.and("(SELECT university_key FROM books WHERE id = b.id) <> ?", c.NotUniversity)
	}
	c.Condition, c.MinPrice, c.MaxPrice, c.NotUniversity = 0, nil, nil, ""
	w := byIndexAndAge(c)
	w.and("b.id < ?", rawsql.UpperBound(after.ID))
	return idQuery{
		"SELECT b.id FROM (SELECT b.id, b.price, b.condition FROM books b " + w.String() + " ORDER BY b.id DESC OFFSET 0) AS b " + filters.String() + " LIMIT ?",
		append(append(w.args, filters.args...), n), newestFirst,
	}
}

// byAgeSorted lists the newest first by sorting. It is for a condition and prices that few
// books have.
func byAgeSorted(c finding.Criteria, after market.Position, n int) idQuery {
	u := within(c, rawsql.UpperBound(after.ID))
	return idQuery{u.query + " ORDER BY id DESC LIMIT ?", append(u.args, n), newestFirst}
}

// within returns all books with a condition and a price, and with ids below before.
func within(c finding.Criteria, before int64) idQuery {
	scans := byIndexAndPrice(c)
	for _, w := range scans {
		w.and("b.id + 0 < ?", before)
	}
	return union(scans, "SELECT b.id", "")
}

// byPrice lists the books by price. A descending list scans the index backwards and has to
// sort the books of one price, because the newest of them comes first in either order.
func byPrice(c finding.Criteria, sort finding.Sort, after market.Position, n int) idQuery {
	direction, beyond := "", ">"
	if sort == finding.PriceDesc {
		direction, beyond = " DESC", "<"
	}
	var scans []*where
	switch {
	case c.ISBN != "":
		scans = []*where{criteria(c, "isbn", "price")}
		scans[0].and("b.isbn <> ''") // the index has no books without
	case c.Course != "":
		scans = []*where{criteria(c, "course_key", "price")}
	default:
		scans = byIndexAndPrice(c)
	}
	for _, w := range scans {
		if !after.Start() {
			w.and("b.price "+beyond+"= ? AND (b.price "+beyond+" ? OR b.id < ?)", after.Key, after.Key, after.ID)
		}
		w.args = append(w.args, n)
	}
	u := union(scans, "SELECT b.id, b.price", " ORDER BY b.price"+direction+", b.id DESC LIMIT ?")
	return idQuery{
		u.query + " ORDER BY price" + direction + ", id DESC LIMIT ?", append(u.args, n),
		"h.price" + direction + ", h.id DESC",
	}
}

// union merges the results of the scans.
func union(scans []*where, columns, end string) idQuery {
	parts, args := make([]string, len(scans)), []any(nil)
	for i, w := range scans {
		parts[i] = "SELECT * FROM (" + columns + " FROM books b " + w.String() + end + ") AS scan" + strconv.Itoa(i)
		args = append(args, w.args...)
	}
	return idQuery{query: strings.Join(parts, " UNION ALL "), args: args}
}

// where is a conjunction of conditions with their arguments.
type where struct {
	conditions []string
	args       []any
}

func (w *where) and(condition string, args ...any) {
	w.conditions = append(w.conditions, condition)
	w.args = append(w.args, args...)
}

func (w *where) String() string { return "WHERE " + strings.Join(w.conditions, " AND ") }

// byIndexAndAge returns the criteria for an index that is ordered by id: of the ISBN, of the
// course, of the university or of all books.
func byIndexAndAge(c finding.Criteria) *where {
	switch {
	case c.ISBN != "":
		w := criteria(c, "isbn")
		w.and("b.isbn <> ''") // the index has no books without
		return w
	case c.Course != "":
		return criteria(c, "course_key")
	}
	return criteria(c, "university_key")
}

// byIndexAndPrice returns the criteria for the index by condition and price of all books or
// of a university, one for each condition: the index has no order across conditions. It
// leaves out ISBN and course.
func byIndexAndPrice(c finding.Criteria) (scans []*where) {
	c.ISBN, c.Course = "", ""
	conditions := book.Conditions()
	if c.Condition != 0 {
		conditions = []book.Condition{c.Condition}
	}
	for _, c.Condition = range conditions {
		scans = append(scans, criteria(c, "university_key", "condition", "price"))
	}
	return scans
}

// criteria returns the conditions for books for sale that meet the criteria. The planners can
// use an index of the indexed columns. Other columns are compared as expressions, so that the
// planners use no index of them.
func criteria(c finding.Criteria, indexed ...string) *where {
	w := &where{conditions: []string{"b.status = 0"}} // a constant, so that the planners can use the partial indexes
	hidden := func(column, noop string) string {
		if slices.Contains(indexed, column) {
			return ""
		}
		return noop
	}
	compare := func(column, noop, operator string, value any) {
		w.and("b."+column+hidden(column, noop)+operator+" ?", value)
	}
	if c.ISBN != "" {
		compare("isbn", " || ''", " =", string(c.ISBN))
	}
	if c.Course != "" {
		compare("course_key", " || ''", " =", c.Course)
	}
	if c.University != "" {
		compare("university_key", " || ''", " =", c.University)
	}
	w.condition(c, hidden("condition", " + 0"), hidden("price", " + 0"))
	if c.NotUniversity != "" {
		w.and("b.university_key <> ?", c.NotUniversity)
	}
	if c.NotBy != 0 {
		w.and("b.seller_id <> ?", int64(c.NotBy))
	}
	return w
}

// condition adds the criteria of condition and price, whose columns get a suffix.
func (w *where) condition(c finding.Criteria, grade, price string) {
	if c.Condition != 0 {
		w.and("b.condition"+grade+" = ?", int(c.Condition))
	}
	if c.MinPrice != nil {
		w.and("b.price"+price+" >= ?", int64(*c.MinPrice))
	}
	if c.MaxPrice != nil {
		w.and("b.price"+price+" <= ?", int64(*c.MaxPrice))
	}
}

// ListBooksForSaleByOffset implements finding.Reader. It reads the skipped books from the index
// only.
func (s *Store) ListBooksForSaleByOffset(ctx context.Context, n, offset int) ([]market.BookView, error) {
	return rawsql.CollectUpTo(ctx, s.read.Conn, n, readBookView, "SELECT "+bookViewColumns+fromBookViews+`WHERE b.id IN
		(SELECT id FROM books WHERE status = 0 ORDER BY id DESC LIMIT ? OFFSET ?) ORDER BY b.id DESC`, n, offset)
}

// FindBookViews implements finding.Reader.
func (s *Store) FindBookViews(ctx context.Context, ids ...book.ID) ([]market.BookView, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	marks, args := rawsql.In(ids)
	return s.withOrders(ctx, "SELECT "+bookViewColumns+fromBookViews+"WHERE b.id IN ("+marks+")", args...)
}

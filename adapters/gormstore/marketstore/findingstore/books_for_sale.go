package findingstore

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/domain/book"
)

// ListBooksForSale implements finding.Reader. It reads from an index:
//
//   - With an ISBN or a course, the index of that, by age or by price. Few books remain to be filtered.
//   - Newest first, the index of all books or of a university, by age. It filters by price
//     and condition during the scan, unless few books have them: then it sorts those.
//   - By price, the index of all books or of a university, by condition and price. Without a
//     condition, it merges the scans of all conditions.
func (s Reader) ListBooksForSale(ctx context.Context, c finding.Criteria, sort finding.Sort, after market.Position, n int) ([]market.BookView, error) {
	switch {
	case sort == finding.PriceAsc || sort == finding.PriceDesc:
		return s.booksByIDs(ctx, byPrice(c, sort, after, n), n)
	case c.ISBN == "" && c.Course == "":
		selective, err := isSelective(ctx, s.Read, c, s.Bounds.Sorted)
		if err != nil || selective {
			return s.booksByIDs(ctx, byAgeSorted(c, after, n), n)
		}
	}
	return s.booksByIDs(ctx, byAge(s.Read, c, after, n), n)
}

// isSelective reports whether the criteria have a condition or a price and fewer books than
// the bound have it. If more have it, a scan of the newest books soon finds enough.
func isSelective(ctx context.Context, s marketrows.Handle, c finding.Criteria, bound int) (bool, error) {
	if c.Condition == 0 && c.MinPrice == nil && c.MaxPrice == nil {
		return false, nil
	}
	c.NotBy, c.NotUniversity = 0, "" // no index begins with them
	count, err := countByPrice(ctx, s, c, bound)
	return count < bound, err
}

// countByPrice counts the books that meet the criteria without ISBN and course, up to a bound.
func countByPrice(ctx context.Context, s marketrows.Handle, c finding.Criteria, bound int) (int, error) {
	scans := byIndexAndPrice(c)
	for _, w := range scans {
		w.Args = append(w.Args, bound)
	}
	u := union(scans, "SELECT b.price", " ORDER BY b.price LIMIT ?") // ORDER BY makes Postgres use the index
	count, _, err := rawsql.One(ctx, s.Conn, rawsql.Integer[int], "SELECT count(*) FROM ("+u.query+" LIMIT ?) AS few", append(u.args, bound)...)
	return count, err
}

// booksByIDs reads the books of a list. The query for the ids runs first, so that it reads
// whole rows only for the books of the page, not for those that it skips or sorts.
func (s Reader) booksByIDs(ctx context.Context, of idQuery, n int) ([]market.BookView, error) {
	return rawsql.CollectUpTo(ctx, s.Read.Conn, n, marketrows.ReadBookView, "SELECT "+marketrows.BookViewColumns+" FROM ("+of.query+") AS h"+
		s.Read.JoinBook()+s.Read.JoinSeller()+" ORDER BY "+of.order, of.args...)
}

// byAge lists the newest books first, in the order of an index.
func byAge(s marketrows.Handle, c finding.Criteria, after market.Position, n int) idQuery {
	if s.IsPostgres() {
		return byAgeFiltered(c, after, n)
	}
	w := byIndexAndAge(c)
	w.And("b.id < ?", rawsql.UpperBound(after.ID))
	return idQuery{"SELECT b.id FROM books b " + w.String() + " ORDER BY b.id DESC LIMIT ?", append(w.Args, n), newestFirst}
}

// byAgeFiltered is byAge for Postgres, which takes a condition and a price for so rare that it would
// rather sort all books of a university. OFFSET 0 keeps it from seeing them until it has chosen the index.
// A university to leave out is in no index by age, so the row is read only outside: else Postgres
// sometimes reads all rows backwards, with those of sold books.
func byAgeFiltered(c finding.Criteria, after market.Position, n int) idQuery {
	filters := marketrows.WhereAll("TRUE")
	andCondition(filters, c, "", "")
	if c.NotUniversity != "" {
		filters.And("(SELECT university_key FROM books WHERE id = b.id) <> ?", c.NotUniversity)
	}
	c.Condition, c.MinPrice, c.MaxPrice, c.NotUniversity = 0, nil, nil, ""
	w := byIndexAndAge(c)
	w.And("b.id < ?", rawsql.UpperBound(after.ID))
	return idQuery{
		"SELECT b.id FROM (SELECT b.id, b.price, b.condition FROM books b " + w.String() + " ORDER BY b.id DESC OFFSET 0) AS b " + filters.String() + " LIMIT ?",
		append(append(w.Args, filters.Args...), n), newestFirst,
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
		w.And("b.id + 0 < ?", before)
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
	var scans []*marketrows.Where
	switch {
	case c.ISBN != "":
		scans = []*marketrows.Where{criteria(c, "isbn", "price")}
		scans[0].And("b.isbn <> ''") // the index has no books without
	case c.Course != "":
		scans = []*marketrows.Where{criteria(c, "course_key", "price")}
	default:
		scans = byIndexAndPrice(c)
	}
	for _, w := range scans {
		if !after.Start() {
			w.And("b.price "+beyond+"= ? AND (b.price "+beyond+" ? OR b.id < ?)", after.Key, after.Key, after.ID)
		}
		w.Args = append(w.Args, n)
	}
	u := union(scans, "SELECT b.id, b.price", " ORDER BY b.price"+direction+", b.id DESC LIMIT ?")
	return idQuery{
		u.query + " ORDER BY price" + direction + ", id DESC LIMIT ?", append(u.args, n),
		"h.price" + direction + ", h.id DESC",
	}
}

// ListCheapestOfCourses implements finding.Reader.
func (s Reader) ListCheapestOfCourses(ctx context.Context, c finding.Criteria, courses []string, n int) ([]market.BookView, error) {
	if len(courses) == 0 {
		return nil, nil
	}
	c.ISBN = ""
	var scans []*marketrows.Where
	for _, c.Course = range courses {
		w := criteria(c, "course_key", "price")
		w.Args = append(w.Args, n)
		scans = append(scans, w)
	}
	u := union(scans, "SELECT b.id, b.price", " ORDER BY b.price, b.id DESC LIMIT ?")
	return s.booksByIDs(ctx, idQuery{u.query, u.args, "h.price, h.id DESC"}, n*len(courses))
}

// union merges the results of the scans.
func union(scans []*marketrows.Where, columns, end string) idQuery {
	parts, args := make([]string, len(scans)), []any(nil)
	for i, w := range scans {
		parts[i] = "SELECT * FROM (" + columns + " FROM books b " + w.String() + end + ") AS scan" + strconv.Itoa(i)
		args = append(args, w.Args...)
	}
	return idQuery{query: strings.Join(parts, " UNION ALL "), args: args}
}

// byIndexAndAge returns the criteria for an index that is ordered by id: of the ISBN, of the
// course, of the university or of all books.
func byIndexAndAge(c finding.Criteria) *marketrows.Where {
	switch {
	case c.ISBN != "":
		w := criteria(c, "isbn")
		w.And("b.isbn <> ''") // the index has no books without
		return w
	case c.Course != "":
		return criteria(c, "course_key")
	}
	return criteria(c, "university_key")
}

// byIndexAndPrice returns the criteria for the index by condition and price of all books or
// of a university, one for each condition: the index has no order across conditions. It
// leaves out ISBN and course.
func byIndexAndPrice(c finding.Criteria) (scans []*marketrows.Where) {
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
func criteria(c finding.Criteria, indexed ...string) *marketrows.Where {
	w := marketrows.WhereAll("b.status = 0") // a constant, so that the planners can use the partial indexes
	hidden := func(column, noop string) string {
		if slices.Contains(indexed, column) {
			return ""
		}
		return noop
	}
	compare := func(column, noop, operator string, value any) {
		w.And("b."+column+hidden(column, noop)+operator+" ?", value)
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
	andCondition(w, c, hidden("condition", " + 0"), hidden("price", " + 0"))
	if c.NotUniversity != "" {
		w.And("b.university_key <> ?", c.NotUniversity)
	}
	if c.NotBy != 0 {
		w.And("b.seller_id <> ?", int64(c.NotBy))
	}
	return w
}

// andCondition adds the criteria of condition and price, whose columns get a suffix.
func andCondition(w *marketrows.Where, c finding.Criteria, grade, price string) {
	if c.Condition != 0 {
		w.And("b.condition"+grade+" = ?", int(c.Condition))
	}
	if c.MinPrice != nil {
		w.And("b.price"+price+" >= ?", int64(*c.MinPrice))
	}
	if c.MaxPrice != nil {
		w.And("b.price"+price+" <= ?", int64(*c.MaxPrice))
	}
}

// ListBooksForSaleByOffset implements finding.Reader. It reads the skipped books from the index
// only.
func (s Reader) ListBooksForSaleByOffset(ctx context.Context, n, offset int) ([]market.BookView, error) {
	return rawsql.CollectUpTo(ctx, s.Read.Conn, n, marketrows.ReadBookView, "SELECT "+marketrows.BookViewColumns+marketrows.FromBookViews+`WHERE b.id IN
		(SELECT id FROM books WHERE status = 0 ORDER BY id DESC LIMIT ? OFFSET ?) ORDER BY b.id DESC`, n, offset)
}

// FindBookViews implements market.Reader.
func (s Reader) FindBookViews(ctx context.Context, ids ...book.ID) ([]market.BookView, error) {
	return s.BookViews(ctx, ids...)
}

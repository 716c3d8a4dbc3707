package buyingstore

import (
	"context"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
)

// mostPeople is how many of the people with a text are looked up in orders on SQLite.
const mostPeople = 1_000

// searchOrders lists orders with a text in the name of the book or in the name or address of buyer
// or seller. It first looks at the newest orders, which have what is common, and then into indexes. None has
// parts of titles with one or two characters, so that these are found in the newest orders only.
func (s Reader) searchOrders(ctx context.Context, w *marketrows.Where, f buying.OrderSelection, before order.ID, n int) ([]market.OrderView, error) {
	title := book.TitleKey(f.Text)
	found, enough, err := s.searchNewest(ctx, w, f.Text, authstore.HasTrigrams(title), n)
	if err != nil {
		return nil, err
	}
	if len(found) == n {
		marks, ids := rawsql.In(found)
		return s.newestOrders(ctx, marketrows.WhereAll("o.id IN ("+marks+")", ids...), n)
	}
	of, args := s.orderPeopleSearch(f.Text)
	switch {
	case authstore.HasTrigrams(title) && !strings.Contains(f.Text, "@"): // a part of an address
		if f.Status != 0 || f.Campus != "" {
			enough = 0 // the newest of all do not tell
		}
		titles, more, err := s.titleSearch(ctx, title, w, before, enough, n)
		if err != nil {
			return nil, err
		}
		of, args = of+" UNION ALL "+titles, append(args, more...)
	case len(found) > 0: // by what no index has
		marks, ids := rawsql.In(found)
		of, args = of+" UNION ALL SELECT id FROM orders WHERE id IN ("+marks+")", append(args, ids...)
	}
	if s.Read.IsPostgres() {
		w.And("o.id = ANY(ARRAY("+of+"))", args...) // the array is made once, whatever the planner expects of it
	} else {
		w.And("o.id IN (SELECT id FROM ("+of+"))", args...)
	}
	return s.newestOrders(ctx, w, n)
}

// searchNewest finds up to n orders with a text among the newest, and says among how many of these there are enough; 0: among none.
// If indexes have the text, it looks at few orders first, and at more only if those promise n.
func (s Reader) searchNewest(ctx context.Context, w *marketrows.Where, text string, indexed bool, n int) (found []order.ID, enough int, err error) {
	newest := s.Bounds.Newest
	if indexed {
		newest /= 8
	}
	found, err = s.searchNewestOrders(ctx, w, text, newest, n)
	if err != nil || len(found) == 0 || len(found) == n {
		return found, 0, err
	}
	if enough = 2 * n * newest / len(found); indexed && enough <= 2*s.Bounds.Newest {
		found, err = s.searchNewestOrders(ctx, w, text, enough, n)
	}
	return found, enough, err
}

// searchNewestOrders looks at the people of an order only if the name of the book does not have the text.
func (s Reader) searchNewestOrders(ctx context.Context, w *marketrows.Where, text string, newest, n int) ([]order.ID, error) {
	person, people := authstore.UserSearch("u.", text)
	either := "(SELECT " + person + " FROM users u WHERE u.id = o.buyer_id) OR (SELECT " + person + " FROM users u WHERE u.id = o.seller_id)"
	values := slices.Concat(people, people)
	if key := book.TitleKey(text); key != "" {
		either, values = "o.name_key LIKE ? OR "+either, append([]any{"%" + key + "%"}, values...)
	}
	return rawsql.Collect(ctx, s.Read.Conn, rawsql.Integer[order.ID], "SELECT o.id FROM (SELECT o.id, o.name_key, o.buyer_id, o.seller_id FROM orders o "+w.String()+
		" ORDER BY o.id DESC LIMIT ?) AS o WHERE "+either+" ORDER BY o.id DESC LIMIT ?", slices.Concat(w.Args, []any{newest}, values, []any{n})...)
}

// orderPeopleSearch returns a query for the ids of the orders with a text in the name or address of
// buyer or seller. It reads an index.
func (s Reader) orderPeopleSearch(text string) (query string, args []any) {
	users, args := authstore.IndexedUserSearch(s.Read.Dialect, text, mostPeople)
	return "WITH people AS MATERIALIZED (" + users + `) SELECT x.id FROM people p CROSS JOIN orders x WHERE x.buyer_id = p.id
		UNION ALL SELECT x.id FROM people p CROSS JOIN orders x WHERE x.seller_id = p.id`, args
}

// titleSearch returns a query for the ids of the orders with a text in the name of the book. If there are more
// than n, it may be only the newest n that w selects. SQLite's index finds these one by one; that of Postgres finds all,
// so that titles which are not rare are first looked for among the newest, if enough of these are not too many.
func (s Reader) titleSearch(ctx context.Context, title string, w *marketrows.Where, before order.ID, enough, n int) (query string, args []any, err error) {
	pattern := "%" + title + "%"
	if !s.Read.IsPostgres() {
		return "SELECT id FROM (SELECT o.id FROM order_search CROSS JOIN orders o ON o.id = order_search.rowid " + w.String() +
				" AND order_search MATCH ? AND order_search.rowid < ? AND o.name_key LIKE ? ORDER BY order_search.rowid DESC LIMIT ?)",
			append(slices.Clone(w.Args), authstore.Trigrams(title), rawsql.UpperBound(before), pattern, n), nil
	}
	if enough > 0 && enough <= s.Bounds.Titles {
		found, err := rawsql.Collect(ctx, s.Read.Conn, rawsql.Integer[int64], `SELECT o.id FROM
			(SELECT o.id, o.name_key FROM orders o `+w.String()+` ORDER BY o.id DESC LIMIT ?) AS o
			WHERE o.name_key LIKE ? ORDER BY o.id DESC LIMIT ?`, append(slices.Clone(w.Args), enough, pattern, n)...)
		if err != nil {
			return "", nil, err
		}
		if len(found) == n {
			marks, args := rawsql.In(found)
			return "SELECT id FROM orders WHERE id IN (" + marks + ")", args, nil
		}
	}
	return "SELECT id FROM orders WHERE trigrams(name_key) @> trigrams(?) AND name_key LIKE ?", []any{title, pattern}, nil
}

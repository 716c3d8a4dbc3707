package marketstore

import (
	"context"
	"slices"

	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
)

// A search on Postgres first looks at the newest orders, which have what is common, and then into
// indexes. It compares newestSearched of them with their buyers and sellers, and newestTitles with
// the name of the book alone, which costs less if these orders are beside each other.
const newestSearched, newestTitles = 1_000, 20_000

// searchOrders lists orders with a text in the name of the book or in the name or address of buyer
// or seller.
func (s *Store) searchOrders(ctx context.Context, w *where, f market.OrderSelection, n int) ([]market.OrderView, error) {
	text, title := f.Text, book.TitleKey(f.Text)
	if !s.read.isPostgres() || title != "" && !authstore.HasTrigrams(title) {
		addTextSearch(w, text)
		return s.newestOrders(ctx, w, n)
	}
	found, err := s.searchNewestOrders(ctx, w, text, n)
	if err != nil || len(found) == n {
		return found, err
	}
	of, args := orderPeopleSearch(text)
	if title != "" {
		all := f.Status == 0 && f.Campus == ""
		titles, more, err := s.titleSearch(ctx, w, title, all, n)
		if err != nil {
			return nil, err
		}
		of, args = of+" UNION ALL "+titles, append(args, more...)
	}
	w.and("o.id = ANY(ARRAY("+of+"))", args...) // the array is made once, whatever the planner expects of it
	return s.newestOrders(ctx, w, n)
}

func (s *Store) searchNewestOrders(ctx context.Context, w *where, text string, n int) ([]market.OrderView, error) {
	newest := &where{}
	newest.and("o.id IN (SELECT o.id FROM orders o "+w.String()+" ORDER BY o.id DESC LIMIT ?)", append(slices.Clone(w.args), newestSearched)...)
	buyer, values := authstore.UserSearch("bu.", text)
	seller, more := authstore.UserSearch("su.", text)
	either, values := buyer+" OR "+seller, append(values, more...)
	if key := book.TitleKey(text); key != "" {
		either, values = either+" OR o.name_key LIKE ?", append(values, "%"+key+"%")
	}
	newest.and("("+either+")", values...)
	return s.newestOrders(ctx, newest, n)
}

// orderPeopleSearch returns a query on Postgres for the ids of the orders with a text in the name or
// address of buyer or seller. It reads an index.
func orderPeopleSearch(text string) (query string, args []any) {
	users, args := authstore.IndexedUserSearch(text)
	return "WITH people AS MATERIALIZED (" + users + `) SELECT x.id FROM people p JOIN orders x ON x.buyer_id = p.id
		UNION ALL SELECT x.id FROM people p JOIN orders x ON x.seller_id = p.id`, args
}

// titleSearch returns a query on Postgres for the ids of the orders with a text in the name of the
// book. If w selects orders of all kinds, it may be only the newest n of these.
func (s *Store) titleSearch(ctx context.Context, w *where, title string, all bool, n int) (query string, args []any, err error) {
	pattern := "%" + title + "%"
	if all {
		newest, err := rawsql.Collect(ctx, s.read.Conn, rawsql.Integer[int64], `SELECT o.id FROM
			(SELECT o.id, o.name_key FROM orders o `+w.String()+` ORDER BY o.id DESC LIMIT ?) AS o
			WHERE o.name_key LIKE ? ORDER BY o.id DESC LIMIT ?`, append(slices.Clone(w.args), newestTitles, pattern, n)...)
		if err != nil || len(newest) == n {
			marks, args := rawsql.In(newest)
			return "SELECT id FROM orders WHERE id IN (" + marks + ")", args, err
		}
	}
	return "SELECT id FROM orders WHERE trigrams(name_key) @> trigrams(?) AND name_key LIKE ?", []any{title, pattern}, nil
}

// addTextSearch narrows to orders with the text in the name of the book or in the name or
// address of buyer or seller.
func addTextSearch(w *where, text string) {
	condition, args := authstore.UserSearch("", text)
	users := "(SELECT id FROM users WHERE " + condition + ")"
	either, args := "o.buyer_id IN "+users+" OR o.seller_id IN "+users, append(args, args...)
	if key := book.TitleKey(text); key != "" {
		either, args = either+" OR o.name_key LIKE ?", append(args, "%"+key+"%")
	}
	w.and("("+either+")", args...)
}

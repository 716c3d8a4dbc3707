package memstore

import (
	"context"
	"maps"
	"slices"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// SummariseTitles is market.TitleReader.
func (m *Market) SummariseTitles(ctx context.Context, isbns []book.ISBN, c market.Criteria, sort market.Sort, at market.Position, most int) ([]market.TitleSummary, error) {
	order, mark := orderOf(sort), book.Book{ID: book.ID(at.ID), Details: book.Details{Price: priceOf(at)}}
	return rows(ctx, m, func(t *marketTables) (all []market.TitleSummary) {
		for _, isbn := range isbns {
			newest := pick(t.books, most+1, newestBook, func(b book.Book) bool { return b.Status == book.ForSale && b.ISBN == isbn })
			s := market.TitleSummary{ISBN: isbn, Copies: market.Count{More: len(newest) > most}}
			for _, b := range newest[:min(most, len(newest))] {
				if !meets(c, b) {
					continue
				}
				if s.Copies.N == 0 || b.Price < s.Lowest {
					s.Lowest = b.Price
				}
				s.Copies.N++
				s.Before = s.Before || !at.Start() && order(b, mark) <= 0
			}
			if s.Copies.N > 0 {
				all = append(all, s)
			}
		}
		return all
	})
}

// CountBooksForSale is market.TitleReader.
func (m *Market) CountBooksForSale(ctx context.Context, c market.Criteria, bound int) (int, error) {
	found, err := rows(ctx, m, func(t *marketTables) []book.Book {
		return pick(t.books, bound, newestBook, func(b book.Book) bool { return meets(c, b) })
	})
	return len(found), err
}

// ListUniversities is market.PlaceReader.
func (m *Market) ListUniversities(ctx context.Context, n int) ([]string, error) {
	return rows(ctx, m, func(t *marketTables) []string {
		all := spellings(t.newestForSale("", len(t.books)), func(b book.Book) string { return b.University }, func(newer, _ string) string { return newer })
		return all[:min(n, len(all))]
	})
}

// ListNewCourses is market.PlaceReader.
func (m *Market) ListNewCourses(ctx context.Context, university string, n int) ([]string, error) {
	return rows(ctx, m, func(t *marketTables) []string {
		return spellings(t.newestForSale(university, n), func(b book.Book) string { return b.Course }, func(a, b string) string { return min(a, b) })
	})
}

func (t *marketTables) newestForSale(university string, n int) []book.Book {
	return pick(t.books, n, newestBook, func(b book.Book) bool { return meets(market.Criteria{University: university}, b) })
}

// spellings returns one text for each key, in the order of the keys.
func spellings(books []book.Book, text func(book.Book) string, choose func(a, b string) string) (all []string) {
	byKey := map[string]string{}
	for _, b := range books {
		s := text(b)
		if known, ok := byKey[book.Key(s)]; ok {
			s = choose(known, s)
		}
		byKey[book.Key(s)] = s
	}
	for _, key := range slices.Sorted(maps.Keys(byKey)) {
		all = append(all, byKey[key])
	}
	return all
}

// FindSeller is market.SellerReader.
func (m *Market) FindSeller(ctx context.Context, id user.ID, most int) (v market.Seller, err error) {
	err = m.s.read(ctx, func() error {
		u := m.s.tables.auth.users[id]
		if u.Email == "" {
			return user.ErrNotFound
		}
		p, _ := m.s.marketUser(id)
		sales := pick(m.s.tables.market.orders, most, newestOrder, func(o order.Order) bool { return o.Seller == id && o.Status == order.Delivered })
		cancelled := pick(m.s.tables.market.orders, most, newestOrder, func(o order.Order) bool { return o.Seller == id && o.CancelledBy == id })
		v = market.Seller{
			FirstName: p.Profile.FirstName, University: p.Profile.University, MemberSince: u.CreatedAt,
			Sales:     market.Count{N: len(sales), More: most > 0 && len(sales) == most},
			Cancelled: market.Count{N: len(cancelled), More: most > 0 && len(cancelled) == most},
		}
		return nil
	})
	return v, err
}

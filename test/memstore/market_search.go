package memstore

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
)

// meets reports whether a book is for sale and meets the criteria.
func meets(c market.Criteria, b book.Book) bool {
	return b.Status == book.ForSale &&
		(c.ISBN == "" || b.ISBN == c.ISBN) &&
		(c.NotBy == 0 || b.Seller != c.NotBy) &&
		(c.NotUniversity == "" || book.Key(b.University) != c.NotUniversity) &&
		(c.University == "" || book.Key(b.University) == c.University) &&
		(c.Course == "" || book.Key(b.Course) == c.Course) &&
		(c.Condition == 0 || b.Condition == c.Condition) &&
		(c.MinPrice == nil || b.Price >= *c.MinPrice) && (c.MaxPrice == nil || b.Price <= *c.MaxPrice)
}

func orderOf(s market.Sort) func(a, b book.Book) int {
	switch s {
	case market.PriceAsc:
		return func(a, b book.Book) int { return cmp.Or(cmp.Compare(a.Price, b.Price), newestBook(a, b)) }
	case market.PriceDesc:
		return func(a, b book.Book) int { return cmp.Or(cmp.Compare(b.Price, a.Price), newestBook(a, b)) }
	}
	return newestBook
}

func priceOf(p market.Position) money.Amount { return money.Amount(p.Key) }

// FindBooksByCourseOrTitle is market.SearchIndex.
func (m *Market) FindBooksByCourseOrTitle(ctx context.Context, course, title string, c market.Criteria, n int) ([]book.Candidate, error) {
	byCourse, err := m.candidates(ctx, c, n, func(b book.Book) bool { return course != "" && book.Key(b.Course) == course })
	if err != nil {
		return nil, err
	}
	byTitle, err := m.candidates(ctx, c, n, func(b book.Book) bool { return title != "" && book.TitleKey(b.Name) == title })
	return append(byCourse, byTitle...), err
}

// FindBooksByWords is market.SearchIndex.
func (m *Market) FindBooksByWords(ctx context.Context, groups [][]string, c market.Criteria, n int) ([]book.Candidate, error) {
	return m.candidates(ctx, c, n, func(b book.Book) bool {
		terms := b.Terms()
		missing := func(group []string) bool {
			return !slices.ContainsFunc(group, func(w string) bool { return slices.Contains(terms, w) })
		}
		return len(groups) > 0 && !slices.ContainsFunc(groups, missing)
	})
}

func (m *Market) candidates(ctx context.Context, c market.Criteria, n int, pass func(book.Book) bool) ([]book.Candidate, error) {
	return rows(ctx, m, func(t *marketTables) []book.Candidate {
		var out []book.Candidate
		for _, b := range pick(t.books, n, newestBook, func(b book.Book) bool { return meets(c, b) && pass(b) }) {
			out = append(out, book.Candidate{ID: b.ID, Course: b.Course, Title: book.TitleKey(b.Name), Price: b.Price})
		}
		return out
	})
}

// FindTerms is market.Vocabulary.
func (m *Market) FindTerms(ctx context.Context, words []string) ([]string, error) {
	return rows(ctx, m, func(t *marketTables) []string {
		return slices.DeleteFunc(slices.Clone(words), func(w string) bool { return !t.terms[w] })
	})
}

// FindTermsByPrefix is market.Vocabulary.
func (m *Market) FindTermsByPrefix(ctx context.Context, prefix string, n int) ([]string, error) {
	return m.someTerms(ctx, n, func(term string) bool { return strings.HasPrefix(term, prefix) }, func(a, b string) int {
		return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
}

// FindTermsBySpelling is market.Vocabulary.
func (m *Market) FindTermsBySpelling(ctx context.Context, spellings []string, n int) ([]string, error) {
	return m.someTerms(ctx, n, func(term string) bool {
		return slices.ContainsFunc(book.Spellings(term), func(k string) bool { return slices.Contains(spellings, k) })
	}, strings.Compare)
}

func (m *Market) someTerms(ctx context.Context, n int, pass func(string) bool, order func(a, b string) int) ([]string, error) {
	return rows(ctx, m, func(t *marketTables) []string {
		var out []string
		for term := range t.terms {
			if pass(term) {
				out = append(out, term)
			}
		}
		slices.SortFunc(out, order)
		return out[:min(n, len(out))]
	})
}

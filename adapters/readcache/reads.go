package readcache

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/finding"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/money"
)

// Storage is a storage whose answers about titles and places are kept.
type Storage struct {
	rooms.Storage
	cache *Cache
}

// Over returns a storage with a cache of its own: another one, such as a standby, may be behind.
func Over(s rooms.Storage, c *Cache) *Storage { return &Storage{s, c} }

// The keys of entries.
type (
	universities struct{ n int }
	courses      struct {
		university string
		n          int
	}
	wanted  struct{ newest, n int }
	counted struct {
		of    filter
		bound int
	}
	summarised struct {
		of  filter
		max int
	}
)

// filter is finding.Criteria without pointers, which compare by address.
type filter struct {
	criteria finding.Criteria
	min, max money.Amount // -1: any
}

func filterOf(c finding.Criteria) filter {
	f := filter{min: -1, max: -1}
	if c.MinPrice != nil {
		f.min = *c.MinPrice
	}
	if c.MaxPrice != nil {
		f.max = *c.MaxPrice
	}
	c.MinPrice, c.MaxPrice = nil, nil
	f.criteria = c
	return f
}

// ListUniversities implements finding.Reader.
func (s *Storage) ListUniversities(ctx context.Context, n int) ([]string, error) {
	return get(ctx, s.cache, market.AllLists, universities{n}, func() ([]string, error) { return s.Storage.ListUniversities(ctx, n) })
}

// ListNewCourses implements finding.Reader.
func (s *Storage) ListNewCourses(ctx context.Context, university string, n int) ([]string, error) {
	return get(
		ctx, s.cache, market.AllLists, courses{university, n},
		func() ([]string, error) { return s.Storage.ListNewCourses(ctx, university, n) },
	)
}

// ListWantedISBNs implements finding.Reader.
func (s *Storage) ListWantedISBNs(ctx context.Context, newest, n int) ([]finding.WantedISBN, error) {
	return get(
		ctx, s.cache, market.AllLists, wanted{newest, n},
		func() ([]finding.WantedISBN, error) { return s.Storage.ListWantedISBNs(ctx, newest, n) },
	)
}

// CountBooksForSale implements finding.Reader. What it counts for a single caller is not kept.
func (s *Storage) CountBooksForSale(ctx context.Context, c finding.Criteria, bound int) (int, error) {
	read := func() (int, error) { return s.Storage.CountBooksForSale(ctx, c, bound) }
	if c.NotBy != 0 {
		return read()
	}
	return get(ctx, s.cache, market.AllLists, counted{filterOf(c), bound}, read)
}

// SummariseTitles implements finding.Reader. It reads the titles that the cache does not know with
// one statement. A summary for a position is that of a single page, and not kept.
func (s *Storage) SummariseTitles(
	ctx context.Context, isbns []book.ISBN, c finding.Criteria, order finding.Sort, at market.Position, max int,
) ([]finding.TitleSummary, error) {
	if c.NotBy != 0 || !at.Start() {
		return s.Storage.SummariseTitles(ctx, isbns, c, order, at, max)
	}
	c.ISBN = ""
	key := summarised{filterOf(c), max}
	all, unknown, claimed := s.recall(isbns, key)
	if len(unknown) == 0 {
		return all, nil
	}
	found, err := []finding.TitleSummary(nil), errUnread
	defer func() { s.settle(claimed, key, found, err) }()
	found, err = s.Storage.SummariseTitles(ctx, unknown, c, order, at, max)
	return append(all, found...), err
}

// recall returns the summaries that the cache has and the titles that are to be read, with the entries
// of those that nobody else is reading.
func (s *Storage) recall(
	isbns []book.ISBN, key summarised,
) (all []finding.TitleSummary, unknown []book.ISBN, claimed map[book.ISBN]*entry) {
	claimed = map[book.ISBN]*entry{}
	for _, isbn := range isbns {
		e, mine := s.cache.claim(market.ISBNKey(isbn), key)
		if mine {
			claimed[isbn] = e
		}
		if v, ok := e.known(); !ok {
			unknown = append(unknown, isbn)
		} else if known := v.(finding.TitleSummary); known.Copies.N > 0 {
			all = append(all, known)
		}
	}
	return all, unknown, claimed
}

// settle settles the entries that were claimed. A title without copies is kept as an empty summary.
func (s *Storage) settle(claimed map[book.ISBN]*entry, key summarised, found []finding.TitleSummary, err error) {
	summaries := make(map[book.ISBN]finding.TitleSummary, len(found))
	for _, t := range found {
		summaries[t.ISBN] = t
	}
	for isbn, e := range claimed {
		s.cache.settle(market.ISBNKey(isbn), key, e, summaries[isbn], err)
	}
}

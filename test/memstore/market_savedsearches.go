package memstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/savedsearch"
	"github.com/octavo-books/octavo/domain/user"
)

type searchTable struct{ table }

type searchHitKey struct {
	search savedsearch.ID
	book   book.ID
}

type searchHit struct {
	searchHitKey
	at time.Time
}

func (t searchTable) AddSearch(_ context.Context, s savedsearch.Search, keys []string, limit int) error {
	n := 0
	for _, other := range t.searches {
		if other.Owner == s.Owner {
			n++
		}
	}
	if n >= limit {
		return savedsearch.ErrTooMany
	}
	t.searches[s.ID], t.searchKeys[s.ID] = s, keys
	return nil
}

func oldestSearch(a, b savedsearch.Search) int { return cmp.Compare(a.ID, b.ID) }

func (t searchTable) LockSearches(_ context.Context, ids ...savedsearch.ID) ([]savedsearch.Search, error) {
	return pick(t.searches, len(t.searches), oldestSearch, func(s savedsearch.Search) bool { return slices.Contains(ids, s.ID) }), nil
}

func (t searchTable) LockSearchesToMail(_ context.Context, then time.Time, n int) ([]savedsearch.Search, error) {
	return pick(t.searches, n, func(a, b savedsearch.Search) int {
		return cmp.Or(a.MailedAt.Compare(b.MailedAt), oldestSearch(a, b))
	}, func(s savedsearch.Search) bool { return s.Unmailed > 0 && !s.MailedAt.After(then) }), nil
}

func (t searchTable) UpdateSearch(_ context.Context, s savedsearch.Search) error {
	if stored, ok := t.searches[s.ID]; ok {
		stored.Mail, stored.MailedAt, stored.Unmailed = s.Mail, s.MailedAt, s.Unmailed
		t.searches[s.ID] = stored
	}
	return nil
}

func (t searchTable) DeleteSearch(_ context.Context, id savedsearch.ID) error {
	delete(t.searches, id)
	delete(t.searchKeys, id)
	maps.DeleteFunc(t.searchHits, func(k searchHitKey, _ searchHit) bool { return k.search == id })
	return nil
}

func (t searchTable) DeleteSearchesOf(ctx context.Context, owner user.ID) error {
	for _, s := range pick(t.searches, len(t.searches), oldestSearch, func(s savedsearch.Search) bool { return s.Owner == owner }) {
		_ = t.DeleteSearch(ctx, s.ID)
	}
	return nil
}

func (t searchTable) FindSearchesByKeys(_ context.Context, q market.SearchQuery) (ids []savedsearch.ID, end market.SearchCursor, err error) {
	var entries []market.SearchCursor
	compare := func(a, b market.SearchCursor) int {
		return cmp.Or(cmp.Compare(a.Key, b.Key), cmp.Compare(a.Search, b.Search))
	}
	for id, keys := range t.searchKeys {
		for _, k := range keys {
			if at := (market.SearchCursor{Key: k, Search: id}); slices.Contains(q.Keys, k) && compare(at, q.After) > 0 {
				entries = append(entries, at)
			}
		}
	}
	slices.SortFunc(entries, compare)
	for i, at := range entries {
		s := t.searches[at.Search]
		unworded := s.Details
		unworded.Query = ""
		if s.Owner != q.Book.Seller && unworded.Fits(q.Book) {
			ids = append(ids, s.ID)
		}
		if i+1 == q.MaxEntries || len(ids) == q.Limit {
			end = at
			break
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), end, nil
}

func (t searchTable) AddHit(_ context.Context, id savedsearch.ID, found book.ID, now time.Time) (bool, error) {
	k := searchHitKey{id, found}
	if _, known := t.searchHits[k]; known {
		return false, nil
	}
	t.searchHits[k] = searchHit{k, now}
	return true, nil
}

func (t searchTable) ListHits(_ context.Context, id savedsearch.ID, n int) ([]book.Book, error) {
	newest := pick(t.searchHits, n, func(a, b searchHit) int { return cmp.Or(b.at.Compare(a.at), cmp.Compare(b.book, a.book)) },
		func(h searchHit) bool { return h.search == id })
	var books []book.Book
	for _, h := range newest {
		if b := t.books[h.book]; b.Status == book.ForSale {
			books = append(books, b)
		}
	}
	return books, nil
}

func (t searchTable) DeleteHits(_ context.Context, found book.ID, n int) (bool, error) {
	all := pick(t.searchHits, n, func(a, b searchHit) int { return cmp.Compare(a.search, b.search) }, func(h searchHit) bool { return h.book == found })
	for _, h := range all {
		delete(t.searchHits, h.searchHitKey)
	}
	return len(all) >= n, nil
}

// ListSearchesOf is market.SavedSearchReader.
func (m *Market) ListSearchesOf(ctx context.Context, owner user.ID, before savedsearch.ID, n int) ([]savedsearch.Search, error) {
	return rows(ctx, m, func(t *marketTables) []savedsearch.Search {
		return pick(t.searches, n, func(a, b savedsearch.Search) int { return oldestSearch(b, a) }, func(s savedsearch.Search) bool {
			return s.Owner == owner && (before == 0 || s.ID < before)
		})
	})
}

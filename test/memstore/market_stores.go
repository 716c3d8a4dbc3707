package memstore

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/meeting"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

type bookTable struct{ table }

func (t bookTable) AddBook(_ context.Context, b book.Book) error {
	t.books[b.ID] = b
	t.addTerms(b)
	return nil
}

// addTerms adds the terms of a book to the vocabulary.
func (t table) addTerms(b book.Book) {
	for _, term := range b.Terms() {
		t.terms[term] = true
	}
}

func (t bookTable) LockBooks(_ context.Context, ids ...book.ID) ([]book.Book, error) {
	var out []book.Book
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		if b, ok := t.books[id]; ok {
			out = append(out, b)
		}
	}
	return out, nil
}

func (t bookTable) UpdateBook(_ context.Context, b book.Book, was book.Status) error {
	if t.books[b.ID].Status != was {
		return book.ErrNotAvailable
	}
	t.books[b.ID] = b
	t.addTerms(b)
	return nil
}

func (t bookTable) LockBooksForSaleBy(_ context.Context, seller user.ID) ([]book.Book, error) {
	return pick(t.books, len(t.books), oldestBook, func(b book.Book) bool {
		return b.Status == book.ForSale && b.Seller == seller
	}), nil
}

func (t bookTable) EraseComments(_ context.Context, seller user.ID) error {
	for id, b := range t.books {
		if b.Seller == seller {
			b.Comments = ""
			t.books[id] = b
		}
	}
	return nil
}

func (t bookTable) LockBooksListedBefore(_ context.Context, then time.Time, after book.ID, n int) ([]book.Book, error) {
	return pick(t.books, n, oldestBook, func(b book.Book) bool {
		return b.Status == book.ForSale && b.ID > after && !b.ListedAt.After(then)
	}), nil
}

func (t bookTable) CountBooksListedBefore(ctx context.Context, then time.Time, most int) (int, error) {
	found, err := t.LockBooksListedBefore(ctx, then, 0, most)
	return len(found), err
}

func oldestBook(a, b book.Book) int { return cmp.Compare(a.ID, b.ID) }
func newestBook(a, b book.Book) int { return cmp.Compare(b.ID, a.ID) }

type requestTable struct{ table }

func (t requestTable) AddRequest(ctx context.Context, r book.Request, limit int) error {
	open, err := t.ListOpenRequests(ctx, r.Owner)
	if err != nil {
		return err
	}
	if len(open) >= limit {
		return book.ErrTooManyRequests
	}
	t.requests[r.ID] = r
	return nil
}

func (t requestTable) UpdateRequest(_ context.Context, r book.Request) error {
	t.requests[r.ID] = r
	return nil
}

func (t requestTable) DeleteRequest(_ context.Context, owner user.ID, id book.RequestID) error {
	if r, ok := t.requests[id]; !ok || r.Owner != owner {
		return book.ErrRequestNotFound
	}
	t.remove(id)
	return nil
}

func (t requestTable) remove(id book.RequestID) {
	delete(t.requests, id)
	delete(t.indexEntries, id)
	maps.DeleteFunc(t.matches, func(k matchKey, _ matchRow) bool { return k.request == id })
}

func (t requestTable) LockRequests(_ context.Context, ids ...book.RequestID) ([]book.RequestID, error) {
	return slices.DeleteFunc(slices.Clone(ids), func(id book.RequestID) bool {
		_, ok := t.requests[id]
		return !ok
	}), nil
}

func (t requestTable) DeleteRequestsOf(_ context.Context, owner user.ID) error {
	for id, r := range t.requests {
		if r.Owner == owner {
			t.remove(id)
		}
	}
	return nil
}

func (t requestTable) ListOpenRequests(_ context.Context, owner user.ID) ([]book.Request, error) {
	return pick(t.requests, book.MaxOpenRequests, oldestRequest, func(r book.Request) bool {
		return r.Owner == owner && r.Status == book.Open
	}), nil
}

func (t requestTable) LockOpenRequests(ctx context.Context, owner user.ID) ([]book.Request, error) {
	return t.ListOpenRequests(ctx, owner)
}

func (t requestTable) ListRequestsFilledBy(_ context.Context, id book.ID) ([]book.Request, error) {
	return pick(t.requests, len(t.requests), oldestRequest, func(r book.Request) bool {
		return r.Status == book.Filled && r.FilledBy == id
	}), nil
}

func oldestRequest(a, b book.Request) int { return cmp.Compare(a.ID, b.ID) }

func (t requestTable) FindRequest(_ context.Context, id book.RequestID) (book.Request, error) {
	r, ok := t.requests[id]
	if !ok {
		return r, book.ErrRequestNotFound
	}
	return r, nil
}

func (t requestTable) CountBooksWith(_ context.Context, terms []string, n int) ([]int, error) {
	counts := make([]int, len(terms))
	for _, one := range pick(t.books, n, newestBook, func(b book.Book) bool { return b.Status == book.ForSale }) {
		for i, term := range terms {
			if slices.Contains(one.Terms(), term) {
				counts[i]++
			}
		}
	}
	return counts, nil
}

func (t requestTable) IndexRequest(_ context.Context, id book.RequestID, entries []book.IndexEntry) error {
	if delete(t.indexEntries, id); len(entries) > 0 {
		t.indexEntries[id] = entries
	}
	return nil
}

type matchTable struct{ table }

func (t matchTable) FindRequestsByKeys(_ context.Context, q market.MatchQuery) ([]market.IndexedRequest, market.IndexCursor, error) {
	var out []market.IndexedRequest
	for id, entries := range t.indexEntries {
		for _, e := range entries {
			at := market.IndexCursor{Key: e.Key, Request: id}
			if slices.Contains(q.Keys, e.Key) && q.Words.ContainsAll(e.Words) && compareCursors(at, q.After) > 0 && t.requests[id].Status == book.Open {
				out = append(out, market.IndexedRequest{At: at, Request: t.requests[id]})
			}
		}
	}
	slices.SortFunc(out, func(a, b market.IndexedRequest) int { return compareCursors(a.At, b.At) })
	if len(out) < q.Limit {
		return out, market.IndexCursor{}, nil
	}
	return out[:q.Limit], out[q.Limit-1].At, nil
}

func compareCursors(a, b market.IndexCursor) int {
	return cmp.Or(strings.Compare(a.Key, b.Key), cmp.Compare(a.Request, b.Request))
}

func (t matchTable) FindBooksByKey(_ context.Context, key book.SearchKey, before book.ID, n int) ([]book.Book, error) {
	return pick(t.books, n, newestBook, func(b book.Book) bool {
		return b.Status == book.ForSale && isBelow(int64(b.ID), int64(before)) && finds(key, b)
	}), nil
}

// finds reports whether a search key finds a book.
func finds(k book.SearchKey, b book.Book) bool {
	switch k.Reason {
	case book.ByISBN:
		return b.ISBN == k.ISBN
	case book.ByCourse:
		return book.Key(b.Course) == k.Course
	}
	words := book.Words(b.Name)
	return !slices.ContainsFunc(k.Words, func(w string) bool { return !slices.Contains(words, w) })
}

// isBelow reports whether an id is within the bound of a list that is newest first; 0 means
// no bound.
func isBelow(id, before int64) bool { return before == 0 || id < before }

// LockKeys does nothing: one transaction runs at a time.
func (t matchTable) LockKeys(context.Context, bool, []string) error { return nil }

func (t matchTable) AddMatches(_ context.Context, all []book.Match) ([]bool, error) {
	isNew := make([]bool, len(all))
	for i, m := range all {
		k := matchKey{m.Book, m.Request}
		old, known := t.matches[k]
		if known {
			m.ID, m.CreatedAt = old.ID, old.CreatedAt
		}
		t.matches[k], isNew[i] = matchRow{m, true}, !known
	}
	return isNew, nil
}

func (t matchTable) InvalidateMatches(_ context.Context, id book.ID) error {
	for k, m := range t.matches {
		if k.book == id {
			m.valid = false
			t.matches[k] = m
		}
	}
	return nil
}

func (t matchTable) ListInterestedUsers(_ context.Context, id book.ID, after user.ID, n int) ([]user.ID, error) {
	interested := map[user.ID]user.ID{}
	for k := range t.carts {
		if k.book == id {
			interested[k.owner] = k.owner
		}
	}
	for k, m := range t.matches {
		if k.book == id && m.valid && t.requests[k.request].Status == book.Open {
			interested[m.Owner] = m.Owner
		}
	}
	return pick(interested, n, cmp.Compare[user.ID], func(id user.ID) bool { return id > after }), nil
}

type cartTable struct{ table }

func (t cartTable) AddToCart(_ context.Context, owner user.ID, b book.Book, limit int, now time.Time) error {
	k := cartKey{owner, b.ID}
	if _, ok := t.carts[k]; ok {
		t.cartPrices[k] = b.Price
		return nil
	}
	n := 0
	for other := range t.carts {
		if other.owner == owner {
			n++
		}
	}
	if n >= limit {
		return market.ErrCartFull
	}
	t.carts[k], t.cartPrices[k] = now, b.Price
	return nil
}

func (t cartTable) RemoveFromCart(_ context.Context, owner user.ID, ids ...book.ID) error {
	maps.DeleteFunc(t.carts, func(k cartKey, _ time.Time) bool {
		return k.owner == owner && (len(ids) == 0 || slices.Contains(ids, k.book))
	})
	return nil
}

func (t cartTable) LowerCartPrices(_ context.Context, b book.Book, after user.ID, n int) ([]user.ID, error) {
	var owners []user.ID
	for k := range t.carts {
		if k.book == b.ID && k.owner > after && book.PriceDrop(t.cartPrices[k], b.Price) {
			owners = append(owners, k.owner)
		}
	}
	slices.Sort(owners)
	owners = owners[:min(n, len(owners))]
	for _, owner := range owners {
		t.cartPrices[cartKey{owner, b.ID}] = b.Price
	}
	return owners, nil
}

func (t cartTable) ListCartPrices(_ context.Context, owner user.ID) ([]market.KnownPrice, error) {
	var all []market.KnownPrice
	for k := range t.carts {
		if k.owner == owner {
			all = append(all, market.KnownPrice{Book: k.book, Price: t.cartPrices[k]})
		}
	}
	slices.SortFunc(all, func(a, b market.KnownPrice) int { return cmp.Compare(a.Book, b.Book) })
	return all, nil
}

type orderTable struct{ table }

func (t orderTable) AddOrder(_ context.Context, o order.Order) error {
	if t.liveOrder(o.Book) != nil {
		return book.ErrNotAvailable
	}
	t.orders[o.ID] = o
	return nil
}

// liveOrder returns the live order of a book; nil if there is none.
func (t *marketTables) liveOrder(id book.ID) *order.Order {
	for _, o := range t.orders {
		if o.Book == id && o.Live() {
			return &o
		}
	}
	return nil
}

func (t orderTable) LockOrder(_ context.Context, id book.ID) (order.Order, error) {
	if o := t.liveOrder(id); o != nil {
		return *o, nil
	}
	return order.Order{}, order.ErrNotFound
}

func (t orderTable) EraseReasons(_ context.Context, by user.ID) error {
	for id, o := range t.orders {
		if o.CancelledBy == by && (o.Buyer == by || o.Seller == by) {
			o.Reason = ""
			t.orders[id] = o
		}
	}
	return nil
}

func (t orderTable) UpdateOrder(_ context.Context, o order.Order, was order.Status, entries []order.Entry) error {
	if t.orders[o.ID].Status != was {
		return order.ErrTransition
	}
	t.orders[o.ID] = o
	t.ledger = append(t.ledger, entries...)
	return nil
}

func (t orderTable) FindOrders(_ context.Context, ids []order.ID) ([]order.Order, error) {
	return pick(t.orders, len(ids), oldestOrder, func(o order.Order) bool { return slices.Contains(ids, o.ID) }), nil
}

func (t orderTable) CountWithdrawals(_ context.Context, buyer user.ID, after time.Time) (int, error) {
	return len(pick(t.orders, len(t.orders), oldestOrder, func(o order.Order) bool {
		return o.Buyer == buyer && o.CancelledBy == buyer && o.CancelledAt.After(after)
	})), nil
}

func (t orderTable) CountPurchases(_ context.Context, buyer user.ID) (order.Purchases, error) {
	var p order.Purchases
	for _, o := range t.orders {
		switch {
		case o.Buyer != buyer:
		case o.Status == order.Placed:
			p.Open++
		case o.Status == order.Delivered && p.Delivered < order.MaxOpenPurchases:
			p.Delivered++
		}
	}
	return p, nil
}

func (t orderTable) ListWaitingOrders(_ context.Context, w market.WaitingOrders, n int) ([]market.WaitingOrder, error) {
	var found []market.WaitingOrder
	for _, o := range pick(t.orders, n, waitingOrder, func(o order.Order) bool {
		after := order.Order{ID: w.After.ID, CreatedAt: w.After.CreatedAt, RemindedAt: w.After.RemindedAt}
		return o.Waits() && o.RemindedAt.IsZero() != w.Reminded && !(w.Reminded && o.RemindedAt.After(w.RemindedTill)) &&
			!o.CreatedAt.After(w.PlacedTill) && waitingOrder(o, after) > 0
	}) {
		one := market.WaitingOrder{Order: o}
		if p := t.openMeeting(o.ID); p != nil && p.State == meeting.Accepted {
			one.Agreed = p.At
		}
		found = append(found, one)
	}
	return found, nil
}

func waitingOrder(a, b order.Order) int {
	return cmp.Or(a.RemindedAt.Compare(b.RemindedAt), a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
}

func oldestOrder(a, b order.Order) int { return cmp.Compare(a.ID, b.ID) }
func newestOrder(a, b order.Order) int { return cmp.Compare(b.ID, a.ID) }

type idempotencyTable struct{ table }

func (t idempotencyTable) ClaimKey(_ context.Context, owner user.ID, key string, then, now time.Time) (*market.StoredResponse, error) {
	maps.DeleteFunc(t.responses, func(_ responseKey, r market.StoredResponse) bool { return r.At.Before(then) })
	if stored, ok := t.responses[responseKey{owner, key}]; ok {
		return &stored, nil
	}
	t.responses[responseKey{owner, key}] = market.StoredResponse{At: now}
	return nil, nil
}

func (t idempotencyTable) SaveResponse(_ context.Context, owner user.ID, key string, r market.StoredResponse) error {
	k := responseKey{owner, key}
	r.At = t.responses[k].At
	t.responses[k] = r
	return nil
}

package memstore

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/order"
	"github.com/octavo-books/octavo/domain/user"
)

// bookView returns a book with its seller's name and its live order.
func (m *Market) bookView(b book.Book) market.BookView {
	seller, _ := m.s.marketUser(b.Seller)
	v := market.BookView{Book: b, SellerName: seller.Profile.FirstName, Photos: m.s.tables.market.photosOf(b.ID)}
	if o := m.s.tables.market.liveOrder(b.ID); o != nil {
		sale := m.orderView(*o)
		v.Order = &sale
	}
	return v
}

func (m *Market) orderView(o order.Order) market.OrderView {
	return market.OrderView{
		Order: o, BuyerParty: m.party(o.Buyer), SellerParty: m.party(o.Seller), VerifierName: m.party(o.VerifiedBy).FirstName,
		DelivererName: m.party(o.DeliveredBy).FirstName, CancellerName: m.party(o.CancelledBy).FirstName,
		Meeting: m.s.tables.market.openMeeting(o.ID),
	}
}

func (m *Market) party(id user.ID) market.Party {
	p, _ := m.s.marketUser(id)
	return p.Party()
}

// bookViews returns the views of the books that pass.
func (m *Market) bookViews(ctx context.Context, n int, order func(a, b book.Book) int, pass func(*marketTables, book.Book) bool) ([]market.BookView, error) {
	return rows(ctx, m, func(t *marketTables) []market.BookView {
		var out []market.BookView
		for _, b := range pick(t.books, n, order, func(b book.Book) bool { return pass(t, b) }) {
			out = append(out, m.bookView(b))
		}
		return out
	})
}

// ListBooksForSale is market.BookReader.
func (m *Market) ListBooksForSale(ctx context.Context, c market.Criteria, s market.Sort, after market.Position, n int) ([]market.BookView, error) {
	order := orderOf(s)
	mark := book.Book{ID: book.ID(after.ID), Details: book.Details{Price: 0}}
	if s == market.PriceAsc || s == market.PriceDesc {
		mark.Price = priceOf(after)
	}
	return m.bookViews(ctx, n, order, func(_ *marketTables, b book.Book) bool {
		return meets(c, b) && (after.Start() || order(mark, b) < 0)
	})
}

// ListBooksForSaleByOffset is market.BookReader.
func (m *Market) ListBooksForSaleByOffset(ctx context.Context, n, offset int) ([]market.BookView, error) {
	all, err := m.bookViews(ctx, n+offset, newestBook, func(_ *marketTables, b book.Book) bool { return b.Status == book.ForSale })
	return all[min(offset, len(all)):], err
}

// FindBookViews is market.BookReader.
func (m *Market) FindBookViews(ctx context.Context, ids ...book.ID) ([]market.BookView, error) {
	return m.bookViews(ctx, len(ids), newestBook, func(_ *marketTables, b book.Book) bool { return slices.Contains(ids, b.ID) })
}

// ListBooksPostedBy is market.ListingReader.
func (m *Market) ListBooksPostedBy(ctx context.Context, seller user.ID, before book.ID, n int) ([]market.BookView, error) {
	return m.bookViews(ctx, n, newestBook, func(_ *marketTables, b book.Book) bool {
		return b.Seller == seller && isBelow(int64(b.ID), int64(before))
	})
}

// CountCartItems is market.ListingReader.
func (m *Market) CountCartItems(ctx context.Context, owner user.ID) (int, error) {
	items, err := m.ListCartItems(ctx, owner)
	return len(items), err
}

// ListCartItems is market.ListingReader.
func (m *Market) ListCartItems(ctx context.Context, owner user.ID) ([]market.CartItem, error) {
	return rows(ctx, m, func(t *marketTables) []market.CartItem {
		var keys []cartKey
		for k := range t.carts {
			if k.owner == owner {
				keys = append(keys, k)
			}
		}
		slices.SortFunc(keys, func(a, b cartKey) int {
			return cmp.Or(t.carts[b].Compare(t.carts[a]), cmp.Compare(b.book, a.book))
		})
		var out []market.CartItem
		for _, k := range keys {
			out = append(out, market.CartItem{BookView: m.bookView(t.books[k.book]), AddedAt: t.carts[k]})
		}
		return out
	})
}

// ListBooksByStatus is market.ListingReader.
func (m *Market) ListBooksByStatus(ctx context.Context, s book.Status, campus string, before book.ID, n int) ([]market.BookView, error) {
	return m.bookViews(ctx, n, newestBook, func(_ *marketTables, b book.Book) bool {
		return b.Status == s && ofCampus(b.University, campus) && isBelow(int64(b.ID), int64(before))
	})
}

// ListRequestsOf is market.RequestReader.
func (m *Market) ListRequestsOf(ctx context.Context, owner user.ID, before book.RequestID, n int) ([]book.Request, error) {
	return rows(ctx, m, func(t *marketTables) []book.Request {
		return pick(t.requests, n, func(a, b book.Request) int { return oldestRequest(b, a) }, func(r book.Request) bool {
			return r.Owner == owner && isBelow(int64(r.ID), int64(before))
		})
	})
}

// ListMatchesOf is market.RequestReader.
func (m *Market) ListMatchesOf(ctx context.Context, owner user.ID, before int64, n int) ([]market.MatchView, error) {
	return m.matches(ctx, n, func(t *marketTables, p matchRow) bool {
		return p.Owner == owner && p.valid && t.books[p.Book].Status == book.ForSale && t.requests[p.Request].Status == book.Open && isBelow(p.ID, before)
	})
}

func (m *Market) matches(ctx context.Context, n int, pass func(*marketTables, matchRow) bool) ([]market.MatchView, error) {
	return rows(ctx, m, func(t *marketTables) []market.MatchView {
		var out []market.MatchView
		for _, p := range pick(t.matches, n, newestMatch, func(p matchRow) bool { return pass(t, p) }) {
			out = append(out, market.MatchView{
				ID: p.ID, Book: m.bookView(t.books[p.Book]), Request: t.requests[p.Request], Reason: p.Reason, CreatedAt: p.CreatedAt,
			})
		}
		return out
	})
}

func newestMatch(a, b matchRow) int { return cmp.Compare(b.ID, a.ID) }

// ListBooksBoughtBy is market.OrderReader.
func (m *Market) ListBooksBoughtBy(ctx context.Context, buyer user.ID, before order.ID, n int) ([]market.BookView, error) {
	return m.booksOfOrders(ctx, before, n, func(o order.Order) bool { return o.Buyer == buyer })
}

// ListBooksSoldBy is market.OrderReader.
func (m *Market) ListBooksSoldBy(ctx context.Context, seller user.ID, before order.ID, n int) ([]market.BookView, error) {
	return m.booksOfOrders(ctx, before, n, func(o order.Order) bool { return o.Seller == seller })
}

func (m *Market) booksOfOrders(ctx context.Context, before order.ID, n int, pass func(order.Order) bool) ([]market.BookView, error) {
	return rows(ctx, m, func(t *marketTables) []market.BookView {
		var out []market.BookView
		for _, o := range pick(t.orders, n, newestOrder, func(o order.Order) bool {
			return o.Live() && isBelow(int64(o.ID), int64(before)) && pass(o)
		}) {
			out = append(out, m.bookView(t.books[o.Book]))
		}
		return out
	})
}

// ListOrdersOf is market.OrderReader.
func (m *Market) ListOrdersOf(ctx context.Context, of user.ID, side order.Side, s order.Status, before order.ID, n int) ([]market.OrderView, error) {
	return m.orders(ctx, before, n, func(o order.Order) bool { return o.On(side, of) && (s == 0 || o.Status == s) })
}

// FindOrderViews is market.OrderReader.
func (m *Market) FindOrderViews(ctx context.Context, ids ...order.ID) ([]market.OrderView, error) {
	return m.oldestOrders(ctx, len(ids), func(o order.Order) bool { return slices.Contains(ids, o.ID) })
}

// ListOrderQueue is market.OrderReader.
func (m *Market) ListOrderQueue(ctx context.Context, s market.Stage, campus string, after order.ID, n int) ([]market.OrderView, error) {
	return m.oldestOrders(ctx, n, func(o order.Order) bool { return isAt(o, s) && ofCampus(o.University, campus) && o.ID > after })
}

// CountOrders is market.OrderReader.
func (m *Market) CountOrders(ctx context.Context, s market.Stage, campus string) (int, error) {
	all, err := m.oldestOrders(ctx, math.MaxInt, func(o order.Order) bool { return isAt(o, s) && ofCampus(o.University, campus) })
	return len(all), err
}

// isAt reports whether an order is at a stage of the queue.
func isAt(o order.Order, s market.Stage) bool {
	switch s {
	case market.ToSettle:
		return o.Status == order.Placed && o.Handover != order.NotHandedOver
	case market.ToHandOver:
		return o.Status == order.Verified
	}
	return o.Waits()
}

func ofCampus(university, campus string) bool { return campus == "" || book.Key(university) == campus }

func (m *Market) oldestOrders(ctx context.Context, n int, pass func(order.Order) bool) ([]market.OrderView, error) {
	return rows(ctx, m, func(t *marketTables) []market.OrderView {
		var out []market.OrderView
		for _, o := range pick(t.orders, n, oldestOrder, pass) {
			out = append(out, m.orderView(o))
		}
		return out
	})
}

// ListOrders is market.OrderReader.
func (m *Market) ListOrders(ctx context.Context, f market.OrderSelection, before order.ID, n int) ([]market.OrderView, error) {
	return m.orders(ctx, before, n, func(o order.Order) bool {
		return (f.Status == 0 || o.Status == f.Status) && ofCampus(o.University, f.Campus) && m.mentions(o, f.Text)
	})
}

func (m *Market) orders(ctx context.Context, before order.ID, n int, pass func(order.Order) bool) ([]market.OrderView, error) {
	return rows(ctx, m, func(t *marketTables) []market.OrderView {
		var out []market.OrderView
		for _, o := range pick(t.orders, n, newestOrder, func(o order.Order) bool {
			return isBelow(int64(o.ID), int64(before)) && pass(o)
		}) {
			out = append(out, m.orderView(o))
		}
		return out
	})
}

func (m *Market) mentions(o order.Order, text string) bool {
	if key := book.TitleKey(text); text == "" || key != "" && strings.Contains(book.TitleKey(o.Name), key) {
		return true
	}
	return m.isCalled(o.Buyer, text) || m.isCalled(o.Seller, text)
}

// isCalled reports whether a user's address or name contains the text.
func (m *Market) isCalled(id user.ID, text string) bool {
	p, _ := m.s.marketUser(id)
	key := user.FoldName(text)
	return strings.Contains(string(p.Email), strings.ToLower(text)) || key != "" && strings.Contains(p.Profile.NameKey(), key)
}

// ListNotifications is market.NotificationReader.
func (m *Market) ListNotifications(ctx context.Context, of user.ID, before notification.ID, n int) ([]notification.Notification, error) {
	return rows(ctx, m, func(t *marketTables) []notification.Notification {
		return pick(t.notifications, n, newestNotification, func(x notification.Notification) bool {
			return x.User == of && isBelow(int64(x.ID), int64(before))
		})
	})
}

// ListNotificationsAfter is market.NotificationReader.
func (m *Market) ListNotificationsAfter(ctx context.Context, of user.ID, after notification.ID, n int) ([]notification.Notification, error) {
	return rows(ctx, m, func(t *marketTables) []notification.Notification {
		return pick(t.notifications, n, func(a, b notification.Notification) int { return newestNotification(b, a) }, func(x notification.Notification) bool {
			return x.User == of && x.ID > after
		})
	})
}

func newestNotification(a, b notification.Notification) int { return cmp.Compare(b.ID, a.ID) }

// CountUnread is market.NotificationReader.
func (m *Market) CountUnread(ctx context.Context, of user.ID) (int, error) {
	unread, err := rows(ctx, m, func(t *marketTables) []notification.Notification {
		return pick(t.notifications, len(t.notifications), newestNotification, func(x notification.Notification) bool {
			return x.User == of && x.ReadAt.IsZero()
		})
	})
	return len(unread), err
}

// MarkNotificationsRead is market.NotificationMarker.
func (m *Market) MarkNotificationsRead(ctx context.Context, of user.ID, ids []notification.ID, now time.Time) error {
	return m.s.atomically(ctx, func() error {
		notices := m.s.tables.market.notifications
		for k, n := range maps.Clone(notices) {
			if k.user == of && n.ReadAt.IsZero() && (len(ids) == 0 || slices.Contains(ids, k.id)) {
				n.ReadAt = now
				notices[k] = n
			}
		}
		return nil
	})
}

// ListDeliveredSales is market.SaleReader.
func (m *Market) ListDeliveredSales(ctx context.Context, key market.SalesKey, since time.Time, n int) ([]order.Sale, error) {
	return rows(ctx, m, func(t *marketTables) []order.Sale {
		lastFirst := func(a, b order.Order) int {
			return cmp.Or(b.DeliveredAt.Compare(a.DeliveredAt), newestOrder(a, b))
		}
		var out []order.Sale
		for _, o := range pick(t.orders, n, lastFirst, func(o order.Order) bool {
			b := t.books[o.Book]
			texts := map[book.Reason]string{book.ByISBN: string(b.ISBN), book.ByCourse: book.Key(b.Course), book.ByTitle: book.TitleKey(o.Name)}
			return o.Status == order.Delivered && !o.DeliveredAt.Before(since) && texts[key.Basis] == key.Text
		}) {
			out = append(out, order.Sale{Order: o.ID, Name: o.Name, Buyer: o.Buyer, Seller: o.Seller, Price: o.Price, DeliveredAt: o.DeliveredAt})
		}
		return out
	})
}

// ListPostsWithISBN is market.PostReader.
func (m *Market) ListPostsWithISBN(ctx context.Context, isbn book.ISBN, n int) ([]book.Book, error) {
	return rows(ctx, m, func(t *marketTables) []book.Book {
		with := func(forSale bool) []book.Book {
			return pick(t.books, n, newestBook, func(b book.Book) bool { return b.ISBN == isbn && (b.Status == book.ForSale) == forSale })
		}
		return slices.SortedFunc(slices.Values(append(with(true), with(false)...)), newestBook)
	})
}

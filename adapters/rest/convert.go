package rest

import (
	"strconv"
	"time"

	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/adapters/rest/wire"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/buying"
	"github.com/octavo-books/octavo/application/market/guarding"
	"github.com/octavo-books/octavo/domain/audit"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/photo"
	"github.com/octavo-books/octavo/domain/user"
)

func (h *Handler) bookOf(v market.BookView) restgen.Book {
	b := restgen.Book{
		Id: v.ID.String(), Name: v.Name, Edition: v.Edition, Course: v.Course, Price: h.money(v.Price), Currency: h.cfg.Currency.Code(),
		Condition: v.Condition.String(), Date: v.Date.UTC(), Comments: v.Comments, ISBN: nilIfEmpty(string(v.ISBN)), Authors: v.Authors,
		Status: int(v.Status), University: v.University, CreatedAt: v.CreatedAt.UTC(),
		Seller: restgen.Seller{Id: v.Seller.String(), FirstName: v.SellerName}, Photos: convertAll(v.Photos, photoOf),
	}
	if v.Order != nil {
		o := h.orderOf(*v.Order)
		b.Order = &o
	}
	return b
}

func (h *Handler) cartItemOf(v buying.CartItem) restgen.CartItem {
	b := h.bookOf(v.BookView)
	return restgen.CartItem{
		Id: b.Id, Name: b.Name, Edition: b.Edition, Course: b.Course, Price: b.Price, Currency: b.Currency, Condition: b.Condition,
		Date: b.Date, Comments: b.Comments, ISBN: b.ISBN, Authors: b.Authors, Status: b.Status, University: b.University,
		CreatedAt: b.CreatedAt, Seller: b.Seller, Photos: b.Photos, Available: v.Available, ListPrice: h.money(v.ListPrice),
	}
}

func photoOf(p photo.Photo) restgen.Photo {
	return restgen.Photo{Id: p.ID.String(), Url: p.ID.Path(photo.Large), ThumbUrl: p.ID.Path(photo.Thumb), Width: p.Width, Height: p.Height}
}

func (h *Handler) orderOf(v market.OrderView) restgen.Order {
	return restgen.Order{
		Id: v.ID.String(), BookId: v.Book.String(), Name: v.Name, Status: int(v.Status),
		Price: h.money(v.Price), Fee: h.money(v.Fee), Total: h.money(v.Total()), Currency: h.cfg.Currency.Code(),
		Buyer: partyOf(v.BuyerParty), Seller: partyOf(v.SellerParty), CreatedAt: v.CreatedAt.UTC(),
		VerifiedAt: nilIfZero(v.VerifiedAt), DeliveredAt: nilIfZero(v.DeliveredAt), CancelledAt: nilIfZero(v.CancelledAt),
		CancelReason: nilIfEmpty(v.Reason), CancelledBy: cancellerOf(v),
		Code: string(v.ID.Code()), Next: h.taskOf(v), Meeting: meetingOf(v),
		Handover: handoverOf(v), Settlement: v.Settlement.String(), LapsesAt: nilIfZero(h.Orders.LapsesAt(v)),
	}
}

func partyOf(p market.Party) restgen.Party {
	return restgen.Party{
		Id: p.ID.String(), FirstName: p.FirstName, LastName: p.LastName, Email: nilIfEmpty(p.Email),
		CampusMailbox: nilIfEmpty(p.CampusMailbox), PaymentUsername: nilIfEmpty(p.PaymentUsername),
	}
}

func (h *Handler) requestOf(r book.Request) restgen.Request {
	out := restgen.Request{
		Id: r.ID.String(), Name: r.Name, Course: r.Course, ISBN: nilIfEmpty(string(r.ISBN)), Authors: r.Authors,
		Status: int(r.Status), CreatedAt: r.CreatedAt.UTC(),
	}
	if r.Edition != 0 {
		out.Edition = &r.Edition
	}
	if r.MaxPrice != 0 {
		price := h.money(r.MaxPrice)
		out.MaxPrice = &price
	}
	return out
}

func (h *Handler) matchOf(m market.MatchView) restgen.Match {
	return restgen.Match{Book: h.bookOf(m.Book), Request: h.requestOf(m.Request), Reason: string(m.Reason), CreatedAt: m.CreatedAt.UTC()}
}

func notificationOf(n notification.Notification) restgen.Notification {
	out := restgen.Notification{
		Id: n.ID.String(), Kind: string(n.Kind), Message: n.Message,
		CreatedAt: n.CreatedAt.UTC(), ReadAt: nilIfZero(n.ReadAt),
	}
	if n.Book != 0 {
		about := n.Book.String()
		out.BookId = &about
	}
	if n.Order != 0 {
		about := n.Order.String()
		out.OrderId = &about
	}
	if n.Conversation != 0 {
		about := n.Conversation.String()
		out.ConversationId = &about
	}
	return out
}

func userOf(u user.User) restgen.User {
	out := restgen.User{
		Id: u.ID.String(), Email: string(u.Email), PermissionType: int(u.Role),
		Verified: u.Verified, Store: u.Store, CreatedAt: u.CreatedAt.UTC(),
	}
	if p := u.Profile; p != nil {
		out.FirstName, out.LastName, out.University = &p.FirstName, &p.LastName, &p.University
		out.CampusMailbox, out.PaymentUsername = nilIfEmpty(p.CampusMailbox), nilIfEmpty(p.PaymentUsername)
	}
	return out
}

func loginOf(g auth.TokenPair) restgen.Login {
	return restgen.Login{
		Token: g.AccessToken, RefreshToken: g.RefreshToken,
		ExpiresIn: int(g.ExpiresIn / time.Second), User: userOf(g.User),
	}
}

func auditOf(a audit.Entry) restgen.AuditEntry {
	out := restgen.AuditEntry{
		Id: id.Format(a.ID), At: a.At.UTC(), Action: a.Action,
		Target: nilIfEmpty(a.Target), Ip: a.IP, Detail: a.Detail,
	}
	if a.Actor != 0 {
		actor := a.Actor.String()
		out.Actor = &actor
	}
	return out
}

func (h *Handler) userStatisticsOf(s guarding.UserStatistics) restgen.UserStatistics {
	return restgen.UserStatistics{
		NumberOfBooksPosted: s.Posted, NumberOfBooksSold: s.Sold, NumberOfBooksBought: s.Bought,
		MoneyMade: h.money(s.Made), MoneySpent: h.money(s.Spent),
		OpenRequests: s.OpenRequests, OpenMatches: s.OpenMatch,
	}
}

func (h *Handler) marketStatisticsOf(s guarding.Dashboard) restgen.MarketStatistics {
	out := restgen.MarketStatistics{
		BooksByStatus: map[string]int{}, Users: s.Users, MoneyMoved: h.money(s.MoneyMoved),
		FeesEarned: h.money(s.FeesEarned), Currency: h.cfg.Currency.Code(), MedianDaysToSell: s.MedianDaysToSell,
		Daily: convertAll(s.Daily, func(d guarding.Day) restgen.Day {
			return restgen.Day{
				Day: d.Date.Format(time.DateOnly), Posted: d.Posted, Sold: d.Sold,
				Money: h.money(d.Money), Fees: h.money(d.Fees), NewUsers: d.NewUsers,
			}
		}),
		TopCourses: convertAll(s.TopCourses, func(c guarding.CourseSales) restgen.CourseSales {
			return restgen.CourseSales{Course: c.Course, Sold: c.Sold}
		}),
	}
	for _, status := range []book.Status{book.ForSale, book.Bought, book.Verified, book.Delivered, book.Unlisted} {
		out.BooksByStatus[strconv.Itoa(int(status))] = s.BooksByStatus[status]
	}
	return out
}

// money writes an amount in the market's currency.
func (h *Handler) money(a money.Amount) wire.Money { return wire.Money(h.cfg.Currency.Format(a)) }

// amountOf reads an amount that validation has accepted.
func (h *Handler) amountOf(m wire.Money) money.Amount {
	a, _ := h.cfg.Currency.Parse(string(m))
	return a
}

// optionalAmountOf is amountOf, or nil for nil.
func (h *Handler) optionalAmountOf(m *wire.Money) *money.Amount {
	if m == nil {
		return nil
	}
	a := h.amountOf(*m)
	return &a
}

// nilIfEmpty returns nil for "".
func nilIfEmpty(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// nilIfZero returns nil for the zero time.
func nilIfZero(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

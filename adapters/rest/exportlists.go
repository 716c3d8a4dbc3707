package rest

import (
	"context"
	"strconv"

	"github.com/gin-gonic/gin"

	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/user"
)

var bookColumns = []string{
	"id", "name", "edition", "course", "ISBN", "condition", "price", "currency", "status", "university",
	"sellerId", "sellerFirstName", "date", "createdAt", "listedAt", "Comments",
}

// exportBooks serves GET /api/dashboard/exportBooks: the books in a status.
func (h *Handler) exportBooks(c *gin.Context) {
	status, _ := strconv.Atoi(c.Query("status")) // 0 without one; validated
	export(h, c, "books.csv", bookColumns, h.bookRow, func(ctx context.Context, at string) ([]market.BookView, string, error) {
		books, next, err := h.Listings.ListByStatus(ctx, callerOf(ctx), book.Status(status), market.Page{Limit: market.MaxLimit, Cursor: market.Cursor(at)})
		return books, string(next), err
	})
}

var bookStatusNames = map[book.Status]string{
	book.ForSale: "for sale", book.Bought: "bought", book.Verified: "verified", book.Delivered: "delivered", book.Unlisted: "unlisted",
}

func (h *Handler) bookRow(b market.BookView) []string {
	return []string{
		b.ID.String(), escapeFormula(b.Name), strconv.Itoa(b.Edition), escapeFormula(b.Course), string(b.ISBN), b.Condition.String(),
		h.cfg.Currency.Format(b.Price), h.cfg.Currency.Code(), bookStatusNames[b.Status], escapeFormula(b.University), b.Seller.String(), escapeFormula(b.SellerName),
		formatTime(b.Date), formatTime(b.CreatedAt), formatTime(b.ListedAt), escapeFormula(b.Comments),
	}
}

var userColumns = []string{
	"id", "email", "verified", "permissionType", "firstName", "lastName", "university", "campusMailbox", "paymentUsername", "suspendedAt", "createdAt",
}

// exportUsers serves GET /api/dashboard/exportUsers: the users of getUsers.
func (h *Handler) exportUsers(c *gin.Context) {
	payee := payeeOf(c)
	row := func(u user.User) []string { return userRow(u, payee) }
	export(h, c, "users.csv", userColumns, row, func(ctx context.Context, at string) ([]user.User, string, error) {
		page, err := h.People.List(ctx, callerOf(ctx), auth.UserQuery{Search: c.Query("search"), InNames: true, First: auth.MaxPage, After: at})
		if !page.HasNext {
			page.EndCursor = ""
		}
		return page.Users, page.EndCursor, err
	})
}

// userRow escapes formulas as csvRow does.
func userRow(u user.User, payee func(string) string) []string {
	var p user.Profile
	if u.Profile != nil {
		p = *u.Profile
	}
	return []string{
		u.ID.String(), escapeFormula(string(u.Email)), strconv.FormatBool(u.Verified), strconv.Itoa(int(u.Role)), escapeFormula(p.FirstName),
		escapeFormula(p.LastName), escapeFormula(p.University), escapeFormula(p.CampusMailbox), payee(p.PaymentUsername),
		formatTime(u.SuspendedAt), formatTime(u.CreatedAt),
	}
}

package rest

import (
	"context"
	"strconv"

	"github.com/gin-gonic/gin"
	"github.com/octavo-books/octavo/adapters/rest/csvfile"
	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/application/auth/account"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/user"
)

func (h *Handler) peopleOperations() feature {
	return feature{streams: map[string]gin.HandlerFunc{"/api/dashboard/exportUsers": h.exportUsers}}
}

// GetUsers serves GET /api/dashboard/getUsers.
func (h *Handler) GetUsers(ctx context.Context, r restgen.GetUsersRequestObject) (restgen.GetUsersResponseObject, error) {
	page, err := h.Users.List(ctx, callerOf(ctx), account.UserQuery{
		Search: valueOr(r.Params.Search, ""), InNames: true,
		First: valueOr(r.Params.Limit, market.DefaultLimit), After: valueOr(r.Params.Cursor, ""),
	})
	return replyPage[restgen.GetUsers200JSONResponse](ctx, h, page.Users, cursorIf(page.HasNext, page.EndCursor), err, userOf)
}

// GetAuditLog serves GET /api/dashboard/getAuditLog.
func (h *Handler) GetAuditLog(ctx context.Context, r restgen.GetAuditLogRequestObject) (restgen.GetAuditLogResponseObject, error) {
	page, err := h.Users.AuditLog(ctx, callerOf(ctx), account.AuditQuery{
		First: valueOr(r.Params.Limit, market.DefaultLimit), After: valueOr(r.Params.Cursor, ""),
	})
	return replyPage[restgen.GetAuditLog200JSONResponse](ctx, h, page.Entries, cursorIf(page.HasNext, page.EndCursor), err, auditOf)
}

func cursorIf(hasNext bool, cursor string) string {
	if !hasNext {
		return ""
	}
	return cursor
}

// MakeAdmin serves PUT /api/dashboard/makeAdmin. An owner is an admin already.
func (h *Handler) MakeAdmin(ctx context.Context, r restgen.MakeAdminRequestObject) (restgen.MakeAdminResponseObject, error) {
	u, err := h.Users.MakeAdmin(ctx, callerOf(ctx), idOf[user.ID](r.Body.UserId))
	return reply[restgen.MakeAdmin200JSONResponse](ctx, h, u, err, userOf)
}

// RevokeAdmin serves PUT /api/dashboard/revokeAdmin. It only demotes
// admins.
func (h *Handler) RevokeAdmin(ctx context.Context, r restgen.RevokeAdminRequestObject) (restgen.RevokeAdminResponseObject, error) {
	u, err := h.Users.RevokeAdmin(ctx, callerOf(ctx), idOf[user.ID](r.Body.UserId))
	return reply[restgen.RevokeAdmin200JSONResponse](ctx, h, u, err, userOf)
}

// SetStore serves POST /api/dashboard/setStore.
func (h *Handler) SetStore(ctx context.Context, r restgen.SetStoreRequestObject) (restgen.SetStoreResponseObject, error) {
	u, err := h.Users.SetStore(ctx, callerOf(ctx), idOf[user.ID](r.Body.UserId), r.Body.Store)
	return reply[restgen.SetStore200JSONResponse](ctx, h, u, err, userOf)
}

var userColumns = []string{
	"id", "email", "verified", "permissionType", "firstName", "lastName",
	"university", "campusMailbox", "paymentUsername", "suspendedAt", "createdAt",
}

// exportUsers serves GET /api/dashboard/exportUsers: the users of getUsers.
func (h *Handler) exportUsers(c *gin.Context) {
	payee := payeeOf(c)
	row := func(u user.User) []string { return userRow(u, payee) }
	export(h, c, "users.csv", userColumns, row, func(ctx context.Context, at string) ([]user.User, string, error) {
		page, err := h.Users.List(
			ctx, callerOf(ctx), account.UserQuery{Search: c.Query("search"), InNames: true, First: account.MaxPage, After: at},
		)
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
		u.ID.String(), csvfile.Text(string(u.Email)), strconv.FormatBool(u.Verified), strconv.Itoa(int(u.Role)), csvfile.Text(p.FirstName),
		csvfile.Text(p.LastName), csvfile.Text(p.University), csvfile.Text(p.CampusMailbox), payee(p.PaymentUsername),
		csvfile.Time(u.SuspendedAt), csvfile.Time(u.CreatedAt),
	}
}

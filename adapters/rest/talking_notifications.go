package rest

import (
	"context"

	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/domain/notification"
)

// GetNotifications serves GET /api/user/getNotifications.
func (h *Handler) GetNotifications(
	ctx context.Context, r restgen.GetNotificationsRequestObject,
) (restgen.GetNotificationsResponseObject, error) {
	notices, next, err := h.Notifications.List(ctx, callerOf(ctx), pageOf(r.Params.Limit, r.Params.Cursor))
	return replyPage[restgen.GetNotifications200JSONResponse](ctx, h, notices, next, err, notificationOf)
}

// GetUnreadCount serves GET /api/user/getUnreadCount.
func (h *Handler) GetUnreadCount(ctx context.Context, _ restgen.GetUnreadCountRequestObject) (restgen.GetUnreadCountResponseObject, error) {
	n, err := h.Notifications.CountUnread(ctx, callerOf(ctx))
	if err != nil {
		return nil, err
	}
	return restgen.GetUnreadCount200JSONResponse(respond(ctx, h, restgen.Unread{Unread: n})), nil
}

// MarkNotificationsRead serves POST /api/user/markNotificationsRead.
func (h *Handler) MarkNotificationsRead(
	ctx context.Context, r restgen.MarkNotificationsReadRequestObject,
) (restgen.MarkNotificationsReadResponseObject, error) {
	var ids []notification.ID // nil: all
	if r.Body.Ids != nil {
		ids = idsOf[notification.ID](*r.Body.Ids)
	}
	err := h.Notifications.MarkRead(ctx, callerOf(ctx), ids)
	return replyEmpty[restgen.MarkNotificationsRead200JSONResponse](ctx, h, err)
}

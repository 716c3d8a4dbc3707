package rest

import (
	"context"

	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/domain/notification"
)

// GetNotifications serves GET /api/user/getNotifications.
func (e *Edge) GetNotifications(ctx context.Context, r restgen.GetNotificationsRequestObject) (restgen.GetNotificationsResponseObject, error) {
	notices, next, err := e.Notifications.List(ctx, by(ctx), pageOf(r.Params.Limit, r.Params.Cursor))
	if err != nil {
		return nil, err
	}
	return restgen.GetNotifications200JSONResponse{
		Body:    reply(ctx, e, each(notices, notificationOf)),
		Headers: restgen.GetNotifications200ResponseHeaders{Link: linkTo(ctx, next)},
	}, nil
}

// GetUnreadCount serves GET /api/user/getUnreadCount.
func (e *Edge) GetUnreadCount(ctx context.Context, _ restgen.GetUnreadCountRequestObject) (restgen.GetUnreadCountResponseObject, error) {
	n, err := e.Notifications.CountUnread(ctx, by(ctx))
	if err != nil {
		return nil, err
	}
	return restgen.GetUnreadCount200JSONResponse(reply(ctx, e, restgen.Unread{Unread: n})), nil
}

// MarkNotificationsRead serves POST /api/user/markNotificationsRead.
func (e *Edge) MarkNotificationsRead(ctx context.Context, r restgen.MarkNotificationsReadRequestObject) (restgen.MarkNotificationsReadResponseObject, error) {
	var ids []notification.ID // nil: all
	if r.Body.Ids != nil {
		ids = idsOf[notification.ID](*r.Body.Ids)
	}
	if err := e.Notifications.MarkRead(ctx, by(ctx), ids); err != nil {
		return nil, err
	}
	return restgen.MarkNotificationsRead200JSONResponse(empty(ctx, e)), nil
}

// GetUserStatistics serves GET /api/user/getUserStatistics.
func (e *Edge) GetUserStatistics(ctx context.Context, _ restgen.GetUserStatisticsRequestObject) (restgen.GetUserStatisticsResponseObject, error) {
	s, err := e.Statistics.ForUser(ctx, by(ctx))
	if err != nil {
		return nil, err
	}
	return restgen.GetUserStatistics200JSONResponse(reply(ctx, e, userStatisticsOf(s))), nil
}

package rest

import (
	"context"

	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/domain/push"
)

var pushOperations = feature{rules: rules{"addPushSubscription": rule(checkPushSubscription)}}

// GetPushKey serves GET /api/user/getPushKey.
func (h *Handler) GetPushKey(ctx context.Context, _ restgen.GetPushKeyRequestObject) (restgen.GetPushKeyResponseObject, error) {
	key, err := h.PushSubscriptions.Key(callerOf(ctx))
	return reply[restgen.GetPushKey200JSONResponse](ctx, h, key, err, func(key string) restgen.PushKey { return restgen.PushKey{Key: key} })
}

// AddPushSubscription serves POST /api/user/addPushSubscription.
func (h *Handler) AddPushSubscription(
	ctx context.Context, r restgen.AddPushSubscriptionRequestObject,
) (restgen.AddPushSubscriptionResponseObject, error) {
	id, err := h.PushSubscriptions.Add(ctx, callerOf(ctx), pushDraftOf(*r.Body))
	return reply[restgen.AddPushSubscription201JSONResponse](ctx, h, id, err, func(id push.ID) restgen.PushSubscribed {
		return restgen.PushSubscribed{Id: id.String()}
	})
}

func pushDraftOf(b restgen.PushSubscriptionBody) push.Draft {
	return push.Draft{Endpoint: b.Endpoint, Keys: push.Keys{P256dh: b.Keys.P256dh, Auth: b.Keys.Auth}, Kinds: valueOr(b.Kinds, nil)}
}

func checkPushSubscription(_ *Handler, b *restgen.PushSubscriptionBody) []error {
	_, err := pushDraftOf(*b).Subscription(func(string) bool { return true })
	return []error{err}
}

// RemovePushSubscription serves POST /api/user/removePushSubscription.
func (h *Handler) RemovePushSubscription(
	ctx context.Context, r restgen.RemovePushSubscriptionRequestObject,
) (restgen.RemovePushSubscriptionResponseObject, error) {
	err := h.PushSubscriptions.Remove(ctx, callerOf(ctx), r.Body.Endpoint)
	return replyEmpty[restgen.RemovePushSubscription200JSONResponse](ctx, h, err)
}

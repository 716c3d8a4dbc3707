package talkingpages

import (
	"net/http"

	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// notificationPages lists what has happened.
func (p *Pages) notificationPages() web.Feature {
	return web.Feature{Routes: []*web.Route{
		web.Get("/notifications", p.ForStudents(p.notifications)).InMenu(80, "Notifications", "what has happened since your last visit"),
		web.Post("/notifications/read", p.ForStudents(p.markRead)),
	}}
}

type notificationsView struct {
	Notifications []notification.Notification
	Unread        bool
	More          string
	Push          pushView
}

// notifications serves GET /notifications.
func (p *Pages) notifications(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	notices, next, err := p.Market.Notifications.List(r.Context(), by, web.PageOf(r))
	if err != nil {
		return err
	}
	lang := web.LangOf(r)
	v := notificationsView{More: web.NextLink(r, next), Notifications: notices}
	for i, n := range notices {
		v.Unread = v.Unread || n.ReadAt.IsZero()
		notices[i].Message = web.NotificationText(lang, n)
	}
	if v.Push, err = p.viewPush(r, by); err != nil {
		return err
	}
	return p.Show(w, r, http.StatusOK, "notifications", "Notifications", v)
}

// markRead serves POST /notifications/read: one of them, or all.
func (p *Pages) markRead(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	var ids []notification.ID // nil: all
	if one := r.PostForm.Get("id"); one != "" {
		ids = []notification.ID{web.IDOf[notification.ID](one)}
	}
	err := p.Market.Notifications.MarkRead(r.Context(), by, ids)
	return p.Done(w, r, err, "/notifications", "")
}

package web

import (
	"net/http"

	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// notificationPages lists what has happened.
func (p *Pages) notificationPages() feature {
	return feature{routes: []*Route{
		get("/notifications", p.forStudents(p.notifications)).inMenu(80, "Notifications", "what has happened since your last visit"),
		post("/notifications/read", p.forStudents(p.markRead)),
	}}
}

type notificationsView struct {
	Notifications []notification.Notification
	Unread        bool
	More          string
}

// notifications serves GET /notifications.
func (p *Pages) notifications(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	notices, next, err := p.Market.Notifications.List(r.Context(), by, pageOf(r))
	if err != nil {
		return err
	}
	lang := langOf(r)
	v := notificationsView{More: nextLink(r, next), Notifications: notices}
	for i, n := range notices {
		v.Unread = v.Unread || n.ReadAt.IsZero()
		notices[i].Message = notificationText(lang, n)
	}
	return p.show(w, r, http.StatusOK, "notifications", "Notifications", v)
}

// markRead serves POST /notifications/read: one of them, or all.
func (p *Pages) markRead(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	var ids []notification.ID // nil: all
	if one := r.PostForm.Get("id"); one != "" {
		ids = []notification.ID{idOf[notification.ID](one)}
	}
	err := p.Market.Notifications.MarkRead(r.Context(), by, ids)
	return p.done(w, r, err, "/notifications", "")
}

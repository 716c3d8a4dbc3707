package web

import (
	"net/http"
	"strings"

	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

type noticesView struct {
	Notices []notification.Notification
	Unread  bool
	More    string
}

// notices serves GET /notifications.
func (p *Pages) notices(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	notices, next, err := p.Market.Notifications.List(r.Context(), by, pageOf(r))
	if err != nil {
		return err
	}
	lang := langOf(r)
	v := noticesView{More: further(r, next), Notices: notices}
	for i, n := range notices {
		v.Unread = v.Unread || n.ReadAt.IsZero()
		notices[i].Message = told(lang, n)
	}
	p.show(w, r, http.StatusOK, "notices", frame{lang, say(lang, "Notifications"), v})
	return nil
}

// told is what a notification says in a language. The stored sentence is English
// and quotes the title.
func told(lang user.Lang, n notification.Notification) string {
	french, ok := noticesInFrench[n.Kind]
	if lang != user.FR || !ok {
		return n.Message
	}
	from, to := strings.Index(n.Message, "“"), strings.LastIndex(n.Message, "”")
	if from < 0 || to < from {
		return french
	}
	return strings.Replace(french, "%s", "« "+n.Message[from+len("“"):to]+" »", 1)
}

// markRead serves POST /notifications/read: one of them, or all.
func (p *Pages) markRead(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	var ids []notification.ID // nil: all
	if one := r.PostForm.Get("id"); one != "" {
		ids = []notification.ID{idOf[notification.ID](one)}
	}
	if err := p.Market.Notifications.MarkRead(r.Context(), by, ids); err != nil {
		return err
	}
	return p.onward(w, r, "/notifications", "")
}

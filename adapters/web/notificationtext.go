package web

import (
	"strings"

	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// PushWords are the texts of pushed notifications, as pushing.Words.
type PushWords struct{}

// Sentence implements pushing.Words.
func (PushWords) Sentence(lang user.Lang, n notification.Notification) string {
	return NotificationText(lang, n)
}

// Held implements pushing.Words.
func (PushWords) Held(lang user.Lang, n int) string {
	return plural(lang, n, "%s new notification", "%s new notifications")
}

// NotificationText returns the text of a notification in a language. The stored
// message is English and quotes the title.
func NotificationText(lang user.Lang, n notification.Notification) string {
	kind := string(n.Kind)
	if n.Hidden() {
		kind = "book_hidden"
	}
	text, ok := Catalogues[lang].Lookup("notification", kind)
	if !ok {
		return n.Message
	}
	from, to := strings.Index(n.Message, "“"), strings.LastIndex(n.Message, "”")
	if from < 0 || to < from {
		return text
	}
	return strings.Replace(text, "%s", "«\u00a0"+n.Message[from+len("“"):to]+"\u00a0»", 1)
}

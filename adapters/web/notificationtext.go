package web

import (
	"strings"

	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

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

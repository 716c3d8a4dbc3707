package push

import (
	"crypto/hmac"
	"crypto/sha256"
	"time"

	"github.com/octavo-books/octavo/domain/notification"
)

// TTL is how long a push service stores a message for a browser that is not there.
const TTL = 24 * time.Hour

// Urgency says for which messages a device may be woken (RFC 8030, section 5.3).
type Urgency string

// The urgencies in use: on a low battery a device gets only the normal ones.
const (
	Low    Urgency = "low"
	Normal Urgency = "normal"
)

// UrgencyOf returns the urgency of a notification: what waits for the user's answer is normal.
func UrgencyOf(n notification.Notification) Urgency {
	if n.Kind.Personal() || n.Order != 0 {
		return Normal
	}
	return Low
}

// topicBytes make a topic of 32 characters, which is the most that RFC 8030 allows.
const topicBytes = 24

// TopicOf returns the topic of a notification, empty for none: of the messages with one topic that wait at a push
// service, the newest replaces the others. Conversations and orders have one. The service learns nothing from it, because
// it depends on the secret of the subscription.
func (s Subscription) TopicOf(n notification.Notification) string {
	switch {
	case n.Conversation != 0:
		return s.topic("conversation " + n.Conversation.String())
	case n.Order != 0:
		return s.topic("order " + n.Order.String())
	}
	return ""
}

func (s Subscription) topic(of string) string {
	mac := hmac.New(sha256.New, []byte(s.Auth))
	mac.Write([]byte(of))
	return encode(mac.Sum(nil)[:topicBytes])
}

// PathOf returns the page to which a notification leads.
func PathOf(n notification.Notification) string {
	switch {
	case n.Conversation != 0:
		return "/conversation?id=" + n.Conversation.String()
	case n.Order != 0:
		return "/order?id=" + n.Order.String()
	case n.Kind.AboutOffer():
		return "/offers"
	case n.Book != 0:
		return "/book?id=" + n.Book.String()
	}
	return "/notifications"
}

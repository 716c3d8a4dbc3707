package talking

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// Export exports what people have written and were told.
func Export(r Reader) market.Exporter {
	return func(ctx context.Context, of user.ID, out *market.Exporting) { export(ctx, r, of, out) }
}

func export(ctx context.Context, r Reader, of user.ID, out *market.Exporting) {
	market.ExportList(out, "notifications", func(before int64, n int) ([]notification.Notification, error) {
		return r.ListNotifications(ctx, of, notification.ID(before), n)
	}, func(n notification.Notification) int64 { return int64(n.ID) }, exportedNotification)
	market.ExportList(out, "conversations", func(before int64, n int) ([]market.ConversationView, error) {
		return r.ListConversations(ctx, of, conversation.MessageID(before), n)
	}, func(v market.ConversationView) int64 { return int64(v.Last) }, exportedConversation)
	market.ExportList(out, "messages", func(before int64, n int) ([]conversation.Message, error) {
		return r.ListMessagesFrom(ctx, of, conversation.MessageID(before), n)
	}, func(m conversation.Message) int64 { return int64(m.ID) }, exportedMessage)
	market.ExportList(out, "blocked", func(before int64, n int) ([]BlockView, error) {
		return r.ListBlocks(ctx, of, before, n)
	}, func(v BlockView) int64 { return v.ID }, func(v BlockView) ExportedBlock {
		return ExportedBlock{UserID: v.Of.String(), CreatedAt: v.CreatedAt}
	})
}

func exportedNotification(n notification.Notification) ExportedNotification {
	return ExportedNotification{Message: n.Message, CreatedAt: n.CreatedAt, ReadAt: market.OptionalTime(n.ReadAt)}
}

func exportedConversation(v market.ConversationView) ExportedConversation {
	return ExportedConversation{
		ID: v.ID.String(), BookID: v.Book.String(), BookName: v.BookName, CreatedAt: v.CreatedAt, LastMessageAt: v.LastAt,
	}
}

func exportedMessage(m conversation.Message) ExportedMessage {
	return ExportedMessage{
		ID: m.ID.String(), ConversationID: m.Conversation.String(), Text: m.Text, CreatedAt: m.CreatedAt,
		ReadAt: market.OptionalTime(m.ReadAt),
	}
}

// ExportedNotification is a notification of the user.
type ExportedNotification struct {
	Message   string     `json:"message"`
	CreatedAt time.Time  `json:"createdAt"`
	ReadAt    *time.Time `json:"readAt"`
}

// ExportedConversation is a conversation of the user.
type ExportedConversation struct {
	ID            string    `json:"id"`
	BookID        string    `json:"bookId"`
	BookName      string    `json:"bookName"`
	CreatedAt     time.Time `json:"createdAt"`
	LastMessageAt time.Time `json:"lastMessageAt"`
}

// ExportedMessage is a message that the user has written.
type ExportedMessage struct {
	ID             string     `json:"id"`
	ConversationID string     `json:"conversationId"`
	Text           string     `json:"text"`
	CreatedAt      time.Time  `json:"createdAt"`
	ReadAt         *time.Time `json:"readAt"`
}

// ExportedBlock is a person whom the user has blocked.
type ExportedBlock struct {
	UserID    string    `json:"userId"`
	CreatedAt time.Time `json:"createdAt"`
}

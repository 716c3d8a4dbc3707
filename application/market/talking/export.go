package talking

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// Exporter exports what people have written and were told.
type Exporter struct{ reader Reader }

// NewExporter returns the exporter.
func NewExporter(r Reader) Exporter { return Exporter{r} }

// Export implements Exporter.
func (x Exporter) Export(ctx context.Context, of user.ID, out *market.Exporting) (err error) {
	out.Notifications, err = market.ExportList(out, "notifications", nil, func(before int64, n int) ([]notification.Notification, error) {
		return x.reader.ListNotifications(ctx, of, notification.ID(before), n)
	}, func(n notification.Notification) int64 { return int64(n.ID) }, exportedNotification)
	out.Conversations, err = market.ExportList(out, "conversations", err, func(before int64, n int) ([]market.ConversationView, error) {
		return x.reader.ListConversations(ctx, of, conversation.MessageID(before), n)
	}, func(v market.ConversationView) int64 { return int64(v.Last) }, exportedConversation)
	out.Messages, err = market.ExportList(out, "messages", err, func(before int64, n int) ([]conversation.Message, error) {
		return x.reader.ListMessagesFrom(ctx, of, conversation.MessageID(before), n)
	}, func(m conversation.Message) int64 { return int64(m.ID) }, exportedMessage)
	out.Blocked, err = market.ExportList(out, "blocked", err, func(before int64, n int) ([]BlockView, error) {
		return x.reader.ListBlocks(ctx, of, before, n)
	}, func(v BlockView) int64 { return v.ID }, func(v BlockView) market.ExportedBlock {
		return market.ExportedBlock{UserID: v.Of.String(), CreatedAt: v.CreatedAt}
	})
	return err
}

func exportedNotification(n notification.Notification) market.ExportedNotification {
	return market.ExportedNotification{Message: n.Message, CreatedAt: n.CreatedAt, ReadAt: market.OptionalTime(n.ReadAt)}
}

func exportedConversation(v market.ConversationView) market.ExportedConversation {
	return market.ExportedConversation{ID: v.ID.String(), BookID: v.Book.String(), BookName: v.BookName, CreatedAt: v.CreatedAt, LastMessageAt: v.LastAt}
}

func exportedMessage(m conversation.Message) market.ExportedMessage {
	return market.ExportedMessage{ID: m.ID.String(), ConversationID: m.Conversation.String(), Text: m.Text, CreatedAt: m.CreatedAt, ReadAt: market.OptionalTime(m.ReadAt)}
}

package market

import (
	"context"

	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// TalkExportReader reads what ExportOfTalks exports.
type TalkExportReader interface {
	ListNotifications(ctx context.Context, of user.ID, before notification.ID, n int) ([]notification.Notification, error)
	ListConversations(ctx context.Context, of user.ID, before conversation.MessageID, n int) ([]ConversationView, error)
	ListMessagesFrom(ctx context.Context, by user.ID, before conversation.MessageID, n int) ([]conversation.Message, error)
	ListBlocks(ctx context.Context, by user.ID, before int64, n int) ([]BlockView, error)
}

// ExportOfTalks exports what people have written and were told.
type ExportOfTalks struct{ reader TalkExportReader }

// NewExportOfTalks returns the exporter.
func NewExportOfTalks(r TalkExportReader) ExportOfTalks { return ExportOfTalks{r} }

// Export implements Exporter.
func (x ExportOfTalks) Export(ctx context.Context, of user.ID, out *Exporting) (err error) {
	out.Notifications, err = ExportList(out, "notifications", nil, func(before int64, n int) ([]notification.Notification, error) {
		return x.reader.ListNotifications(ctx, of, notification.ID(before), n)
	}, func(n notification.Notification) int64 { return int64(n.ID) }, exportedNotification)
	out.Conversations, err = ExportList(out, "conversations", err, func(before int64, n int) ([]ConversationView, error) {
		return x.reader.ListConversations(ctx, of, conversation.MessageID(before), n)
	}, func(v ConversationView) int64 { return int64(v.Last) }, exportedConversation)
	out.Messages, err = ExportList(out, "messages", err, func(before int64, n int) ([]conversation.Message, error) {
		return x.reader.ListMessagesFrom(ctx, of, conversation.MessageID(before), n)
	}, func(m conversation.Message) int64 { return int64(m.ID) }, exportedMessage)
	out.Blocked, err = ExportList(out, "blocked", err, func(before int64, n int) ([]BlockView, error) {
		return x.reader.ListBlocks(ctx, of, before, n)
	}, func(v BlockView) int64 { return v.ID }, func(v BlockView) ExportedBlock { return ExportedBlock{v.Of.String(), v.CreatedAt} })
	return err
}

func exportedNotification(n notification.Notification) ExportedNotification {
	return ExportedNotification{n.Message, n.CreatedAt, OptionalTime(n.ReadAt)}
}

func exportedConversation(v ConversationView) ExportedConversation {
	return ExportedConversation{v.ID.String(), v.Book.String(), v.BookName, v.CreatedAt, v.LastAt}
}

func exportedMessage(m conversation.Message) ExportedMessage {
	return ExportedMessage{m.ID.String(), m.Conversation.String(), m.Text, m.CreatedAt, OptionalTime(m.ReadAt)}
}

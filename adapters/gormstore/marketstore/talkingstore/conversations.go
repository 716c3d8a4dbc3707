package talkingstore

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/user"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
)

type conversationRow struct {
	ID        conversation.ID        `gorm:"primaryKey;autoIncrement:false"`
	Book      book.ID                `gorm:"column:book_id"`
	Seller    sideRow                `gorm:"embedded;embeddedPrefix:seller_"`
	Buyer     sideRow                `gorm:"embedded;embeddedPrefix:buyer_"`
	Last      conversation.MessageID `gorm:"column:last_id"`
	CreatedAt time.Time              `gorm:"serializer:micros;autoCreateTime:false"`
	LastAt    time.Time              `gorm:"serializer:micros"`
}

type sideRow struct {
	User     user.ID `gorm:"column:id"`
	Sent     int
	Unread   int
	MailedAt time.Time `gorm:"serializer:micros"`
	Gone     int       // 0 or 1
}

type conversationMessageRow struct {
	Conversation conversation.ID `gorm:"column:conversation_id;primaryKey;autoIncrement:false"`
	N            int             `gorm:"primaryKey;autoIncrement:false"`
	ID           conversation.MessageID
	From         user.ID `gorm:"column:from_id"`
	Text         string
	CreatedAt    time.Time `gorm:"serializer:micros;autoCreateTime:false"`
	ReadAt       time.Time `gorm:"serializer:micros"`
}

// TableName is part of GORM's interface, here and below.
func (conversationRow) TableName() string        { return "conversations" }
func (conversationMessageRow) TableName() string { return "messages" }

func newConversationRow(c conversation.Conversation) conversationRow {
	return conversationRow{c.ID, c.Book, newSideRow(c.Seller), newSideRow(c.Buyer), c.Last, c.CreatedAt, c.LastAt}
}

func newSideRow(s conversation.Side) sideRow {
	return sideRow{s.User, s.Sent, s.Unread, s.MailedAt, rawsql.Flag(s.Gone)}
}

func (r *conversationRow) conversation() conversation.Conversation {
	return conversation.Conversation{
		ID: r.ID, Book: r.Book, Seller: r.Seller.side(), Buyer: r.Buyer.side(), Last: r.Last, CreatedAt: r.CreatedAt, LastAt: r.LastAt,
	}
}

func (r *sideRow) side() conversation.Side {
	return conversation.Side{User: r.User, Sent: r.Sent, Unread: r.Unread, MailedAt: r.MailedAt, Gone: r.Gone != 0}
}

func (r *conversationMessageRow) message() conversation.Message {
	return conversation.Message{ID: r.ID, Conversation: r.Conversation, N: r.N, From: r.From, Text: r.Text, CreatedAt: r.CreatedAt, ReadAt: r.ReadAt}
}

// conversations implements talking.Store.
type conversations struct{ marketrows.Handle }

func (s conversations) EnsureConversation(ctx context.Context, c conversation.Conversation) (conversation.Conversation, bool, error) {
	row, inserted := newConversationRow(c), gorm.WithResult()
	pair := []clause.Column{{Name: "book_id"}, {Name: "buyer_id"}}
	err := table.Of[conversationRow](s.Session, clause.OnConflict{Columns: pair, DoNothing: true}, inserted).Create(ctx, &row)
	if err != nil || inserted.RowsAffected == 1 {
		return c, err == nil, err
	}
	stored, err := s.lock(ctx, "book_id = ? AND buyer_id = ?", c.Book, c.Buyer.User)
	return stored, false, err
}

func (s conversations) LockConversation(ctx context.Context, id conversation.ID) (conversation.Conversation, error) {
	return s.lock(ctx, "id = ?", id)
}

func (s conversations) lock(ctx context.Context, where string, args ...any) (conversation.Conversation, error) {
	row, err := rawsql.Take(ctx, table.Of[conversationRow](s.Session, rawsql.ForUpdate).Where(where, args...), conversation.ErrNotFound)
	return row.conversation(), err
}

func (s conversations) AddMessage(ctx context.Context, c conversation.Conversation, m conversation.Message) error {
	if err := table.Of[conversationMessageRow](s.Session).Create(ctx, &conversationMessageRow{
		m.Conversation, m.N, m.ID, m.From, m.Text, m.CreatedAt, m.ReadAt,
	}); err != nil {
		return err
	}
	_, err := table.Of[conversationRow](s.Session).Where("id = ?", c.ID).Select("*").Updates(ctx, newConversationRow(c))
	return err
}

func (s conversations) MarkMessagesRead(ctx context.Context, id conversation.ID, to user.ID, now time.Time) error {
	if _, err := s.Exec(ctx, "UPDATE messages SET read_at = ? WHERE conversation_id = ? AND read_at = 0 AND from_id <> ?",
		rawsql.Micros(now), int64(id), int64(to)); err != nil {
		return err
	}
	_, err := s.Exec(ctx, `UPDATE conversations SET seller_unread = CASE WHEN seller_id = ? THEN 0 ELSE seller_unread END,
		buyer_unread = CASE WHEN buyer_id = ? THEN 0 ELSE buyer_unread END WHERE id = ?`, int64(to), int64(to), int64(id))
	return err
}

func (s conversations) EraseUser(ctx context.Context, id user.ID) error {
	for _, statement := range []string{
		"UPDATE conversations SET seller_gone = 1, seller_unread = 0 WHERE seller_id = ?",
		"UPDATE conversations SET buyer_gone = 1, buyer_unread = 0 WHERE buyer_id = ?",
		"UPDATE messages SET text = '' WHERE from_id = ?",
		"DELETE FROM blocks WHERE by_id = ?",
		"DELETE FROM blocks WHERE of_id = ?",
	} {
		if _, err := s.Exec(ctx, statement, int64(id)); err != nil {
			return err
		}
	}
	_, err := s.delete(ctx, "SELECT id FROM conversations WHERE (seller_id = ? OR buyer_id = ?) AND seller_gone = 1 AND buyer_gone = 1", int64(id), int64(id))
	return err
}

func (s conversations) DeleteConversationsBefore(ctx context.Context, t time.Time, n int) (int, error) {
	return s.delete(ctx, "SELECT id FROM conversations WHERE last_at < ? ORDER BY last_at LIMIT ?"+s.Locking(rawsql.SkipLocked), rawsql.Micros(t), n)
}

// delete deletes the conversations whose ids a query returns, and returns how many.
func (s conversations) delete(ctx context.Context, query string, args ...any) (int, error) {
	ids, err := rawsql.Collect(ctx, s.Conn, rawsql.Integer[int64], query, args...)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	for rest := ids; len(rest) > 0; {
		some := rest[:min(len(rest), rawsql.RowsPerStatement)]
		rest = rest[len(some):]
		marks, args := rawsql.In(some)
		for _, from := range []string{"messages WHERE conversation_id", "conversations WHERE id"} {
			if _, err := s.Exec(ctx, "DELETE FROM "+from+" IN ("+marks+")", args...); err != nil {
				return 0, err
			}
		}
	}
	return len(ids), nil
}

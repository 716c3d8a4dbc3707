package talkingstore

import (
	"context"
	"slices"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore/marketstore/marketrows"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/user"
)

// conversationViewColumns are the columns of a conversation c with its book, its people and
// its newest message.
var conversationViewColumns = `c.id, c.book_id, c.seller_id, c.seller_sent, c.seller_unread, c.seller_mailed_at, c.seller_gone,
	c.buyer_id, c.buyer_sent, c.buyer_unread, c.buyer_mailed_at, c.buyer_gone, c.last_id, c.created_at, c.last_at, b.name, ` +
	marketrows.UserColumns("su") + ", " + marketrows.UserColumns("bu") + ", m.n, m.id, m.from_id, m.text, m.created_at, m.read_at"

func joinConversationViews(c marketrows.Handle) string {
	people := c.JoinRow("JOIN", "books", "b", "c.book_id") + c.JoinRow("JOIN", "users", "su", "c.seller_id") + c.JoinRow("JOIN", "users", "bu", "c.buyer_id")
	if c.IsPostgres() {
		return people + " JOIN LATERAL (SELECT * FROM messages WHERE conversation_id = c.id AND n = c.seller_sent + c.buyer_sent OFFSET 0) AS m ON TRUE "
	}
	return people + " JOIN messages m ON m.conversation_id = c.id AND m.n = c.seller_sent + c.buyer_sent "
}

func (r *sideRow) columns() []any {
	return []any{&r.User, &r.Sent, &r.Unread, rawsql.ScanTime(&r.MailedAt), &r.Gone}
}

func readConversationView() ([]any, func() market.ConversationView) {
	var c conversationRow
	var m conversationMessageRow
	var v market.ConversationView
	columns := slices.Concat([]any{&c.ID, &c.Book}, c.Seller.columns(), c.Buyer.columns(),
		[]any{&c.Last, rawsql.ScanTime(&c.CreatedAt), rawsql.ScanTime(&c.LastAt), &v.BookName},
		marketrows.ScanUser(&v.SellerUser), marketrows.ScanUser(&v.BuyerUser),
		[]any{&m.N, &m.ID, &m.From, &m.Text, rawsql.ScanTime(&m.CreatedAt), rawsql.ScanTime(&m.ReadAt)})
	return columns, func() market.ConversationView {
		m.Conversation = c.ID
		v.Conversation, v.Newest = c.conversation(), m.message()
		return v
	}
}

// ListConversations implements talking.Reader. Each side has an index of its own.
func (s Reader) ListConversations(ctx context.Context, of user.ID, before conversation.MessageID, n int) ([]market.ConversationView, error) {
	side := func(column string) string {
		return "SELECT * FROM (SELECT id, last_id FROM conversations WHERE " + column + " = ? AND last_id < ? ORDER BY last_id DESC LIMIT ?) AS " + column[:1]
	}
	below := rawsql.UpperBound(before)
	return rawsql.Collect(ctx, s.Read.Conn, readConversationView, "SELECT "+conversationViewColumns+
		" FROM ("+side("seller_id")+" UNION ALL "+side("buyer_id")+") AS h"+s.Read.JoinRow("JOIN", "conversations", "c", "h.id")+joinConversationViews(s.Read)+
		"ORDER BY h.last_id DESC LIMIT ?", int64(of), below, n, int64(of), below, n, n)
}

// FindConversation implements talking.Reader.
func (s Reader) FindConversation(ctx context.Context, id conversation.ID) (market.ConversationView, error) {
	v, found, err := rawsql.One(ctx, s.Read.Conn, readConversationView,
		"SELECT "+conversationViewColumns+" FROM conversations c"+joinConversationViews(s.Read)+"WHERE c.id = ?", int64(id))
	if err == nil && !found {
		err = conversation.ErrNotFound
	}
	return v, err
}

// FindConversationID implements talking.Reader.
func (s Reader) FindConversationID(ctx context.Context, about book.ID, buyer user.ID) (conversation.ID, error) {
	id, _, err := rawsql.One(ctx, s.Read.Conn, rawsql.Integer[conversation.ID], "SELECT id FROM conversations WHERE book_id = ? AND buyer_id = ?", int64(about), int64(buyer))
	return id, err
}

// ListMessages implements talking.Reader.
func (s Reader) ListMessages(ctx context.Context, of conversation.ID, before, n int) ([]conversation.Message, error) {
	return rawsql.List(ctx, table.Of[conversationMessageRow](s.DB.Read).Where("conversation_id = ? AND n < ?", of, rawsql.UpperBound(int64(before))).Order("n DESC").Limit(n), (*conversationMessageRow).message)
}

// CountUnreadMessages implements talking.Reader. It reads as many conversations of each side as are
// counted.
func (s Reader) CountUnreadMessages(ctx context.Context, to user.ID) (int, error) {
	side := func(name string) string {
		return "(SELECT COALESCE(sum(unread), 0) FROM (SELECT " + name + "_unread AS unread FROM conversations WHERE " + name + "_id = ? AND " + name + "_unread > 0 LIMIT ?) AS " + name[:1] + ")"
	}
	n, _, err := rawsql.One(ctx, s.Read.Conn, rawsql.Integer[int], "SELECT CAST("+side("seller")+" + "+side("buyer")+" AS BIGINT)",
		int64(to), talking.MaxUnreadConversations, int64(to), talking.MaxUnreadConversations)
	return n, err
}

// ListMessagesFrom implements talking.Reader.
func (s Reader) ListMessagesFrom(ctx context.Context, by user.ID, before conversation.MessageID, n int) ([]conversation.Message, error) {
	return rawsql.List(ctx, table.Of[conversationMessageRow](s.DB.Read).Where("from_id = ? AND id < ?", by, rawsql.UpperBound(before)).Order("id DESC").Limit(n), (*conversationMessageRow).message)
}

// ListReportedMessages implements market.ReportedMessageReader.
func (s Reader) ListReportedMessages(ctx context.Context, of conversation.ID, until time.Time, n int) ([]conversation.Message, error) {
	rows, err := table.Of[conversationMessageRow](s.DB.Read).Where("conversation_id = ? AND created_at <= ?", of, rawsql.Micros(until)).Order("n DESC").Limit(n).Find(ctx)
	slices.Reverse(rows)
	return rawsql.Convert(rows, (*conversationMessageRow).message), err
}

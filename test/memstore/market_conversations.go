package memstore

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/user"
)

type conversationTable struct{ table }

func (t conversationTable) EnsureConversation(_ context.Context, c conversation.Conversation) (conversation.Conversation, bool, error) {
	for _, stored := range t.conversations {
		if stored.Book == c.Book && stored.Buyer.User == c.Buyer.User {
			return stored, false, nil
		}
	}
	t.conversations[c.ID] = c
	return c, true, nil
}

func (t conversationTable) LockConversation(_ context.Context, id conversation.ID) (conversation.Conversation, error) {
	c, ok := t.conversations[id]
	if !ok {
		return c, conversation.ErrNotFound
	}
	return c, nil
}

func (t conversationTable) AddMessage(_ context.Context, c conversation.Conversation, m conversation.Message) error {
	t.conversations[c.ID], t.messages[m.ID] = c, m
	return nil
}

func (t conversationTable) MarkMessagesRead(_ context.Context, id conversation.ID, to user.ID, now time.Time) error {
	for k, m := range t.messages {
		if m.Conversation == id && m.From != to && m.ReadAt.IsZero() {
			m.ReadAt = now
			t.messages[k] = m
		}
	}
	c := t.conversations[id]
	c.Of(to).Unread = 0
	t.conversations[id] = c
	return nil
}

func (t conversationTable) LeaveConversations(_ context.Context, id user.ID) error {
	for k, m := range t.messages {
		if m.From == id {
			m.Text = ""
			t.messages[k] = m
		}
	}
	for k, c := range t.conversations {
		if !c.Involves(id) {
			continue
		}
		c.Of(id).Gone, c.Of(id).Unread = true, 0
		t.conversations[k] = c
		if c.Seller.Gone && c.Buyer.Gone {
			t.deleteConversation(k)
		}
	}
	return nil
}

func (t conversationTable) DeleteConversationsBefore(_ context.Context, then time.Time, n int) (int, error) {
	old := pick(t.conversations, n, func(a, b conversation.Conversation) int { return a.LastAt.Compare(b.LastAt) },
		func(c conversation.Conversation) bool { return c.LastAt.Before(then) })
	for _, c := range old {
		t.deleteConversation(c.ID)
	}
	return len(old), nil
}

func (t conversationTable) deleteConversation(id conversation.ID) {
	delete(t.conversations, id)
	maps.DeleteFunc(t.messages, func(_ conversation.MessageID, m conversation.Message) bool { return m.Conversation == id })
}

type blockTable struct{ table }

func (t blockTable) AddBlock(_ context.Context, b conversation.Block, max int) error {
	others := 0
	for _, stored := range t.blocks {
		if stored.By == b.By && stored.Of == b.Of {
			return nil
		}
		if stored.By == b.By {
			others++
		}
	}
	if others >= max {
		return conversation.ErrTooManyBlocks
	}
	t.blocks[b.ID] = b
	return nil
}

func (t blockTable) RemoveBlock(_ context.Context, by, of user.ID) error {
	maps.DeleteFunc(t.blocks, func(_ int64, b conversation.Block) bool { return b.By == by && b.Of == of })
	return nil
}

func (t blockTable) AreBlocked(_ context.Context, a, b user.ID) (bool, error) {
	return t.hasBlocked(a, b) || t.hasBlocked(b, a), nil
}

func (t blockTable) DeleteBlocks(_ context.Context, id user.ID) error {
	maps.DeleteFunc(t.blocks, func(_ int64, b conversation.Block) bool { return b.By == id || b.Of == id })
	return nil
}

func (t *marketTables) hasBlocked(by, of user.ID) bool {
	for _, b := range t.blocks {
		if b.By == by && b.Of == of {
			return true
		}
	}
	return false
}

func (t notificationTable) HasUnreadOf(_ context.Context, to user.ID, of conversation.ID) (bool, error) {
	for _, n := range t.s.tables.market.notifications {
		if n.User == to && n.Conversation == of && n.ReadAt.IsZero() {
			return true, nil
		}
	}
	return false, nil
}

func (t notificationTable) MarkReadOf(_ context.Context, to user.ID, of conversation.ID, now time.Time) error {
	all := t.s.tables.market.notifications
	for k, n := range all {
		if n.User == to && n.Conversation == of && n.ReadAt.IsZero() {
			n.ReadAt = now
			all[k] = n
		}
	}
	return nil
}

func newestMessage(a, b conversation.Message) int { return cmp.Compare(b.N, a.N) }

// conversationViews returns the views of the conversations that pass, newest message first.
func (m *Market) conversationViews(ctx context.Context, n int, pass func(conversation.Conversation) bool) ([]market.ConversationView, error) {
	return rows(ctx, m, func(t *marketTables) []market.ConversationView {
		var out []market.ConversationView
		newest := func(a, b conversation.Conversation) int { return cmp.Compare(b.Last, a.Last) }
		for _, c := range pick(t.conversations, n, newest, pass) {
			seller, _ := m.s.marketUser(c.Seller.User)
			buyer, _ := m.s.marketUser(c.Buyer.User)
			out = append(out, market.ConversationView{
				Conversation: c, BookName: t.books[c.Book].Name, SellerUser: seller, BuyerUser: buyer, Newest: t.messages[c.Last],
			})
		}
		return out
	})
}

// ListConversations is market.ConversationReader.
func (m *Market) ListConversations(ctx context.Context, of user.ID, before conversation.MessageID, n int) ([]market.ConversationView, error) {
	return m.conversationViews(ctx, n, func(c conversation.Conversation) bool {
		return c.Involves(of) && isBelow(int64(c.Last), int64(before))
	})
}

// FindConversation is market.ConversationReader.
func (m *Market) FindConversation(ctx context.Context, id conversation.ID) (market.ConversationView, error) {
	found, err := m.conversationViews(ctx, 1, func(c conversation.Conversation) bool { return c.ID == id })
	if err != nil || len(found) == 0 {
		return market.ConversationView{}, cmp.Or[error](err, conversation.ErrNotFound)
	}
	return found[0], nil
}

// FindConversationID is market.ConversationReader.
func (m *Market) FindConversationID(ctx context.Context, about book.ID, buyer user.ID) (conversation.ID, error) {
	found, err := m.conversationViews(ctx, 1, func(c conversation.Conversation) bool { return c.Book == about && c.Buyer.User == buyer })
	if err != nil || len(found) == 0 {
		return 0, err
	}
	return found[0].ID, nil
}

// ListMessages is market.ConversationReader.
func (m *Market) ListMessages(ctx context.Context, of conversation.ID, before, n int) ([]conversation.Message, error) {
	return rows(ctx, m, func(t *marketTables) []conversation.Message {
		return pick(t.messages, n, newestMessage, func(x conversation.Message) bool {
			return x.Conversation == of && isBelow(int64(x.N), int64(before))
		})
	})
}

// CountUnreadMessages is market.ConversationReader.
func (m *Market) CountUnreadMessages(ctx context.Context, to user.ID) (n int, err error) {
	all, err := m.ListConversations(ctx, to, 0, math.MaxInt)
	for _, v := range all {
		n += v.Of(to).Unread
	}
	return n, err
}

// ListMessagesFrom is market.ConversationReader.
func (m *Market) ListMessagesFrom(ctx context.Context, by user.ID, before conversation.MessageID, n int) ([]conversation.Message, error) {
	return rows(ctx, m, func(t *marketTables) []conversation.Message {
		return pick(t.messages, n, func(a, b conversation.Message) int { return cmp.Compare(b.ID, a.ID) }, func(x conversation.Message) bool {
			return x.From == by && isBelow(int64(x.ID), int64(before))
		})
	})
}

// ListReportedMessages is market.ReportedMessageReader.
func (m *Market) ListReportedMessages(ctx context.Context, of conversation.ID, until time.Time, n int) ([]conversation.Message, error) {
	all, err := rows(ctx, m, func(t *marketTables) []conversation.Message {
		return pick(t.messages, n, newestMessage, func(x conversation.Message) bool {
			return x.Conversation == of && !x.CreatedAt.After(until)
		})
	})
	slices.Reverse(all)
	return all, err
}

// HasBlocked is market.BlockReader.
func (m *Market) HasBlocked(ctx context.Context, by, of user.ID) (bool, error) {
	found, err := rows(ctx, m, func(t *marketTables) []bool { return []bool{t.hasBlocked(by, of)} })
	return err == nil && found[0], err
}

// ListBlocks is market.BlockReader.
func (m *Market) ListBlocks(ctx context.Context, by user.ID, before int64, n int) ([]market.BlockView, error) {
	return rows(ctx, m, func(t *marketTables) []market.BlockView {
		var out []market.BlockView
		newest := func(a, b conversation.Block) int { return cmp.Compare(b.ID, a.ID) }
		for _, b := range pick(t.blocks, n, newest, func(b conversation.Block) bool { return b.By == by && isBelow(b.ID, before) }) {
			blocked, _ := m.s.marketUser(b.Of)
			out = append(out, market.BlockView{Block: b, Blocked: blocked, Known: t.knows(by, b.Of)})
		}
		return out
	})
}

// knows reports whether a person has posted a book or written to this seller.
func (t *marketTables) knows(seller, of user.ID) bool {
	for _, b := range t.books {
		if b.Seller == of {
			return true
		}
	}
	for _, c := range t.conversations {
		if c.Seller.User == seller && c.Buyer.User == of {
			return true
		}
	}
	return false
}

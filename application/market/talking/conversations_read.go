package talking

import (
	"context"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/user"
)

// List lists the caller's conversations, newest message first.
func (c *Conversations) List(ctx context.Context, by user.Caller, p market.Page) ([]market.ConversationView, market.Cursor, error) {
	if err := by.MustBeStudent(); err != nil {
		return nil, "", err
	}
	newest := func(v market.ConversationView) conversation.MessageID { return v.Last }
	return market.List(p, newest, func(after conversation.MessageID, n int) ([]market.ConversationView, error) {
		return c.reader.ListConversations(ctx, by.ID, after, n)
	})
}

// ConversationPage is a conversation with some of its messages, newest first.
type ConversationPage struct {
	market.ConversationView
	Messages []market.MessageView
	Blocked  bool // by the caller
}

// Read lists the messages of a conversation of the caller, newest first, and marks all as
// read. For others the conversation does not exist.
func (c *Conversations) Read(
	ctx context.Context, by user.Caller, id conversation.ID, p market.Page,
) (ConversationPage, market.Cursor, error) {
	return c.read(ctx, by, id, p, true)
}

// Peek is Read that marks nothing as read.
func (c *Conversations) Peek(
	ctx context.Context, by user.Caller, id conversation.ID, p market.Page,
) (ConversationPage, market.Cursor, error) {
	return c.read(ctx, by, id, p, false)
}

func (c *Conversations) read(
	ctx context.Context, by user.Caller, id conversation.ID, p market.Page, mark bool,
) (ConversationPage, market.Cursor, error) {
	if err := by.MustBeStudent(); err != nil {
		return ConversationPage{}, "", err
	}
	at, n, err := p.Read()
	if err != nil {
		return ConversationPage{}, "", err
	}
	found, err := c.find(ctx, by, id)
	if err != nil {
		return ConversationPage{}, "", err
	}
	if mark && found.Of(by.ID).Unread > 0 { // before they are listed: one that arrives in between stays unread
		if err := c.markRead(ctx, by, id); err != nil {
			return ConversationPage{}, "", err
		}
	}
	messages, err := c.reader.ListMessages(ctx, id, int(at.ID), n+1)
	if err != nil {
		return ConversationPage{}, "", err
	}
	messages, next := market.Cut(messages, n, func(m conversation.Message) market.Position { return market.Position{ID: int64(m.N)} })
	page := ConversationPage{ConversationView: found}
	for _, m := range messages {
		page.Messages = append(page.Messages, found.View(m))
	}
	page.Blocked, err = c.reader.HasBlocked(ctx, by.ID, found.With(by.ID))
	return page, next, err
}

func (c *Conversations) markRead(ctx context.Context, by user.Caller, id conversation.ID) error {
	return c.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		if _, err := t.LockConversation(ctx, id); err != nil {
			return err
		}
		if err := t.MarkMessagesRead(ctx, id, by.ID, t.Now); err != nil {
			return err
		}
		return t.MarkReadOf(ctx, by.ID, id, t.Now)
	})
}

// FindAbout finds the caller's conversation about a book with its seller, or of the seller
// with its buyer; 0 if there is none yet.
func (c *Conversations) FindAbout(ctx context.Context, by user.Caller, about book.Book) (conversation.ID, error) {
	if err := by.MustBeStudent(); err != nil {
		return 0, err
	}
	buyer := by.ID
	if by.ID == about.Seller {
		buyer = about.Buyer
	}
	if buyer == 0 {
		return 0, nil
	}
	return c.reader.FindConversationID(ctx, about.ID, buyer)
}

// MaxUnreadConversations bounds what CountUnread reads for somebody who never opens a conversation.
const MaxUnreadConversations = 100

// CountUnread counts the unread messages to the caller, in at most MaxUnreadConversations conversations of
// each side.
func (c *Conversations) CountUnread(ctx context.Context, by user.Caller) (int, error) {
	if err := by.MustBeStudent(); err != nil {
		return 0, err
	}
	return c.reader.CountUnreadMessages(ctx, by.ID)
}

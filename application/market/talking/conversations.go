package talking

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// Conversations lets the seller of a book and another person exchange messages. Nobody else
// reads them, except admins through a report.
type Conversations struct {
	deps   unit
	reader Reader
}

// newConversations returns the use cases of conversations.
func newConversations(d unit, r Reader) *Conversations { return &Conversations{d, r} }

// What one user may send.
var (
	messagesPerMinute    = limit.Quota{Name: "messages_minute", Max: 60, Period: time.Minute}
	messagesPerHour      = limit.Quota{Name: "messages_hour", Max: 300, Period: time.Hour}
	conversationsPerHour = limit.Quota{Name: "conversations_hour", Max: 20, Period: time.Hour}
)

// Addressee says to whom a message goes: either to the other side of a conversation, or to
// the seller or buyer of a book.
type Addressee struct {
	Conversation conversation.ID
	Book         book.ID
}

// ErrAddressee refuses a message to nobody, or to two.
var ErrAddressee = fault.New(fault.Invalid, "addressee_invalid", "Say to whom the message goes: give either a book or a conversation.").
	WithField("bookId", "Give either this or conversationId.").WithField("conversationId", "Give either this or bookId.")

// Check refuses an invalid addressee or text, and returns the cleaned text. The error names
// every invalid field.
func (a Addressee) Check(text string) (string, error) {
	text, err := conversation.CleanText(text)
	if (a.Conversation == 0) != (a.Book == 0) {
		return text, err
	}
	refusal := ErrAddressee
	if f := fault.As(err); f != nil {
		for field, why := range f.Fields {
			refusal = refusal.WithField(field, why)
		}
	}
	return "", refusal
}

// Send sends a message. About a book for sale it goes to the seller, about a sold one from
// buyer to seller or back. It notifies the receiver, unless there is an unread notification
// of the conversation, and mails at most once in conversation.MailInterval.
func (c *Conversations) Send(ctx context.Context, by user.Caller, to Addressee, text string) (market.MessageView, error) {
	if err := by.MustBeStudent(); err != nil {
		return market.MessageView{}, err
	}
	text, err := to.Check(text)
	if err != nil {
		return market.MessageView{}, err
	}
	var known market.ConversationView
	if to.Conversation != 0 {
		if known, err = c.find(ctx, by, to.Conversation); err != nil {
			return market.MessageView{}, err
		}
	}
	var v market.MessageView
	err = c.deps.WithTxAs(ctx, by, func(ctx context.Context, t *tx) error {
		if err := t.UseQuota(ctx, by.ID, messagesPerMinute, 1); err != nil {
			return err
		}
		if err := t.UseQuota(ctx, by.ID, messagesPerHour, 1); err != nil {
			return err
		}
		of, title, err := t.lockAddressed(ctx, by, known, to.Book)
		if err != nil {
			return err
		}
		m, err := t.send(ctx, of, title, text)
		v = market.MessageView{Message: m, Author: t.Caller.Person()}
		return err
	})
	return v, err
}

// lockAddressed locks a known conversation of the caller, or the one about a book. It also
// returns the name of the book.
func (t *tx) lockAddressed(
	ctx context.Context, by user.Caller, known market.ConversationView, about book.ID,
) (conversation.Conversation, string, error) {
	if known.ID == 0 {
		return t.ensureConversation(ctx, by, about)
	}
	of, err := t.lockConversation(ctx, by, known.Conversation)
	return of, known.BookName, err
}

// find loads a conversation of the caller. For others it does not exist.
func (c *Conversations) find(ctx context.Context, by user.Caller, id conversation.ID) (market.ConversationView, error) {
	found, err := c.reader.FindConversation(ctx, id)
	if err == nil && !found.Involves(by.ID) {
		err = conversation.ErrNotFound
	}
	return found, err
}

// lockConversation locks the account of the other side, and then a conversation of the caller.
func (t *tx) lockConversation(ctx context.Context, by user.Caller, of conversation.Conversation) (conversation.Conversation, error) {
	if err := t.mustReach(ctx, by.ID, of.With(by.ID), t.LockUsers); err != nil {
		return of, err
	}
	return t.LockConversation(ctx, of.ID)
}

// ensureConversation locks the conversation about a book in which the caller may write, and
// begins it if there is none. It also returns the name of the book.
func (t *tx) ensureConversation(ctx context.Context, by user.Caller, about book.ID) (conversation.Conversation, string, error) {
	b, err := t.LockBook(ctx, about)
	if err != nil {
		return conversation.Conversation{}, "", err
	}
	buyer, err := conversation.BuyerOf(b, by)
	if err != nil {
		return conversation.Conversation{}, "", err
	}
	c := conversation.Start(conversation.ID(t.IDs.Next()), b, buyer, t.Now)
	find := t.LockUsers
	if b.Status == book.ForSale { // its seller, who leaves, waits for its lock, and must not be waited for with it
		find = t.FindUsers
	}
	if err := t.mustReach(ctx, by.ID, c.With(by.ID), find); err != nil {
		return c, "", err
	}
	c, isNew, err := t.EnsureConversation(ctx, c)
	if err == nil && isNew {
		err = t.UseQuota(ctx, by.ID, conversationsPerHour, 1)
	}
	return c, b.Name, err
}

// mustReach refuses messages to people who have left, and between people one of whom has
// blocked the other. It finds the account of the other side with find.
func (t *tx) mustReach(
	ctx context.Context, from, to user.ID, find func(context.Context, ...user.ID) (map[user.ID]market.User, error),
) error {
	users, err := find(ctx, to)
	if err != nil {
		return err
	}
	blocked, err := t.AreBlocked(ctx, from, to)
	switch {
	case err != nil:
		return err
	case blocked:
		return conversation.ErrRefused
	case users[to].MayTrade() != nil:
		return conversation.ErrLeft
	}
	return nil
}

// send stores a message of the caller in a locked conversation, and notifies and mails the
// other side.
func (t *tx) send(ctx context.Context, c conversation.Conversation, title, text string) (conversation.Message, error) {
	to := c.With(t.Caller.ID)
	m := c.Send(conversation.MessageID(t.IDs.Next()), t.Caller.ID, text, t.Now)
	if c.MailDue(to, t.Now) {
		t.Mail(message.MessageReceived, to, map[string]string{
			message.ParamBook: title, message.ParamFrom: t.Caller.Profile.FirstName, message.ParamConversation: c.ID.String(),
			message.ParamPicture: c.Book.String(),
		})
	}
	notified, err := t.HasUnreadOf(ctx, to, c.ID)
	if err != nil {
		return m, err
	}
	if !notified {
		t.Announce(notification.AboutConversation(to, c, title, t.Now))
	}
	return m, t.AddMessage(ctx, c, m)
}

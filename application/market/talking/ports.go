package talking

import (
	"context"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
)

// Store is what one transaction may change of what people tell each other.
type Store interface {
	// EnsureConversation stores a conversation, unless there is one about its book with its
	// buyer. It returns the stored one, locked, and whether it is new.
	EnsureConversation(ctx context.Context, c conversation.Conversation) (stored conversation.Conversation, isNew bool, err error)
	// LockConversation loads and locks a conversation; conversation.ErrNotFound if there is
	// none.
	LockConversation(ctx context.Context, id conversation.ID) (conversation.Conversation, error)
	// AddMessage stores the newest message of a locked conversation, and the conversation.
	AddMessage(ctx context.Context, c conversation.Conversation, m conversation.Message) error
	// MarkMessagesRead marks the messages of a locked conversation to one of its people.
	MarkMessagesRead(ctx context.Context, id conversation.ID, to user.ID, now time.Time) error
	// EraseUser marks the sides of a deleted user as gone and empties the texts that the
	// user has written. It deletes the conversations that both people have left, and the blocks by and of the user.
	EraseUser(ctx context.Context, id user.ID) error
	// DeleteConversationsBefore deletes at most n conversations whose last message was sent
	// before a time, and returns how many.
	DeleteConversationsBefore(ctx context.Context, t time.Time, n int) (int, error)
	// AddBlock stores a block, unless it is stored already. If its user has blocked max
	// others, the error is conversation.ErrTooManyBlocks.
	AddBlock(ctx context.Context, b conversation.Block, max int) error
	// RemoveBlock removes a block, if there is one.
	RemoveBlock(ctx context.Context, by, of user.ID) error
	// AddWelcome stores the welcome if the user has never had a notification.
	AddWelcome(ctx context.Context, id user.ID, now time.Time) error
	// HasUnreadOf reports whether a user has an unread notification of a conversation.
	HasUnreadOf(ctx context.Context, to user.ID, of conversation.ID) (bool, error)
	// MarkReadOf marks a user's notifications of a conversation as read.
	MarkReadOf(ctx context.Context, to user.ID, of conversation.ID, now time.Time) error
}

// Reader reads conversations for their two people, blocks and notifications. The use cases decide who
// may read them.
type Reader interface {
	// Conversations of two people. The use cases decide who may read them.

	// ListConversations lists at most n conversations of a user whose last message has an id
	// below before, newest message first; 0 means no bound.
	ListConversations(ctx context.Context, of user.ID, before conversation.MessageID, n int) ([]market.ConversationView, error)
	// FindConversation loads a conversation; conversation.ErrNotFound if there is none.
	FindConversation(ctx context.Context, id conversation.ID) (market.ConversationView, error)
	// FindConversationID finds the conversation about a book with a buyer; 0 if there is none.
	FindConversationID(ctx context.Context, about book.ID, buyer user.ID) (conversation.ID, error)
	// ListMessages lists at most n messages of a conversation with numbers below before,
	// newest first; 0 means no bound.
	ListMessages(ctx context.Context, of conversation.ID, before, n int) ([]conversation.Message, error)
	// CountUnreadMessages counts the messages to a user that are unread, in at most MaxUnreadConversations
	// conversations about the user's own books, and as many about others.
	CountUnreadMessages(ctx context.Context, to user.ID) (int, error)
	// ListMessagesFrom lists at most n messages that a user has written, with ids below
	// before, newest first; 0 means no bound.
	ListMessagesFrom(ctx context.Context, by user.ID, before conversation.MessageID, n int) ([]conversation.Message, error)
	// ListBlocks lists at most n blocks by a user with ids below before, newest first; 0
	// means no bound.
	ListBlocks(ctx context.Context, by user.ID, before int64, n int) ([]BlockView, error)
	HasBlocked(ctx context.Context, by, of user.ID) (bool, error)
	market.NotificationReader
	// MarkNotificationsRead marks those with these ids, or all if ids is empty. It does
	// not change when an already read notification was read.
	MarkNotificationsRead(ctx context.Context, of user.ID, ids []notification.ID, now time.Time) error
}

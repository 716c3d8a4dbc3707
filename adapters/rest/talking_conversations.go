package rest

import (
	"context"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/rest/restgen"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/user"
)

var conversationOperations = feature{rules: rules{"sendMessage": rule(checkMessage)}}

// SendMessage serves POST /api/user/sendMessage.
func (h *Handler) SendMessage(ctx context.Context, r restgen.SendMessageRequestObject) (restgen.SendMessageResponseObject, error) {
	m, err := h.Conversations.Send(ctx, callerOf(ctx), addresseeOf(*r.Body), r.Body.Text)
	return reply[restgen.SendMessage201JSONResponse](ctx, h, m, err, sentMessageOf)
}

// unknownID is for an id that no thing can have: it is given, so another field is not missing.
const unknownID = -1

func addresseeOf(b restgen.SendMessageBody) (to talking.Addressee) {
	if b.BookId != nil {
		to.Book = idOf[book.ID](*b.BookId)
		if to.Book == 0 {
			to.Book = unknownID
		}
	}
	if b.ConversationId != nil {
		to.Conversation = idOf[conversation.ID](*b.ConversationId)
		if to.Conversation == 0 {
			to.Conversation = unknownID
		}
	}
	return to
}

func checkMessage(_ *Handler, b *restgen.SendMessageBody) []error {
	_, err := addresseeOf(*b).Check(b.Text)
	return []error{err}
}

// GetConversations serves GET /api/user/getConversations.
func (h *Handler) GetConversations(
	ctx context.Context, r restgen.GetConversationsRequestObject,
) (restgen.GetConversationsResponseObject, error) {
	by := callerOf(ctx)
	all, next, err := h.Conversations.List(ctx, by, pageOf(r.Params.Limit, r.Params.Cursor))
	return replyPage[restgen.GetConversations200JSONResponse](ctx, h, all, next, err, func(v market.ConversationView) restgen.Conversation {
		return conversationOf(v, by)
	})
}

// GetMessages serves GET /api/user/getMessages/:conversationId. Who sends HEAD has read nothing.
func (h *Handler) GetMessages(ctx context.Context, r restgen.GetMessagesRequestObject) (restgen.GetMessagesResponseObject, error) {
	read := h.Conversations.Read
	if httpx.IsHead(ctx) {
		read = h.Conversations.Peek
	}
	page, next, err := read(ctx, callerOf(ctx), idOf[conversation.ID](r.ConversationId), pageOf(r.Params.Limit, r.Params.Cursor))
	return replyPage[restgen.GetMessages200JSONResponse](ctx, h, page.Messages, next, err, sentMessageOf)
}

// BlockUser serves POST /api/user/blockUser.
func (h *Handler) BlockUser(ctx context.Context, r restgen.BlockUserRequestObject) (restgen.BlockUserResponseObject, error) {
	err := h.Blocks.Block(ctx, callerOf(ctx), idOf[user.ID](r.Body.UserId))
	return replyEmpty[restgen.BlockUser200JSONResponse](ctx, h, err)
}

// UnblockUser serves POST /api/user/unblockUser.
func (h *Handler) UnblockUser(ctx context.Context, r restgen.UnblockUserRequestObject) (restgen.UnblockUserResponseObject, error) {
	err := h.Blocks.Unblock(ctx, callerOf(ctx), idOf[user.ID](r.Body.UserId))
	return replyEmpty[restgen.UnblockUser200JSONResponse](ctx, h, err)
}

// GetBlocked serves GET /api/user/getBlocked.
func (h *Handler) GetBlocked(ctx context.Context, r restgen.GetBlockedRequestObject) (restgen.GetBlockedResponseObject, error) {
	all, next, err := h.Blocks.List(ctx, callerOf(ctx), pageOf(r.Params.Limit, r.Params.Cursor))
	return replyPage[restgen.GetBlocked200JSONResponse](ctx, h, all, next, err, func(v talking.BlockView) restgen.Peer {
		return peerOf(v.Person())
	})
}

// someoneWhoLeft is in the place of a first name.
const someoneWhoLeft = "someone who left"

func peerOf(p market.Person) restgen.Peer {
	if p.Left {
		p.FirstName = someoneWhoLeft
	}
	return restgen.Peer{Id: p.ID.String(), FirstName: p.FirstName, Left: p.Left}
}

func sentMessageOf(m market.MessageView) restgen.Message {
	return restgen.Message{
		Id: m.ID.String(), ConversationId: m.Conversation.String(), From: peerOf(m.Author), Text: m.Text,
		CreatedAt: m.CreatedAt.UTC(), ReadAt: nilIfZero(m.ReadAt),
	}
}

func conversationOf(v market.ConversationView, by user.Caller) restgen.Conversation {
	_, with := v.People(by.ID)
	return restgen.Conversation{
		Id: v.ID.String(), BookId: v.Book.String(), BookName: v.BookName, With: peerOf(with),
		LastMessage: sentMessageOf(v.View(v.Newest)), Unread: v.Of(by.ID).Unread,
	}
}

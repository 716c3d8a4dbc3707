package talkingpages

import (
	"net/http"
	"net/url"
	"slices"

	"github.com/octavo-books/octavo/adapters/httpx"
	"github.com/octavo-books/octavo/adapters/web"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/user"
)

// conversationPages lets students write to each other.
func (p *Pages) conversationPages() web.Feature {
	return web.Feature{
		Routes: []*web.Route{
			web.Get(messagesPath, p.ForStudents(p.conversations)).InMenu(70, "Messages", "what buyers and sellers write to you"), web.Get(messagesPath+"/blocked", p.ForStudents(p.blocked)),
			web.Get(conversationPath, p.ForStudents(p.showConversation)).With("id={conversation}"),
			web.Post(conversationPath, p.ForStudents(p.sendMessage)).Restores(messageForm),
			web.Post(conversationPath+"/block", p.ForStudents(p.block)), web.Post(conversationPath+"/unblock", p.ForStudents(p.unblock)),
		},
		Flashes: map[string]string{
			"blocked":   "You no longer get each other’s messages.",
			"unblocked": "You can write to each other again.",
		},
	}
}

// messageForm is the form of a message on a page of its own.
func messageForm(typed url.Values) web.FormView {
	return web.FormView{Head: "Messages", Form: web.Form{
		Action: conversationPath, Button: "Send", Hidden: []web.Hidden{{Name: "id", Value: typed.Get("id")}, {Name: "book", Value: typed.Get("book")}},
		Fields: []web.Field{{Name: "text", Label: "Your message", Type: "lines", Max: conversation.MaxText}},
	}}
}

const (
	messagesPath     = "/messages"
	conversationPath = "/conversation"
)

type conversationsView struct {
	Conversations []conversationEntry
	More          string
}

// conversationEntry is a conversation on the list.
type conversationEntry struct {
	market.ConversationView
	With   market.Person
	Mine   bool // the viewer has written the newest message
	Unread int
}

// conversations serves GET /messages.
func (p *Pages) conversations(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	found, next, err := p.Market.Conversations.List(r.Context(), by, web.PageOf(r))
	if err != nil {
		return err
	}
	v := conversationsView{More: web.NextLink(r, next)}
	for _, c := range found {
		_, with := c.People(by.ID)
		v.Conversations = append(v.Conversations, conversationEntry{c, with, c.Newest.From == by.ID, c.Of(by.ID).Unread})
	}
	return p.Show(w, r, http.StatusOK, "conversations", "Messages", v)
}

// conversationView is the page of a conversation, or of one that begins with the first message.
type conversationView struct {
	ID       conversation.ID // 0: there is none yet
	Book     book.ID
	BookName string
	With     market.Person
	Messages []talkMessage // oldest first
	Earlier  string        // the page before; "" if there is none
	Live     bool          // this is the last page, which grows
	Blocked  bool          // by the viewer
	Quick    []string      // sentences that a button sends
	Reply    web.Field
	Error    string
	Here     string
}

// Closed reports whether the viewer cannot write.
func (v conversationView) Closed() bool { return v.With.Left || v.Blocked }

// talkMessage is a message with its links, if they may be followed.
type talkMessage struct {
	market.MessageView
	Mine  bool
	Parts []textPart
}

// showConversation serves GET /conversation?id=, and ?book= for the conversation about a book.
func (p *Pages) showConversation(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	q := r.URL.Query()
	if id := web.IDOf[conversation.ID](q.Get("id")); q.Get("book") == "" || id != 0 {
		return p.renderConversation(w, r, by, id, http.StatusOK, nil)
	}
	about, existing, err := p.bookToTalkAbout(r, by, q.Get("book"))
	switch {
	case err != nil:
		return err
	case existing != 0:
		return p.Redirect(w, r, conversationPath+"?id="+existing.String(), "")
	}
	return p.renderFirstMessage(w, r, about, http.StatusOK, nil)
}

// bookToTalkAbout finds a book about which the viewer may begin a conversation, and the one that
// there is already.
func (p *Pages) bookToTalkAbout(r *http.Request, by user.Caller, typed string) (market.BookView, conversation.ID, error) {
	b, err := p.Market.Catalogue.Get(r.Context(), by, web.IDOf[book.ID](typed))
	if err != nil {
		return b, 0, err
	}
	if _, err := conversation.BuyerOf(b.Book, by); err != nil {
		return b, 0, err
	}
	id, err := p.Market.Conversations.FindAbout(r.Context(), by, b.Book)
	return b, id, err
}

// renderConversation shows a conversation, with what is wrong with a message that was not sent.
func (p *Pages) renderConversation(w http.ResponseWriter, r *http.Request, by user.Caller, id conversation.ID, status int, refused error) error {
	page, read := web.PageOf(r), p.Market.Conversations.Read
	if httpx.IsHead(r.Context()) {
		read = p.Market.Conversations.Peek
	}
	c, next, err := read(r.Context(), by, id, page)
	if err != nil {
		return err
	}
	lang := web.LangOf(r)
	_, with := c.People(by.ID)
	v := conversationView{
		ID: id, Book: c.Book, BookName: c.BookName, With: with, Earlier: web.NextLink(r, next), Live: page.Cursor == "", Blocked: c.Blocked,
		Quick: quickReplies(lang, by.ID == c.Seller.User, len(c.Messages) > 0), Here: conversationPath + "?id=" + id.String(),
	}
	if status != http.StatusOK {
		v.Earlier = ""
	}
	for _, m := range slices.Backward(c.Messages) {
		v.Messages = append(v.Messages, talkMessage{m, m.From == by.ID, partsOf(m.Text, c.BothWrote())})
	}
	return p.renderTalk(w, r, v, status, refused)
}

func (p *Pages) renderFirstMessage(w http.ResponseWriter, r *http.Request, b market.BookView, status int, refused error) error {
	selling := b.Status.Sold() && web.ViewerOf(r).By.ID == b.Seller
	with := market.Person{ID: b.Seller, FirstName: b.SellerName}
	if selling {
		with = market.Person{ID: b.Buyer}
		if b.Order != nil {
			with.FirstName = b.Order.BuyerParty.FirstName
		}
	}
	with.Left = with.FirstName == ""
	return p.renderTalk(w, r, conversationView{
		Book: b.ID, BookName: b.Name, With: with, Quick: quickReplies(web.LangOf(r), selling, false), Here: conversationPath + "?book=" + b.ID.String(),
	}, status, refused)
}

func (p *Pages) renderTalk(w http.ResponseWriter, r *http.Request, v conversationView, status int, refused error) error {
	lang := web.LangOf(r)
	v.Reply = web.Field{Name: "text", Label: "Your message", Type: "lines", Max: conversation.MaxText}
	if refused != nil {
		p.LogFailure(r, "send a message", refused)
		httpx.SetRetryAfter(w.Header(), refused)
		v.Reply.Value, v.Error = r.PostForm.Get("text"), web.ErrorMessage(lang, refused)
	}
	p.Render(w, r, status, "conversation", web.PageData{Lang: lang, Title: web.Translate(lang, "Messages about %s", web.Quoted(lang, v.BookName)), Page: v})
	return nil
}

// sendMessage serves POST /conversation. A message that is refused stays in the form.
func (p *Pages) sendMessage(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	form := r.PostForm
	to := talking.Addressee{Conversation: web.IDOf[conversation.ID](form.Get("id"))}
	if to.Conversation == 0 {
		to.Book = web.IDOf[book.ID](form.Get("book"))
	}
	if to == (talking.Addressee{}) {
		return conversation.ErrNotFound
	}
	m, err := p.Market.Conversations.Send(r.Context(), by, to, form.Get("text"))
	switch {
	case err == nil:
		return p.Redirect(w, r, conversationPath+"?id="+m.Conversation.String(), "")
	case !web.CanRetry(err):
		return err
	case to.Conversation != 0:
		return p.renderConversation(w, r, by, to.Conversation, httpx.Status(err), err)
	}
	about, existing, failed := p.bookToTalkAbout(r, by, form.Get("book"))
	switch {
	case failed != nil:
		return failed
	case existing != 0:
		return p.renderConversation(w, r, by, existing, httpx.Status(err), err)
	}
	return p.renderFirstMessage(w, r, about, httpx.Status(err), err)
}

// quickReplies are sentences about time and place that a button sends as they are.
func quickReplies(lang user.Lang, selling, begun bool) []string {
	all := []string{"Can we meet on campus tomorrow at noon?", "Can we meet in front of the library?", "That works for me.", "I am on my way."}
	switch {
	case selling:
		all = append([]string{"Yes, the book is still available."}, all...)
	case !begun:
		all = append([]string{"Is the book still available?"}, all[:2]...)
	}
	for i, s := range all {
		all[i] = web.Translate(lang, s)
	}
	return all
}

type blockedView struct {
	People []market.Person
	More   string
	Here   string
}

// blocked serves GET /messages/blocked.
func (p *Pages) blocked(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	found, next, err := p.Market.Blocks.List(r.Context(), by, web.PageOf(r))
	if err != nil {
		return err
	}
	v := blockedView{More: web.NextLink(r, next), Here: messagesPath + "/blocked"}
	for _, b := range found {
		v.People = append(v.People, b.Person())
	}
	return p.Show(w, r, http.StatusOK, "blocked", "People you have blocked", v)
}

// block serves POST /conversation/block, and unblock POST /conversation/unblock.
func (p *Pages) block(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	err := p.Market.Blocks.Block(r.Context(), by, web.IDOf[user.ID](r.PostForm.Get("id")))
	return p.Done(w, r, err, r.PostForm.Get("back"), "blocked")
}

func (p *Pages) unblock(w http.ResponseWriter, r *http.Request, by user.Caller) error {
	err := p.Market.Blocks.Unblock(r.Context(), by, web.IDOf[user.ID](r.PostForm.Get("id")))
	return p.Done(w, r, err, r.PostForm.Get("back"), "unblocked")
}

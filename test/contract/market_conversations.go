package contract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/limit"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

// marketConversations checks the messages between the seller of a book and others.
func marketConversations(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"a buyer and a seller write to each other about a book":             talkAboutBook,
		"an order continues the conversation about its book":                talkAboutOrder,
		"who may write about a book depends on its status":                  talkRefused,
		"a third person reads, finds and answers nothing":                   talkPrivate,
		"an addressee is a book or a conversation, and a text is not blank": talkInvalid,
		"two first messages at once begin one conversation":                 talkBegunOnce,
		"messages at once are numbered without gaps":                        talkNumbered,
		"reading marks the messages of the other side":                      talkRead,
		"an unread notification is not repeated":                            talkNotifiedOnce,
		"a mail is sent at most once an hour":                               talkMailedHourly,
		"the newest conversation comes first, page by page":                 talkListed,
		"messages are listed newest first, page by page":                    talkPaged,
		"too many messages are refused until the period ends":               talkFlood,
		"too many new conversations are refused":                            talkFloodOfSellers,
		"a suspended person is shown as gone and gets no message":           talkSuspended,
		"what a deleted person wrote is erased":                             talkErased,
		"conversations are deleted two years after the last message":        talkSwept,
		"an export has one's conversations and what one wrote":              talkExported,
		"a report shows the newest messages until its time":                 talkReported,
		"sides of an order see addresses once the condition is verified":    contactsHidden,
	})
}

// Say sends a message about a book or in a conversation, and advances the clock.
func (b *MarketFixture) Say(t testing.TB, by user.Caller, to talking.Addressee, text string) market.MessageView {
	t.Helper()
	m := must.Get(b.Conversations.Send(t.Context(), by, to, text))(t)
	b.Clock.Advance(time.Minute)
	return m
}

func toSeller(v market.BookView) talking.Addressee { return talking.Addressee{Book: v.ID} }

func answer(m market.MessageView) talking.Addressee {
	return talking.Addressee{Conversation: m.Conversation}
}

// aTalk returns a seller, a person who asked about a book, and the message.
func (b *MarketFixture) aTalk(t *testing.T) (seller, asker user.Caller, v market.BookView, m market.MessageView) {
	t.Helper()
	seller, asker = b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	v = b.Post(t, seller, Draft("Calculus", "MTH 161", 1000))
	return seller, asker, v, b.Say(t, asker, toSeller(v), "Is it still there?")
}

func (b *MarketFixture) conversationsOf(t *testing.T, by user.Caller) []market.ConversationView {
	t.Helper()
	all, _ := must.Get2(b.Conversations.List(t.Context(), by, market.Page{}))(t)
	return all
}

func (b *MarketFixture) read(t *testing.T, by user.Caller, id conversation.ID) talking.ConversationPage {
	t.Helper()
	p, _ := must.Get2(b.Conversations.Read(t.Context(), by, id, market.Page{}))(t)
	return p
}

func texts(all []market.MessageView) (out []string) {
	for _, m := range all {
		out = append(out, m.Text)
	}
	return out
}

func talkAboutBook(t *testing.T, b *MarketFixture) {
	ann, bob, v, first := b.aTalk(t)
	if first.N != 1 || first.From != bob.ID || first.Author != (market.Person{ID: bob.ID, FirstName: "bob"}) || !first.ReadAt.IsZero() {
		t.Errorf("the first message is %+v", first)
	}
	b.Say(t, ann, answer(first), " Yes.\r\nCome by! ")
	last := b.Say(t, bob, toSeller(v), "At noon?")
	if last.Conversation != first.Conversation || last.N != 3 {
		t.Errorf("the last message is %+v", last)
	}
	for by, other := range map[user.Caller]market.Person{ann: {ID: bob.ID, FirstName: "bob"}, bob: {ID: ann.ID, FirstName: "ann"}} {
		all := b.conversationsOf(t, by)
		if len(all) != 1 || all[0].ID != first.Conversation || all[0].BookName != "Calculus" || all[0].Book != v.ID || all[0].Newest.Text != "At noon?" {
			t.Fatalf("the conversations are %+v", all)
		}
		if _, with := all[0].People(by.ID); with != other {
			t.Errorf("with %+v, want %+v", with, other)
		}
		p := b.read(t, by, first.Conversation)
		if got := texts(p.Messages); !slices.Equal(got, []string{"At noon?", "Yes.\nCome by!", "Is it still there?"}) || !p.BothWrote() {
			t.Errorf("messages are %q", got)
		}
		if p.Messages[1].Author.FirstName != "ann" || p.Messages[2].Author.FirstName != "bob" {
			t.Errorf("authors are %+v", p.Messages)
		}
		id, err := b.Conversations.FindAbout(t.Context(), by, v.Book)
		if want := first.Conversation; by == bob && (id != want || err != nil) {
			t.Errorf("the conversation about the book is %d, %v", id, err)
		}
	}
}

func talkAboutOrder(t *testing.T, b *MarketFixture) {
	ann, bob, v, first := b.aTalk(t)
	eve := b.Join(t, "eve", user.Regular)
	other := b.Say(t, eve, toSeller(v), "Me too!")
	b.Buy(t, bob, v.ID)
	if m := b.Say(t, ann, toSeller(v), "I bring it on Monday."); m.Conversation != first.Conversation {
		t.Errorf("the seller writes in %d, want %d", m.Conversation, first.Conversation)
	}
	if m := b.Say(t, bob, toSeller(v), "Thanks!"); m.Conversation != first.Conversation {
		t.Errorf("the buyer writes in %d", m.Conversation)
	}
	b.Say(t, ann, answer(other), "Sorry, it is sold.")
	refused(t, must.Err(b.Conversations.Send(t.Context(), eve, toSeller(v), "Again?")), book.ErrNotFound)
	sold := must.Get(b.Catalogue.Get(t.Context(), ann, v.ID))(t)
	if id, err := b.Conversations.FindAbout(t.Context(), ann, sold.Book); id != first.Conversation || err != nil {
		t.Errorf("the seller finds %d, %v", id, err)
	}
}

func talkRefused(t *testing.T, b *MarketFixture) {
	ann, bob, boss := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "boss", user.Admin)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	send := func(by user.Caller, to talking.Addressee) error {
		return must.Err(b.Conversations.Send(t.Context(), by, to, "Hello"))
	}
	refused(t, send(ann, toSeller(v)), book.ErrOwnBook)
	refused(t, send(bob, talking.Addressee{Book: 404}), book.ErrNotFound)
	refused(t, send(bob, talking.Addressee{Conversation: 404}), conversation.ErrNotFound)
	refused(t, send(user.Caller{}, toSeller(v)), user.ErrUnauthenticated)
	refused(t, send(user.Caller{ID: bob.ID}, toSeller(v)), user.ErrProfileNeeded)
	must.Get(b.Listings.Unlist(t.Context(), ann, v.ID))(t)
	refused(t, send(ann, toSeller(v)), book.ErrOwnBook)
	refused(t, send(bob, toSeller(v)), book.ErrNotFound)
	refused(t, send(boss, toSeller(v)), book.ErrNotAvailable)
	if n := len(b.conversationsOf(t, ann)) + len(b.conversationsOf(t, bob)); n != 0 {
		t.Errorf("%d conversations were begun", n)
	}
}

func talkPrivate(t *testing.T, b *MarketFixture) {
	ann, bob, v, first := b.aTalk(t)
	for _, by := range []user.Caller{b.Join(t, "eve", user.Regular), b.Join(t, "boss", user.Admin), b.Join(t, "owner", user.Owner)} {
		refused(t, must.Err(b.Conversations.Read(t.Context(), by, first.Conversation, market.Page{})), conversation.ErrNotFound)
		refused(t, must.Err(b.Conversations.Send(t.Context(), by, answer(first), "Hi")), conversation.ErrNotFound)
		if id, err := b.Conversations.FindAbout(t.Context(), by, v.Book); id != 0 || err != nil {
			t.Errorf("found %d, %v", id, err)
		}
		if all := b.conversationsOf(t, by); len(all) != 0 {
			t.Errorf("listed %+v", all)
		}
	}
	if p := b.read(t, ann, first.Conversation); len(p.Messages) != 1 {
		t.Errorf("messages are %q", texts(p.Messages))
	}
	if n := count(b.NotificationsOf(t, bob), notification.MessageReceived); n != 0 {
		t.Errorf("the writer was notified %d times", n)
	}
}

func talkInvalid(t *testing.T, b *MarketFixture) {
	_, bob, v, first := b.aTalk(t)
	for _, c := range []struct {
		to     talking.Addressee
		text   string
		fields []string
	}{
		{talking.Addressee{}, "Hello", []string{"bookId", "conversationId"}},
		{talking.Addressee{Book: v.ID, Conversation: first.Conversation}, "", []string{"bookId", "conversationId", "text"}},
		{toSeller(v), " \n", []string{"text"}},
		{toSeller(v), "a\x00b", []string{"text"}},
		{toSeller(v), strings.Repeat("é", 2001), []string{"text"}},
	} {
		_, err := b.Conversations.Send(t.Context(), bob, c.to, c.text)
		f := fault.As(err)
		if f == nil || f.Kind != fault.Invalid || len(f.Fields) != len(c.fields) {
			t.Errorf("%+v, %.20q: %+v", c.to, c.text, f)
			continue
		}
		for _, field := range c.fields {
			if f.Fields[field] == "" {
				t.Errorf("%+v, %.20q: %v, want %s", c.to, c.text, f.Fields, field)
			}
		}
	}
	b.Say(t, bob, toSeller(v), strings.Repeat("e\u0301", 2000))
}

func talkBegunOnce(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	b.atOnce(t, 8, func(ctx context.Context, i int) error {
		return must.Err(b.Conversations.Send(ctx, bob, toSeller(v), fmt.Sprint("Hello ", i)))
	})
	all := b.conversationsOf(t, ann)
	if len(all) != 1 || all[0].Seller.Unread != 8 || all[0].Buyer.Sent != 8 {
		t.Fatalf("conversations are %+v", all)
	}
	b.checkNumbers(t, ann, all[0].ID, 8)
}

func talkNumbered(t *testing.T, b *MarketFixture) {
	ann, bob, v, first := b.aTalk(t)
	b.atOnce(t, 12, func(ctx context.Context, i int) error {
		by, to := ann, answer(first)
		if i%2 == 0 {
			by, to = bob, toSeller(v)
		}
		return must.Err(b.Conversations.Send(ctx, by, to, fmt.Sprint("Hello ", i)))
	})
	b.checkNumbers(t, ann, first.Conversation, 13)
	if n := count(b.NotificationsOf(t, ann), notification.MessageReceived); n != 1 {
		t.Errorf("the seller was notified %d times", n)
	}
}

func (b *MarketFixture) atOnce(t *testing.T, n int, do func(ctx context.Context, i int) error) {
	t.Helper()
	must.Together(n, func(i int) {
		if err := do(t.Context(), i); err != nil {
			t.Error(err)
		}
	})
}

func (b *MarketFixture) checkNumbers(t *testing.T, by user.Caller, id conversation.ID, n int) {
	t.Helper()
	p := b.read(t, by, id)
	for i, m := range p.Messages {
		if m.N != n-i {
			t.Errorf("message %d from the end has the number %d", i, m.N)
		}
	}
	if len(p.Messages) != n {
		t.Errorf("%d messages, want %d", len(p.Messages), n)
	}
}

func (b *MarketFixture) checkUnread(t *testing.T, by user.Caller, want int) {
	t.Helper()
	if n, err := b.Conversations.CountUnread(t.Context(), by); n != want || err != nil {
		t.Errorf("%d messages are unread, %v; want %d", n, err, want)
	}
}

func talkRead(t *testing.T, b *MarketFixture) {
	ann, bob, v, first := b.aTalk(t)
	b.Say(t, bob, toSeller(v), "Hello?")
	b.Say(t, b.Join(t, "eve", user.Regular), toSeller(v), "And me?")
	b.checkUnread(t, ann, 3)
	b.checkUnread(t, bob, 0)
	b.read(t, bob, first.Conversation) // one's own messages stay unread
	b.checkUnread(t, ann, 3)
	readAt := b.Clock.Now()
	p := b.read(t, ann, first.Conversation)
	for _, m := range p.Messages {
		if !m.ReadAt.Equal(readAt.Truncate(time.Microsecond)) {
			t.Errorf("read at %s, want %s", m.ReadAt, readAt)
		}
	}
	b.checkUnread(t, ann, 1)
	b.Clock.Advance(time.Minute)
	if again := b.read(t, ann, first.Conversation); again.Messages[0].ReadAt != p.Messages[0].ReadAt {
		t.Errorf("read again at %s", again.Messages[0].ReadAt)
	}
	b.Say(t, ann, answer(first), "Yes.")
	b.checkUnread(t, bob, 1)
	if all := b.conversationsOf(t, bob); all[0].Of(bob.ID).Unread != 1 || all[0].Of(ann.ID).Unread != 0 {
		t.Errorf("conversations are %+v", all)
	}
}

func talkNotifiedOnce(t *testing.T, b *MarketFixture) {
	ann, bob, v, first := b.aTalk(t)
	notified := func(want int) {
		t.Helper()
		if n := count(b.NotificationsOf(t, ann), notification.MessageReceived); n != want {
			t.Errorf("the seller was notified %d times, want %d", n, want)
		}
	}
	b.Say(t, bob, toSeller(v), "Hello?")
	notified(1)
	all := must.Get(b.Ports.ListNotifications(t.Context(), ann.ID, 0, 1))(t)
	if n := all[0]; n.Conversation != first.Conversation || n.Book != v.ID || n.Message != "You have a new message about “Calculus”." {
		t.Errorf("the notification is %+v", n)
	}
	b.read(t, ann, first.Conversation)
	if n, err := b.Notifications.CountUnread(t.Context(), ann); n != 2 || err != nil { // the welcome and the posted book
		t.Errorf("%d notifications are unread after reading the messages, %v", n, err)
	}
	b.Say(t, bob, toSeller(v), "Hello again?")
	notified(2)
	must.Do(t, b.Notifications.MarkRead(t.Context(), ann, nil))
	b.Say(t, bob, toSeller(v), "Are you there?")
	notified(3)
	b.Say(t, b.Join(t, "eve", user.Regular), toSeller(v), "And me?")
	notified(4)
}

func talkMailedHourly(t *testing.T, b *MarketFixture) {
	ann, bob, v, first := b.aTalk(t)
	mailed := func(to user.Email, want int) {
		t.Helper()
		if n := count(b.MailsTo(t, to), message.MessageReceived); n != want {
			t.Errorf("%s got %d mails, want %d", to, n, want)
		}
	}
	b.Say(t, bob, toSeller(v), "Hello?")
	mailed("ann@rochester.edu", 1)
	b.Say(t, ann, answer(first), "Yes?")
	mailed("bob@rochester.edu", 1)
	b.Clock.Advance(conversation.MailInterval)
	b.Say(t, bob, toSeller(v), "Is it there?")
	b.Say(t, bob, toSeller(v), "Is it?")
	mailed("ann@rochester.edu", 2)
	all := b.Mails(t)
	at := slices.IndexFunc(all, func(m message.Message) bool { return m.Kind == message.MessageReceived })
	want := map[string]string{message.ParamBook: "Calculus", message.ParamFrom: "bob", message.ParamConversation: first.Conversation.String(), message.ParamPicture: v.ID.String()}
	for name, value := range want {
		if all[at].Params[name] != value {
			t.Errorf("the mail has %v, want %v", all[at].Params, want)
		}
	}
	if len(all[at].Params) != len(want) || all[at].Link != "" || all[at].Code != "" {
		t.Errorf("the mail is %+v", all[at])
	}
}

func talkListed(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	var want []conversation.ID
	for i := range 7 { // ann sells in some and asks in others
		seller, asker := ann, bob
		if i%2 == 0 {
			seller, asker = bob, ann
		}
		m := b.Say(t, asker, toSeller(b.Post(t, seller, Draft("Calculus", "MTH 161", 1000))), "Hello")
		want = append([]conversation.ID{m.Conversation}, want...)
	}
	last := want[6]
	b.Say(t, bob, talking.Addressee{Conversation: last}, "Hello again")
	want = append([]conversation.ID{last}, want[:6]...)
	for _, size := range []int{1, 3, 7, 200} {
		var got []conversation.ID
		for _, page := range walk(t, size, func(p market.Page) ([]market.ConversationView, market.Cursor, error) {
			return b.Conversations.List(t.Context(), ann, p)
		}) {
			for _, v := range page {
				got = append(got, v.ID)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("in pages of %d: %v, want %v", size, got, want)
		}
	}
	refused(t, must.Err(b.Conversations.List(t.Context(), ann, market.Page{Limit: 201})), market.ErrLimit)
}

func talkPaged(t *testing.T, b *MarketFixture) {
	ann, bob, v, first := b.aTalk(t)
	want := []string{"Is it still there?"}
	for i := range 6 {
		want = append([]string{fmt.Sprint("Hello ", i)}, want...)
		b.Say(t, bob, toSeller(v), want[0])
	}
	for _, size := range []int{1, 3, 7, 200} {
		pages := walk(t, size, func(p market.Page) ([]market.MessageView, market.Cursor, error) {
			page, next, err := b.Conversations.Read(t.Context(), ann, first.Conversation, p)
			return page.Messages, next, err
		})
		if got := texts(slices.Concat(pages...)); !slices.Equal(got, want) {
			t.Errorf("in pages of %d: %q", size, got)
		}
	}
	refused(t, must.Err(b.Conversations.Read(t.Context(), ann, first.Conversation, market.Page{Cursor: "x"})), market.ErrCursor)
}

func talkFlood(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	send := func(by user.Caller) (market.MessageView, error) {
		return b.Conversations.Send(t.Context(), by, toSeller(v), "Hello")
	}
	var last market.MessageView
	for minute := range 5 {
		for i := range 60 {
			m, err := send(bob)
			if err != nil {
				t.Fatalf("message %d of minute %d: %v", i+1, minute, err)
			}
			last = m
		}
		_, err := send(bob)
		refused(t, err, limit.ErrQuota)
		if wait := fault.As(err).RetryAfter; minute < 4 && wait != time.Minute {
			t.Errorf("the wait is %s", wait)
		}
		b.Clock.Advance(time.Minute)
	}
	_, err := send(bob)
	refused(t, err, limit.ErrQuota)
	if wait := fault.As(err).RetryAfter; wait != 55*time.Minute {
		t.Errorf("after 300 messages the wait is %s", wait)
	}
	b.Say(t, ann, answer(last), "Please stop.")
	b.Clock.Advance(55 * time.Minute)
	if _, err = send(bob); err != nil {
		t.Error(err)
	}
}

func talkFloodOfSellers(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	first := b.Say(t, bob, toSeller(b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))), "Hello")
	for range 19 {
		b.Say(t, bob, toSeller(b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))), "Hello")
	}
	one := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	refused(t, must.Err(b.Conversations.Send(t.Context(), bob, toSeller(one), "Hello")), limit.ErrQuota)
	b.Say(t, bob, answer(first), "Hello again")
	b.Clock.Advance(time.Hour)
	b.Say(t, bob, toSeller(one), "Hello")
}

func talkSuspended(t *testing.T, b *MarketFixture) {
	ann, bob, v, first := b.aTalk(t)
	b.Say(t, ann, answer(first), "Yes.")
	b.suspend(t, ann)
	refused(t, must.Err(b.Conversations.Send(t.Context(), bob, answer(first), "When?")), conversation.ErrLeft)
	_, err := b.Conversations.Send(t.Context(), b.Join(t, "eve", user.Regular), toSeller(v), "Hello")
	if err == nil {
		t.Error("a suspended seller gets messages")
	}
	refused(t, must.Err(b.Conversations.Send(t.Context(), ann, answer(first), "Noon?")), user.ErrUnauthenticated)
	p := b.read(t, bob, first.Conversation)
	if _, with := p.People(bob.ID); with != (market.Person{ID: ann.ID, Left: true}) || p.Messages[0].Text != "Yes." || p.Messages[0].Author != with {
		t.Errorf("the page is %+v", p)
	}
}

func talkErased(t *testing.T, b *MarketFixture) {
	ann, bob, v, first := b.aTalk(t)
	b.Say(t, ann, answer(first), "Call me: 555-0100")
	eve := b.Join(t, "eve", user.Regular)
	kept := b.Say(t, eve, toSeller(v), "Hello")
	b.DeleteUser(t, ann)
	p := b.read(t, bob, first.Conversation)
	if got := texts(p.Messages); !slices.Equal(got, []string{"", "Is it still there?"}) {
		t.Errorf("messages are %q", got)
	}
	if self, with := p.People(bob.ID); !with.Left || with.FirstName != "" || self.FirstName != "bob" {
		t.Errorf("people are %+v, %+v", self, with)
	}
	refused(t, must.Err(b.Conversations.Send(t.Context(), bob, answer(first), "Hello?")), conversation.ErrLeft)
	b.DeleteUser(t, bob)
	must.Refuse(t, must.Err(b.Ports.FindConversation(t.Context(), first.Conversation)), conversation.ErrNotFound, "after both have left")
	if all, err := b.Ports.ListMessages(t.Context(), first.Conversation, 0, 10); len(all) != 0 || err != nil {
		t.Errorf("messages %+v stay, %v", all, err)
	}
	b.read(t, eve, kept.Conversation)
}

func talkSwept(t *testing.T, b *MarketFixture) {
	ann, bob, v, first := b.aTalk(t)
	other := b.Say(t, b.Join(t, "eve", user.Regular), toSeller(v), "Hello")
	sweeper := b.ConversationSweeper
	b.Clock.Advance(conversation.Retention - time.Hour)
	b.Say(t, ann, answer(other), "Still interested?")
	if n, err := sweeper.Sweep(t.Context()); n != 0 || err != nil {
		t.Errorf("swept %d, %v", n, err)
	}
	b.Clock.Advance(time.Hour)
	if n, err := sweeper.Sweep(t.Context()); n != 1 || err != nil {
		t.Errorf("swept %d, %v", n, err)
	}
	refused(t, must.Err(b.Conversations.Read(t.Context(), bob, first.Conversation, market.Page{})), conversation.ErrNotFound)
	if all := b.conversationsOf(t, ann); len(all) != 1 || all[0].ID != other.Conversation {
		t.Errorf("conversations are %+v", all)
	}
	if m := b.Say(t, bob, toSeller(v), "It is me again"); m.N != 1 {
		t.Errorf("the new conversation begins with %+v", m)
	}
}

func talkExported(t *testing.T, b *MarketFixture) {
	ann, bob, v, first := b.aTalk(t)
	reply := b.Say(t, ann, answer(first), "Yes.")
	must.Do(t, b.Blocks.Block(t.Context(), ann, bob.ID))
	out := b.export(t, ann, 10)
	if len(out.Conversations) != 1 || out.Conversations[0].ID != first.Conversation.String() || out.Conversations[0].BookName != v.Name {
		t.Errorf("conversations are %+v", out.Conversations)
	}
	if len(out.Messages) != 1 || out.Messages[0].Text != "Yes." || out.Messages[0].ID != reply.ID.String() || out.Messages[0].ConversationID != first.Conversation.String() {
		t.Errorf("messages are %+v", out.Messages)
	}
	if len(out.Blocked) != 1 || out.Blocked[0].UserID != bob.ID.String() {
		t.Errorf("blocked are %+v", out.Blocked)
	}
	b.Clock.Advance(time.Minute)
	must.Do(t, b.Blocks.Unblock(t.Context(), ann, bob.ID))
	b.Say(t, bob, toSeller(v), "Thanks")
	if out = b.export(t, bob, 1); len(out.Messages) != 1 || out.Messages[0].Text != "Thanks" || !slices.Contains(out.Truncated, "messages") {
		t.Errorf("the short export is %+v", out)
	}
}

func talkReported(t *testing.T, b *MarketFixture) {
	ann, bob, v, first := b.aTalk(t)
	b.Say(t, ann, answer(first), "Yes.")
	at := b.Clock.Now()
	b.Say(t, bob, toSeller(v), "At the time")
	b.Say(t, bob, toSeller(v), "After it")
	all := must.Get(b.Ports.ListReportedMessages(t.Context(), first.Conversation, at, 2))(t)
	if len(all) != 2 || all[0].Text != "Yes." || all[1].Text != "At the time" || all[0].From != ann.ID {
		t.Errorf("the report shows %+v", all)
	}
}

// contactsHidden checks Orders, because people exchange messages until the order is verified.
func contactsHidden(t *testing.T, b *MarketFixture) {
	ann, bob, dean, v := b.aSale(t)
	check := func(by user.Caller, visible bool) {
		t.Helper()
		one := must.Get(b.Catalogue.Get(t.Context(), by, v.ID))(t)
		self, other := one.Order.SellerParty, one.Order.BuyerParty
		if by == bob {
			self, other = other, self
		}
		if visible != (other.Email != "" && other.CampusMailbox != "") || self.Email == "" || self.CampusMailbox == "" || other.LastName == "" {
			t.Errorf("in status %d %d sees %+v and %+v", one.Status, by.ID, self, other)
		}
	}
	check(ann, false)
	check(bob, false)
	check(dean, true)
	must.Get(b.Orders.Confirm(t.Context(), dean, v.ID))(t)
	check(ann, true)
	check(bob, true)
	order := must.Get(b.Catalogue.Get(t.Context(), bob, v.ID))(t)
	must.Get(b.Orders.Cancel(t.Context(), dean, v.ID, "because"))(t)
	d := must.Get(b.Orders.Get(t.Context(), bob, order.Order.ID))(t)
	if p := d.SellerParty; p.Email != "" || p.CampusMailbox != "" || p.FirstName != "ann" {
		t.Errorf("after the cancellation the buyer sees %+v", p)
	}
}

// raceLeavingAddressee has nobody wait for each other in a circle: engines only notice that after a while.
func raceLeavingAddressee(t *testing.T, b *MarketFixture) {
	var writers [8]user.Caller
	for i := range writers {
		writers[i] = b.Join(t, fmt.Sprint("writer", i), user.Regular)
	}
	for round := range 3 {
		ann := b.Join(t, fmt.Sprint("seller", round), user.Regular)
		v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
		must.Together(len(writers)+1, func(i int) {
			if i == len(writers) {
				if err := Suspend(t.Context(), b.Accounts(b.Deps), b.Clock.Now(), b.Clock.Now(), ann.ID); err != nil {
					t.Error(err)
				}
				return
			}
			_, err := b.Conversations.Send(t.Context(), writers[i], toSeller(v), "Is it still there?")
			if err != nil && !errors.Is(err, book.ErrNotFound) && !errors.Is(err, book.ErrNotAvailable) {
				t.Error(err)
			}
		})
		_, err := b.Conversations.Send(t.Context(), writers[0], toSeller(v), "And now?")
		if err == nil {
			t.Error("a message reaches somebody who has left")
		}
	}
}

package contract

import (
	"context"
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

func (b *MarketFixture) atOnce(t *testing.T, n int, do func(ctx context.Context, i int) error) {
	t.Helper()
	must.Together(n, func(i int) {
		if err := do(t.Context(), i); err != nil {
			t.Error(err)
		}
	})
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

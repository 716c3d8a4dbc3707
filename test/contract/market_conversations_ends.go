package contract

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

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

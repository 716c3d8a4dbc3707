package contract

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/conversation"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

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

package contract

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/must"
)

func marketNotifications(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"notifications are listed newest first, page by page": noticePages,
		"some or all notifications are marked as read":        markRead,
		"a stream resumes where it stopped":                   resume,
		"a subscriber gets a signal":                          listen,
		"only the newest of very many are stored":             noticesKept,
		"a flood does not push out what is about one's sales": personalKept,
		"subscribers are woken only after the commit":         commitBeforeSignal,
	})
}

func noticePages(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	for range 3 {
		b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	}
	all := slices.Concat(walk(t, 2, func(p market.Page) ([]notification.Notification, market.Cursor, error) {
		return b.Notifications.List(t.Context(), ann, p)
	})...)
	if len(all) != 4 || all[0].ID != 4 || all[3].ID != 1 || all[3].Kind != notification.Welcome || all[0].Message != "“Calculus” is now for sale." {
		t.Errorf("read %+v", all)
	}
	refused(t, must.Err(b.Notifications.List(t.Context(), user.Caller{}, market.Page{})), user.ErrUnauthenticated)
}

func markRead(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	for range 4 {
		b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	}
	b.Post(t, bob, Draft("Calculus", "MTH 161", 1000))
	unread := func(who user.Caller, want int) {
		t.Helper()
		n := must.Get(b.Notifications.CountUnread(t.Context(), who))(t)
		if n != want {
			t.Errorf("%d unread, want %d", n, want)
		}
	}
	must.Do(t, b.Notifications.MarkRead(t.Context(), ann, []notification.ID{2, 3, 99}))
	first := b.Clock.Now()
	unread(ann, 3)
	must.Do(t, b.Notifications.MarkRead(t.Context(), ann, []notification.ID{}))
	unread(ann, 3)
	b.Clock.Advance(time.Hour)
	must.Do(t, b.Notifications.MarkRead(t.Context(), ann, nil))
	unread(ann, 0)
	unread(bob, 2)
	all, _ := must.Get2(b.Notifications.List(t.Context(), ann, market.Page{}))(t)
	if !all[2].ReadAt.Equal(first) || !all[0].ReadAt.Equal(b.Clock.Now()) {
		t.Errorf("read at %v and %v", all[2].ReadAt, all[0].ReadAt)
	}
	refused(t, b.Notifications.MarkRead(t.Context(), ann, make([]notification.ID, 1001)), talking.ErrTooManyNotifications)
}

func resume(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	for range 2 { // the first call adds the welcome, once
		if n, err := b.Notifications.LatestID(t.Context(), ann); err != nil || n != 1 {
			t.Errorf("the latest is %d, %v; want 1", n, err)
		}
	}
	for range 105 {
		b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	}
	last := notification.ID(2)
	for _, want := range []int{100, 4, 0} {
		more := must.Get(b.Notifications.ListAfter(t.Context(), ann, last))(t)
		for _, n := range more {
			if n.ID != last+1 {
				t.Fatalf("after %d comes %d, want %d", last, n.ID, last+1)
			}
			last = n.ID
		}
		if len(more) != want {
			t.Errorf("got %d, want %d", len(more), want)
		}
	}
	if n, err := b.Notifications.LatestID(t.Context(), ann); err != nil || n != 106 {
		t.Errorf("the latest is %d, %v; want 106", n, err)
	}
}

// Signals returns a channel of one that receives when somebody is woken, until stop is called.
func (b *MarketFixture) Signals(of user.Caller) (signals <-chan struct{}, stop func()) {
	c := make(chan struct{}, 1)
	return c, b.Notifications.Subscribe(of, func() {
		select {
		case c <- struct{}{}:
		default:
		}
	})
}

func listen(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	signals, stop := b.Signals(bob)
	other, stopOther := b.Signals(ann)
	b.Request(t, bob, book.RequestDraft{Name: "Calculus", Course: "MTH 161"})
	select {
	case <-signals:
	default:
		t.Error("bob got no signal")
	}
	select {
	case <-other:
		t.Error("ann got a signal for bob")
	default:
	}
	stop()
	stopOther()
	b.Request(t, bob, book.RequestDraft{Name: "Calculus", Course: "MTH 161"})
	select {
	case <-signals:
		t.Error("got a signal after stop")
	default:
	}
}

func commitBeforeSignal(t *testing.T, b *MarketFixture) {
	called := 0
	failed := errors.New("rolled back")
	refused(t, b.atomically(t, func(_ context.Context, s Stores) error {
		s.OnCommit(func() { called++ })
		return failed
	}), failed)
	must.Do(t, b.atomically(t, func(_ context.Context, s Stores) error {
		s.OnCommit(func() { called += 10 })
		if called != 0 {
			t.Error("called before the commit")
		}
		return nil
	}))
	if called != 10 {
		t.Errorf("the calls add up to %d, want 10", called)
	}
}

func noticesKept(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	b.Post(t, bob, Draft("Calculus", "MTH 161", 1000))
	const each, times = 130, 10
	for range times {
		must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error {
			return must.Err(s.AddNotifications(ctx, slices.Repeat([]notification.Notification{{
				User: ann.ID, Kind: notification.BookPosted, Message: "Posted.", CreatedAt: b.Clock.Now(),
			}}, each)))
		}))
	}
	all := slices.Concat(walk(t, market.MaxLimit, func(p market.Page) ([]notification.Notification, market.Cursor, error) {
		return b.Notifications.List(t.Context(), ann, p)
	})...)
	if n := len(all); n < talking.MaxNotifications || n > talking.MaxNotifications*11/10 || all[0].ID != each*times+1 || all[n-1].ID != all[0].ID-notification.ID(n-1) {
		t.Errorf("%d are stored, %d to %d", n, all[n-1].ID, all[0].ID)
	}
	if n, err := b.Notifications.CountUnread(t.Context(), bob); err != nil || n != 2 {
		t.Errorf("bob has %d, %v; want 2", n, err)
	}
}

// personalKept floods somebody with notifications that others can cause, and then with their own.
func personalKept(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	const each = 130
	flood := func(kind notification.Kind, times int) {
		for range times {
			must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error {
				return must.Err(s.AddNotifications(ctx, slices.Repeat([]notification.Notification{{User: ann.ID, Kind: kind, Message: "x", CreatedAt: b.Clock.Now()}}, each)))
			}))
		}
	}
	counts := func() (n map[notification.Kind]int) {
		n = map[notification.Kind]int{}
		for _, one := range slices.Concat(walk(t, market.MaxLimit, func(p market.Page) ([]notification.Notification, market.Cursor, error) {
			return b.Notifications.List(t.Context(), ann, p)
		})...) {
			n[one.Kind]++
		}
		return n
	}
	flood(notification.BookSold, 1)
	flood(notification.MessageReceived, 1)
	flood(notification.SearchHit, 30)
	if n := counts(); n[notification.BookSold] != each || n[notification.MessageReceived] != each || n[notification.SearchHit] < talking.MaxNotifications || n[notification.SearchHit] > talking.MaxNotifications*11/10 {
		t.Errorf("after a flood of others are stored %v", n)
	}
	flood(notification.MeetingProposed, 30)
	if n := counts(); n[notification.BookSold] != 0 || n[notification.MeetingProposed] < talking.MaxNotifications || n[notification.MeetingProposed] > talking.MaxNotifications*11/10 || n[notification.SearchHit] < talking.MaxNotifications {
		t.Errorf("after a flood of their own are stored %v", n)
	}
}

func manyNotified(t *testing.T, b *MarketFixture) {
	title := func(i int) string { return fmt.Sprintf("“%d”", i) }
	notify := func(of ...user.ID) {
		all := make([]notification.Notification, len(of))
		for i, id := range of {
			all[i] = notification.About(notification.BookGone, id, 5, fmt.Sprint(i), b.Clock.Now())
		}
		must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error { return must.Err(s.AddNotifications(ctx, all)) }))
	}
	all := make([]user.ID, 100)
	for i := range all {
		all[i] = user.ID(b.IDs.Next())
	}
	known, deleted := all[20:60], all[7]
	notify(known...)
	must.Do(t, b.atomically(t, func(ctx context.Context, s Stores) error { return s.ForgetUser(ctx, deleted) }))
	notify(append(all, all...)...)
	for i, id := range all {
		want := []string{"", title(i), title(100 + i)} // the welcome first
		if slices.Contains(known, id) {
			want = slices.Insert(want, 1, title(i-20))
		}
		if id == deleted {
			want = nil
		}
		b.checkNotifications(t, id, want)
	}
}

// manyNotifiedConcurrently notifies the same users from several transactions, each in another order.
func manyNotifiedConcurrently(t *testing.T, b *MarketFixture) {
	const transactions = 8
	users := make([]user.ID, 70)
	for i := range users {
		users[i] = user.ID(b.IDs.Next())
	}
	must.Together(transactions, func(n int) {
		var mine []notification.Notification
		for _, i := range rand.New(rand.NewPCG(uint64(n), 0)).Perm(len(users)) {
			mine = append(mine, notification.About(notification.BookGone, users[i], 5, "Calculus", b.Clock.Now()))
		}
		if err := b.atomically(t, func(ctx context.Context, s Stores) error { return must.Err(s.AddNotifications(ctx, mine)) }); err != nil {
			t.Errorf("transaction %d: %v", n, err)
		}
	})
	for _, id := range users {
		b.checkNotifications(t, id, append([]string{""}, slices.Repeat([]string{"Calculus"}, transactions)...))
	}
}

// checkNotifications compares the notifications of a user, which are numbered from 1, with what
// their messages contain.
func (b *MarketFixture) checkNotifications(t *testing.T, of user.ID, want []string) {
	t.Helper()
	got := must.Get(b.Ports.ListNotificationsAfter(t.Context(), of, 0, 10))(t)
	if len(got) != len(want) {
		t.Fatalf("%+v, want %q", got, want)
	}
	for i, n := range got {
		if int(n.ID) != i+1 || !strings.Contains(n.Message, want[i]) || (n.Kind == notification.Welcome) != (i == 0) {
			t.Errorf("%+v, want number %d with %q", n, i+1, want[i])
		}
	}
}

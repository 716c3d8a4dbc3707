package contract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/eventrelay"
	"github.com/octavo-books/octavo/application/mailer"
	"github.com/octavo-books/octavo/domain/book"
	"github.com/octavo-books/octavo/domain/event"
	"github.com/octavo-books/octavo/domain/message"
	"github.com/octavo-books/octavo/domain/money"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/must"
)

// OptOuts checks the promises of mailer.OptOutStore. open returns an empty one.
func OptOuts(t *testing.T, open func(t *testing.T) mailer.OptOutStore) {
	t.Run("an address opts out, also twice, and no other address does", func(t *testing.T) {
		o := open(t)
		for range 2 {
			must.Do(t, o.AddOptOut(t.Context(), "a@x.edu", monday))
		}
		many := []user.Email{"a@x.edu", "b@x.edu", "a@x.edu"}
		for i := range 100 {
			many = append(many, user.Email(fmt.Sprintf("%d@x.edu", i)))
		}
		got, err := o.FindOptOuts(t.Context(), many)
		if err != nil || !got["a@x.edu"] || got["b@x.edu"] || got["7@x.edu"] {
			t.Errorf("opted out: %v, %v", got, err)
		}
		if got, err = o.FindOptOuts(t.Context(), nil); err != nil || len(got) != 0 {
			t.Errorf("the opt-outs of no addresses are %v, %v", got, err)
		}
	})
}

// A MailboxStore is a mailer.Sender that stores mails for developers to read. Sending a mail twice stores it
// once.
type MailboxStore interface {
	mailer.Sender
	// ListMails returns the newest n mails to one person, or to everyone if to is empty, newest first.
	ListMails(ctx context.Context, to user.Email, n int) ([]mailer.Mail, error)
	// FindMail returns one mail; false if there is none.
	FindMail(ctx context.Context, id int64) (mailer.Mail, bool, error)
}

// Mailbox checks the promises of a MailboxStore. open returns an empty one.
func Mailbox(t *testing.T, open func(t *testing.T) MailboxStore) {
	t.Run("mails come back whole, newest first, each once", func(t *testing.T) {
		box := open(t)
		for range 2 {
			for _, err := range box.SendMails(t.Context(), []mailer.Mail{mail(1, "a@x.edu"), mail(2, "b@x.edu"), mail(3, "a@x.edu")}) {
				must.Do(t, err)
			}
		}
		toOne := mails(t, box, "a@x.edu", 10)
		if len(toOne) != 2 || fmt.Sprint(toOne[0]) != fmt.Sprint(mail(3, "a@x.edu")) || toOne[1].ID != 1 {
			t.Errorf("to one: %v", toOne)
		}
		if all := mails(t, box, "", 2); len(all) != 2 || all[0].ID != 3 || all[1].ID != 2 {
			t.Errorf("the last two of all: %v", all)
		}
		if none := mails(t, box, "c@x.edu", 10); len(none) != 0 {
			t.Errorf("to a stranger: %v", none)
		}
		if one, stored, err := box.FindMail(t.Context(), 2); err != nil || !stored || fmt.Sprint(one) != fmt.Sprint(mail(2, "b@x.edu")) {
			t.Errorf("one mail: %v, %v, %v", one, stored, err)
		}
		if none, stored, err := box.FindMail(t.Context(), 4); err != nil || stored {
			t.Errorf("an unknown mail: %v, %v, %v", none, stored, err)
		}
		picturesKept(t, box)
	})
}

// picturesKept checks that a mail in the mailbox has its picture.
func picturesKept(t *testing.T, box MailboxStore) {
	t.Helper()
	m := mail(5, "d@x.edu")
	m.HTML, m.Picture = `<img src="cid:picture">`, mailer.Picture{ID: "picture", JPEG: []byte("seven")}
	must.Do(t, box.SendMails(t.Context(), []mailer.Mail{m})[0])
	if kept := mails(t, box, "d@x.edu", 1); len(kept) != 1 || kept[0].HTML != `<img src="data:image/jpeg;base64,c2V2ZW4=">` {
		t.Errorf("with a picture: %v", kept)
	}
}

func mail(id int64, to user.Email) mailer.Mail {
	return mailer.Mail{
		Message: message.Message{ID: id, Kind: message.Verification, To: to, Lang: user.FR, Code: "12345678", Link: "https://octavo.example/?a=1&b"},
		Subject: "Sujet «é»", Text: "Bonjour,\n", HTML: "<p>Bonjour</p>", SentAt: monday.Add(time.Duration(id) * time.Second),
	}
}

func mails(t *testing.T, box MailboxStore, to user.Email, n int) []mailer.Mail {
	t.Helper()
	return must.Get(box.ListMails(t.Context(), to, n))(t)
}

// EventStore is an outbox of events, with what other stores do to it in their
// transactions.
type EventStore interface {
	eventrelay.Outbox
	AddEvents(ctx context.Context, events ...event.Event) error
	DeleteExpired(ctx context.Context, now time.Time, n int) (int, error)
	CountEvents(ctx context.Context) (waiting int, oldest time.Time, err error)
}

// Events checks the promises of eventrelay.Outbox. open returns an empty outbox.
func Events(t *testing.T, open func(t *testing.T) EventStore) {
	for name, test := range map[string]func(*testing.T, EventStore){
		"an event comes back whole":                                eventsComeBackWhole,
		"events come in the order in which they were added":        eventsComeInOrder,
		"an event stays until it is stored elsewhere":              eventsStayUntilStored,
		"of several events only those that are stored are deleted": onlyStoredEventsAreDeleted,
		"of concurrent relays one gets the events":                 oneRelayGetsTheEvents,
		"adding events wakes":                                      addingEventsWakes,
		"events that are never relayed are deleted after a week":   oldEventsAreDeleted,
		"the oldest event and the number are known":                eventsAreCounted,
	} {
		t.Run(name, func(t *testing.T) { test(t, open(t)) })
	}
}

func eventIDs(all []event.Stored) (ids []event.ID) {
	for _, e := range all {
		ids = append(ids, e.ID)
	}
	return ids
}

func userEvent(id event.ID, at time.Time) event.Event {
	return event.OfUser(event.UserCreated, 7).Stamped(id, at)
}

func addEvents(t *testing.T, o EventStore, events ...event.Event) {
	t.Helper()
	must.Do(t, o.AddEvents(t.Context(), events...))
}

func eventsComeBackWhole(t *testing.T, o EventStore) {
	e := event.PostBook(book.Book{ID: 1, Seller: 2, Details: book.Details{Name: "L’été \U0001F4DA \"<b>\"", Price: 4250}}, money.Currency{}, event.Posted).
		Stamped(1<<62, monday.Add(123456*time.Microsecond))
	addEvents(t, o, e)
	body := must.Get(e.Body())(t)
	want := []event.Stored{{ID: 1 << 62, Type: event.BookPosted, Body: body}}
	if got := fake.PeekEvents(t, o); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("in  %v\nout %v", want, got)
	}
}

func eventsComeInOrder(t *testing.T, o EventStore) {
	// Replicas have clocks of their own, so neither ids nor times tell the order of commits.
	addEvents(t, o, userEvent(9, monday.Add(time.Hour)), userEvent(3, monday))
	addEvents(t, o, userEvent(5, monday.Add(-time.Hour)))
	if got := eventIDs(fake.PeekEvents(t, o)); !slices.Equal(got, []event.ID{9, 3, 5}) {
		t.Errorf("the order is %v", got)
	}
}

func eventsStayUntilStored(t *testing.T, o EventStore) {
	addEvents(t, o, userEvent(1, monday))
	down := errors.New("the inbox is down")
	n, _, err := o.RelayEvents(t.Context(), 10, func(context.Context, []event.Stored) (int, error) { return 0, down })
	if n != 0 || !errors.Is(err, down) {
		t.Errorf("relayed %d, %v", n, err)
	}
	n, _, err = o.RelayEvents(t.Context(), 10, func(_ context.Context, all []event.Stored) (int, error) { return len(all), nil })
	if n != 1 || err != nil {
		t.Errorf("relayed %d, %v; want 1", n, err)
	}
	if got := fake.PeekEvents(t, o); len(got) != 0 {
		t.Errorf("a stored event is still in the outbox: %v", got)
	}
}

func onlyStoredEventsAreDeleted(t *testing.T, o EventStore) {
	for id := range event.ID(5) {
		addEvents(t, o, userEvent(id+1, monday))
	}
	full := errors.New("the inbox is full")
	n, _, err := o.RelayEvents(t.Context(), 4, func(_ context.Context, all []event.Stored) (int, error) {
		if len(all) != 4 {
			t.Errorf("a batch of %d", len(all))
		}
		return 2, full
	})
	if n != 2 || !errors.Is(err, full) {
		t.Errorf("relayed %d, %v", n, err)
	}
	if got := eventIDs(fake.PeekEvents(t, o)); !slices.Equal(got, []event.ID{3, 4, 5}) {
		t.Errorf("%v wait", got)
	}
}

func oneRelayGetsTheEvents(t *testing.T, o EventStore) {
	const events = 200
	for id := range event.ID(events) {
		addEvents(t, o, userEvent(id+1, monday))
	}
	var mu sync.Mutex
	var got []event.ID
	var inside, relayed atomic.Int64
	var relays sync.WaitGroup
	for range 8 {
		relays.Go(func() {
			for relayed.Load() < events {
				n, _, err := o.RelayEvents(t.Context(), 10, func(_ context.Context, all []event.Stored) (int, error) {
					if inside.Add(1) != 1 {
						t.Error("two relays have events at the same time")
					}
					defer inside.Add(-1)
					mu.Lock()
					defer mu.Unlock()
					got = append(got, eventIDs(all)...)
					return len(all), nil
				})
				if relayed.Add(int64(n)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	relays.Wait()
	if len(got) != events || !slices.IsSorted(got) {
		t.Errorf("%d of %d events, in the order %v", len(got), events, got)
	}
}

func addingEventsWakes(t *testing.T, o EventStore) {
	wakes(t, "adding events", func(ctx context.Context) { o.WaitForEvents(ctx, false) }, func() { addEvents(t, o, userEvent(1, monday)) })
	_, _, err := o.RelayEvents(t.Context(), 10, func(ctx context.Context, all []event.Stored) (int, error) {
		n, busy, err := o.RelayEvents(context.WithoutCancel(ctx), 10, nil)
		if n != 0 || !busy || err != nil {
			t.Errorf("beside another relay: %d events, busy %v, %v", n, busy, err)
		}
		return len(all), nil
	})
	if _, busy, again := o.RelayEvents(t.Context(), 10, nil); err != nil || busy || again != nil {
		t.Errorf("after the last event: busy %v, %v, %v", busy, err, again)
	}
}

func oldEventsAreDeleted(t *testing.T, o EventStore) {
	addEvents(t, o, userEvent(1, monday), userEvent(2, monday), userEvent(3, monday), userEvent(4, monday.Add(time.Hour)))
	for _, step := range []struct {
		now  time.Time
		n    int
		want int
	}{
		{monday.Add(event.MaxAge), 10, 0},
		{monday.Add(event.MaxAge + time.Second), 2, 2},
		{monday.Add(event.MaxAge + time.Second), 2, 1},
		{monday.Add(event.MaxAge + time.Second), 2, 0},
	} {
		if n, err := o.DeleteExpired(t.Context(), step.now, step.n); n != step.want || err != nil {
			t.Errorf("%+v: deleted %d, %v; want %d", step, n, err, step.want)
		}
	}
	if got := eventIDs(fake.PeekEvents(t, o)); !slices.Equal(got, []event.ID{4}) {
		t.Errorf("%v wait", got)
	}
}

func eventsAreCounted(t *testing.T, o EventStore) {
	if n, oldest, err := o.CountEvents(t.Context()); n != 0 || !oldest.IsZero() || err != nil {
		t.Errorf("none: %d, %v, %v", n, oldest, err)
	}
	addEvents(t, o, userEvent(1, monday), userEvent(2, monday.Add(time.Hour)))
	if n, oldest, err := o.CountEvents(t.Context()); n != 2 || !oldest.Equal(monday) || err != nil {
		t.Errorf("two: %d, %v, %v", n, oldest, err)
	}
}

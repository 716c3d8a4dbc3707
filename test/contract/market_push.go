package contract

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/application/market/pushing"
	"github.com/octavo-books/octavo/application/market/rooms"
	"github.com/octavo-books/octavo/application/market/talking"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/notification"
	"github.com/octavo-books/octavo/domain/push"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/fake"
	"github.com/octavo-books/octavo/test/must"
)

func marketPush(t *testing.T, open func(*testing.T) *MarketFixture) {
	each(t, open, map[string]func(*testing.T, *MarketFixture){
		"a message of a conversation reaches each browser of its receiver":       pushMessages,
		"a browser shows the kinds that its owner has chosen":                    pushKinds,
		"what is wrong with a subscription is named at once":                     pushRefusals,
		"nothing is shown in quiet hours, and one notification after them":       pushQuiet,
		"there are no quiet hours until they are set, nor once they are cleared": pushQuietOff,
		"a subscription that its service has forgotten is removed":               pushGone,
		"a busy service is asked again when it says, and then shows all":         pushBusy,
		"a service that never answers leaves no dead job":                        pushDead,
		"a message that a service refuses is not sent again":                     pushRefused,
		"ten browsers at once, also in parallel":                                 pushTen,
		"a browser belongs to who subscribed last":                               pushMoves,
		"who has signed out gets nothing more":                                   pushSignedOut,
		"who signs in again while an ended session is swept gets everything":     pushRenewed,
		"what was read meanwhile is not shown":                                   pushRead,
		"nothing is left of a user who is suspended or deleted":                  pushLeft,
		"one ends what is one's own":                                             pushRemoved,
	})
}

// The keys of the example in RFC 8291, section 5.
const (
	examplePublicKey = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
	exampleSecret    = "BTBZMqHH6r4Tts7J_aSIgg"
)

// browserOf is what a browser says about its subscription.
func browserOf(name string, kinds ...string) push.Draft {
	return push.Draft{Endpoint: "https://push.example.net/" + name, Keys: push.Keys{P256dh: examplePublicKey, Auth: exampleSecret}, Kinds: kinds}
}

// subscribes lets a browser show a person's notifications.
func (b *MarketFixture) subscribes(t testing.TB, by user.Caller, name string, kinds ...string) push.ID {
	t.Helper()
	id := must.Get(b.PushSubscriptions.Add(t.Context(), by, browserOf(name, kinds...)))(t)
	b.Clock.Advance(time.Second)
	return id
}

// pushed runs what is due and returns to which browsers what was pushed.
func (b *MarketFixture) pushed(t testing.TB) (all []string) {
	t.Helper()
	b.RunAllJobs(t)
	for _, m := range b.Push.Pushed() {
		all = append(all, strings.TrimPrefix(m.To.Endpoint, "https://push.example.net/")+": "+m.Body)
	}
	slices.Sort(all)
	return all
}

func (b *MarketFixture) wantPushed(t testing.TB, want ...string) {
	t.Helper()
	if got := b.pushed(t); !slices.Equal(got, want) {
		t.Errorf("pushed were %q, want %q", got, want)
	}
}

func (b *MarketFixture) browsersOf(t testing.TB, who user.Caller) int {
	t.Helper()
	return len(must.Get(b.Ports.ListSubscriptions(t.Context(), who.ID))(t))
}

func pushMessages(t *testing.T, b *MarketFixture) {
	seller, asker, v, first := b.aTalk(t)
	b.subscribes(t, seller, "phone")
	b.subscribes(t, seller, "laptop")
	b.subscribes(t, asker, "other")
	b.wantPushed(t)
	b.read(t, seller, first.Conversation)
	b.Say(t, asker, talking.Addressee{Conversation: first.Conversation}, "Is it still there?")
	b.read(t, seller, first.Conversation)
	b.Say(t, asker, talking.Addressee{Book: v.ID}, "Hello?")
	b.RunAllJobs(t)
	all := b.Push.Pushed()
	if len(all) != 2 { // the first was read
		t.Fatalf("pushed were %+v", all)
	}
	for _, m := range all {
		if m.Body != "en message_received" || m.URL != "/conversation?id="+first.Conversation.String() || m.Unread == 0 ||
			m.Message.TTL != 24*time.Hour || m.Message.Urgency != push.Normal || len(m.Message.Topic) != 32 || m.Tag != m.Message.Topic {
			t.Errorf("pushed was %+v", m)
		}
	}
	b.read(t, seller, first.Conversation)
	b.Say(t, asker, talking.Addressee{Book: v.ID}, "And now?")
	b.RunAllJobs(t)
	if more := b.Push.Pushed(); len(more) != 2 || more[0].Message.Topic != all[0].Message.Topic {
		t.Errorf("the next of the same conversation is %+v, after %+v", more, all)
	}
}

func pushKinds(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	b.subscribes(t, ann, "all")
	b.subscribes(t, ann, "sales", string(notification.BookSold), string(notification.BookSold))
	v := b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	b.wantPushed(t, "all: en book_posted")
	b.Buy(t, bob, v.ID)
	b.wantPushed(t, "all: en book_sold", "sales: en book_sold")
	b.subscribes(t, ann, "sales") // again, for all kinds
	b.Post(t, ann, Draft("Algebra", "MTH 165", 1000))
	b.wantPushed(t, "all: en book_posted", "sales: en book_posted")
	if n := b.browsersOf(t, ann); n != 2 {
		t.Errorf("there are %d subscriptions", n)
	}
}

func pushRefusals(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	good := browserOf("phone")
	for name, c := range map[string]struct {
		change func(*push.Draft)
		want   []string
	}{
		"no address":       {func(d *push.Draft) { d.Endpoint = "push" }, []string{"endpoint"}},
		"a long address":   {func(d *push.Draft) { d.Endpoint += strings.Repeat("x", push.MaxEndpoint) }, []string{"endpoint"}},
		"a compressed key": {func(d *push.Draft) { d.P256dh = "AyVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcx" }, []string{"keys.p256dh"}},
		"no point":         {func(d *push.Draft) { d.P256dh = d.P256dh[:80] + "AAAAAAA" }, []string{"keys.p256dh"}},
		"a short secret":   {func(d *push.Draft) { d.Auth = d.Auth[:20] }, []string{"keys.auth"}},
		"an unknown kind":  {func(d *push.Draft) { d.Kinds = []string{"message_received", "weather"} }, []string{"kinds"}},
		"all at once":      {func(d *push.Draft) { *d = push.Draft{Kinds: []string{}} }, []string{"endpoint", "keys.auth", "keys.p256dh", "kinds"}},
	} {
		d := good
		c.change(&d)
		err := must.Err(b.PushSubscriptions.Add(t.Context(), ann, d))
		must.Refuse(t, err, push.ErrInvalid, name)
		if named := slices.Sorted(maps.Keys(fault.As(err).Fields)); !slices.Equal(named, c.want) {
			t.Errorf("%s: %v are named, want %v", name, named, c.want)
		}
	}
	padded := good
	padded.P256dh, padded.Auth = good.P256dh+"=", good.Auth+"=="
	must.Get(b.PushSubscriptions.Add(t.Context(), ann, padded))(t)
	must.Refuse(t, must.Err(b.PushSubscriptions.Add(t.Context(), user.Caller{ID: ann.ID}, good)), user.ErrProfileNeeded, "no profile")
	must.Refuse(t, b.PushSubscriptions.SetQuiet(t.Context(), ann, push.Quiet{From: -1, To: 60}), push.ErrQuiet, "no time of a day")
}

// at sets the clock to the next such time of a day, in UTC.
func (b *MarketFixture) at(hour, minute int) {
	now := b.Clock.Now()
	next := time.Date(now.Year(), now.Month(), now.Day()+1, hour, minute, 0, 0, time.UTC)
	b.Clock.Advance(next.Sub(now))
}

func pushQuiet(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	b.subscribes(t, ann, "phone")
	must.Do(t, b.PushSubscriptions.SetQuiet(t.Context(), ann, push.Quiet{From: 22 * 60, To: 7 * 60}))
	b.at(21, 0)
	b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	b.wantPushed(t, "phone: en book_posted")
	b.at(23, 30)
	for _, name := range []string{"Algebra", "Botany", "Chemistry"} {
		b.Post(t, ann, Draft(name, "MTH 165", 1000))
	}
	b.wantPushed(t)
	b.Clock.Advance(7 * time.Hour)
	b.wantPushed(t)
	b.Clock.Advance(30 * time.Minute)
	b.wantPushed(t, "phone: 3 new")
	b.at(2, 0)
	b.Post(t, ann, Draft("Zoology", "MTH 165", 1000))
	b.wantPushed(t)
	b.Clock.Advance(6 * time.Hour)
	b.wantPushed(t, "phone: en book_posted")
}

func pushQuietOff(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	b.subscribes(t, ann, "phone")
	if q := must.Get(b.PushSubscriptions.Quiet(t.Context(), ann))(t); !q.Off() {
		t.Errorf("quiet hours that nobody has set are %+v", q)
	}
	b.at(3, 0)
	b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	b.wantPushed(t, "phone: en book_posted")
	must.Do(t, b.PushSubscriptions.SetQuiet(t.Context(), ann, push.Quiet{From: 60, To: 300}))
	must.Do(t, b.PushSubscriptions.SetQuiet(t.Context(), ann, push.Quiet{}))
	b.Post(t, ann, Draft("Algebra", "MTH 165", 1000))
	b.wantPushed(t, "phone: en book_posted")
}

func pushGone(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	b.subscribes(t, ann, "phone")
	b.Push.Answers(pushing.ErrGone)
	b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	b.wantPushed(t, "phone: en book_posted")
	b.Post(t, ann, Draft("Algebra", "MTH 165", 1000))
	b.wantPushed(t)
	if n := b.browsersOf(t, ann); n != 0 {
		t.Errorf("%d subscriptions remain", n)
	}
}

func pushBusy(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	b.subscribes(t, ann, "phone")
	b.Push.Answers(pushing.BusyError{After: 20 * time.Minute, Err: errors.New("429")})
	b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	b.wantPushed(t, "phone: en book_posted")
	b.Post(t, ann, Draft("Algebra", "MTH 165", 1000))
	b.wantPushed(t) // the service has asked for patience
	b.Clock.Advance(10 * time.Minute)
	b.wantPushed(t)
	b.Push.Answers(nil)
	b.Clock.Advance(10 * time.Minute)
	b.wantPushed(t, "phone: en book_posted", "phone: en book_posted")
	b.Post(t, ann, Draft("Botany", "MTH 165", 1000))
	b.wantPushed(t, "phone: en book_posted")
}

func pushDead(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	b.subscribes(t, ann, "phone")
	b.Push.Answers(errors.New("no route"))
	b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	tried := 0
	for range 3 * 24 * 12 {
		tried += len(b.pushed(t))
		b.Clock.Advance(5 * time.Minute)
	}
	if tried != 8 {
		t.Errorf("%d attempts were made, want 8", tried)
	}
	left := must.Get(b.Work.ListJobs(t.Context(), 10))(t)
	if stuck := must.Get(b.Work.CountStuckJobs(t.Context()))(t); len(left) != 0 || stuck != 0 {
		t.Errorf("jobs are left: %+v", left)
	}
	b.Push.Answers(nil)
	b.Post(t, ann, Draft("Algebra", "MTH 165", 1000))
	b.wantPushed(t, "phone: en book_posted")
}

func pushRefused(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	b.subscribes(t, ann, "phone")
	b.Push.Answers(pushing.ErrRefused)
	b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	b.wantPushed(t, "phone: en book_posted")
	b.Push.Answers(nil)
	b.Clock.Advance(time.Hour)
	b.wantPushed(t)
	b.Post(t, ann, Draft("Algebra", "MTH 165", 1000))
	b.wantPushed(t, "phone: en book_posted")
}

func pushTen(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	b.subscribes(t, bob, "bob's")
	b.subscribes(t, ann, "oldest")
	b.subscribes(t, ann, "second")
	b.subscribes(t, ann, "oldest") // again, which makes it the newest
	must.Together(9, func(i int) {
		must.Do(t, must.Err(b.PushSubscriptions.Add(context.WithoutCancel(t.Context()), ann, browserOf(fmt.Sprint(i)))))
	})
	var all []string
	for _, s := range must.Get(b.Ports.ListSubscriptions(t.Context(), ann.ID))(t) {
		all = append(all, s.Endpoint)
	}
	if len(all) != push.MaxSubscriptions || slices.Contains(all, browserOf("second").Endpoint) || !slices.Contains(all, browserOf("oldest").Endpoint) || b.browsersOf(t, bob) != 1 {
		t.Errorf("the subscriptions are %q", all)
	}
}

func pushMoves(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	first := b.subscribes(t, ann, "shared")
	again := b.subscribes(t, ann, "shared")
	b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	second := b.subscribes(t, bob, "shared") // before the job runs
	b.wantPushed(t)
	b.Post(t, ann, Draft("Algebra", "MTH 165", 1000))
	b.Post(t, bob, Draft("Botany", "BIO 110", 1000))
	b.wantPushed(t, "shared: en book_posted")
	if first != again || first == second || b.browsersOf(t, ann) != 0 || b.browsersOf(t, bob) != 1 {
		t.Errorf("the ids are %s, %s and %s", first, again, second)
	}
}

func pushSignedOut(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	there, here := ann, ann
	there.Session, here.Session = 7, 8
	b.subscribes(t, there, "library")
	b.subscribes(t, here, "phone")
	b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	b.Push.End(there.Session) // before the job runs
	b.wantPushed(t, "phone: en book_posted")
	if n := b.browsersOf(t, ann); n != 1 {
		t.Errorf("%d subscriptions remain", n)
	}
	b.Push.End(here.Session)
	if all := must.Get(b.PushSubscriptions.List(t.Context(), ann))(t); len(all) != 0 {
		t.Errorf("subscriptions without a session are shown: %+v", all)
	}
	must.Do(t, b.PushSubscriptions.Sweep(t.Context()))
	if n := b.browsersOf(t, ann); n != 0 {
		t.Errorf("%d subscriptions remain", n)
	}
}

func pushRenewed(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	before, after := ann, ann
	before.Session, after.Session = 7, 8
	b.subscribes(t, before, "phone")
	b.Push.End(before.Session)
	meanwhile := b.Over(b.Deps, func(c *rooms.Config) {
		ended := c.Push.Ended
		c.Push.Ended = func(ctx context.Context, of []user.Caller) ([]user.SessionID, error) {
			found, err := ended(ctx, of)
			b.subscribes(t, after, "phone")
			return found, err
		}
	})
	must.Do(t, meanwhile.PushSubscriptions.Sweep(t.Context()))
	b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	b.wantPushed(t, "phone: en book_posted")
}

func pushRead(t *testing.T, b *MarketFixture) {
	ann := b.Join(t, "ann", user.Regular)
	b.subscribes(t, ann, "phone")
	b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	must.Do(t, b.Notifications.MarkRead(t.Context(), ann, nil))
	b.wantPushed(t)
}

func pushLeft(t *testing.T, b *MarketFixture) {
	ann, bob, dean := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular), b.Join(t, "dean", user.Admin)
	for _, who := range []user.Caller{ann, bob} {
		b.subscribes(t, who, fmt.Sprint(who.ID))
		must.Do(t, b.PushSubscriptions.SetQuiet(t.Context(), who, push.Quiet{From: 60, To: 120}))
	}
	exported := b.export(t, ann, 10)
	if len(exported.PushSubscriptions) != 1 || exported.PushSubscriptions[0].Service != "push.example.net" || exported.QuietHours != (pushing.ExportedQuiet{From: 60, To: 120}) {
		t.Errorf("the export has %+v and %+v", exported.PushSubscriptions, exported.QuietHours)
	}
	b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	must.Do(t, suspender{b}.SuspendAccount(t.Context(), dean, ann.ID, "spam", func(context.Context, market.Stores) error { return nil }))
	b.DeleteUser(t, bob)
	b.wantPushed(t)
	quiet := must.Get(b.Ports.FindQuiet(t.Context(), bob.ID))(t)
	if b.browsersOf(t, ann)+b.browsersOf(t, bob) != 0 || !quiet.Off() {
		t.Errorf("something is left: %+v", quiet)
	}
	must.Refuse(t, must.Err(b.PushSubscriptions.Add(t.Context(), bob, browserOf("late"))), user.ErrUnauthenticated, "a deleted user")
}

func pushRemoved(t *testing.T, b *MarketFixture) {
	ann, bob := b.Join(t, "ann", user.Regular), b.Join(t, "bob", user.Regular)
	b.subscribes(t, ann, "phone")
	must.Do(t, b.PushSubscriptions.Remove(t.Context(), bob, browserOf("phone").Endpoint))
	if n := b.browsersOf(t, ann); n != 1 {
		t.Fatalf("somebody else has removed it: %d", n)
	}
	for range 2 {
		must.Do(t, b.PushSubscriptions.Remove(t.Context(), ann, browserOf("phone").Endpoint))
	}
	b.Post(t, ann, Draft("Calculus", "MTH 161", 1000))
	b.wantPushed(t)
}

var _ pushing.Pusher = (*fake.Push)(nil)

package serving_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/test/meminbox"
	"github.com/octavo-books/octavo/test/must"
)

// follower notes what it gets.
type follower struct {
	mu       sync.Mutex
	got      []string // "id payload"
	position int64
	progress int
	each     func() error // called for each delivery
}

func (f *follower) Deliver(d inbox.FeedDelivery) error {
	if f.each != nil {
		if err := f.each(); err != nil {
			return err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.got, f.position = append(f.got, d.ID+" "+string(d.Payload)), d.Position
	return nil
}

func (f *follower) Progress(position int64) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.position = position
	f.progress++
	return nil
}

func (f *follower) want(h *harness, want ...string) {
	h.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.Equal(f.got, want) {
		h.Errorf("the follower got %v, want %v", f.got, want)
	}
}

// follow follows in the background until end is called, which returns the error.
func follow(h *harness, what inbox.Follow, to *follower) (end func() error) {
	ctx, cancel := context.WithCancel(h.Context())
	result := make(chan error, 1)
	go func() { result <- h.svc.FollowDeliveries(ctx, what, to) }()
	h.settle()
	return func() error { cancel(); return <-result }
}

func TestAFollowerGetsEachDeliveryOnceAlsoAfterAReconnect(t *testing.T) {
	run(t, setup{rules: rules("push=" + shop)}, func(h *harness) {
		h.accept("before", "push", "{}")
		first := &follower{}
		end := follow(h, inbox.Follow{After: -1}, first)
		h.accept("a", "push", `{"a":1}`)
		h.accept("a", "push", `{"a":1}`)
		h.accept("b", "issues", `{}`)
		h.pass(time.Second)
		first.want(h, `a {"a":1}`, "b {}")
		must.Refuse(t, end(), context.Canceled, "it ended with")
		for n := range 250 { // more than a page
			h.accept(fmt.Sprint(n), "push", "{}")
		}
		second := &follower{}
		end = follow(h, inbox.Follow{After: first.position}, second)
		if len(second.got) != 250 || second.got[0] != "0 {}" || second.got[249] != "249 {}" {
			t.Errorf("after the reconnect it got %v", second.got)
		}
		_ = end()
		future := &follower{}
		end = follow(h, inbox.Follow{After: second.position + 1000}, future)
		h.accept("c", "push", "{}")
		h.pass(time.Second)
		future.want(h, "c {}")
		_ = end()
	})
}

func TestAFollowerChoosesBySourceAndEvent(t *testing.T) {
	run(t, setup{}, func(h *harness) {
		var all []*follower
		for _, what := range []inbox.Follow{{Source: "ci"}, {Match: "issues.opened\nrelease*"}, {Match: "push", Source: inbox.DefaultSource}, {Match: "labs*", Source: "ci"}} {
			all = append(all, &follower{})
			defer func(end func() error) { _ = end() }(follow(h, what, all[len(all)-1]))
		}
		h.accept("a", "push", "{}")
		h.accept("b", "issues", `{"action":"opened"}`)
		must.Do(t, h.svc.AcceptFrom(h.Context(), "ci", webhook.Event{ID: "c", Name: "push", Header: map[string]string{}, Payload: []byte("{}")}, ""))
		h.pass(time.Second)
		all[0].want(h, "c {}")
		all[1].want(h, `b {"action":"opened"}`)
		all[2].want(h, "a {}")
		all[3].want(h)
		before := all[3].position
		h.accept("d", "push", "{}")
		h.pass(15 * time.Second)
		if all[3].position <= before || all[3].progress < 2 {
			t.Error("a follower of nothing does not learn how far it has got")
		}
		for _, bad := range []inbox.Follow{{Match: "push.begun"}, {Match: "push\n"}, {Source: "a b"}} {
			must.Refuse(t, follow(h, bad, &follower{})(), inbox.ErrQuery, bad)
		}
	})
}

func TestASlowFollowerMissesNothingAndDelaysNobody(t *testing.T) {
	run(t, setup{rules: rules("push=" + shop)}, func(h *harness) {
		slow, quick := &follower{each: func() error { <-time.After(time.Minute); return nil }}, &follower{}
		left := errors.New("left")
		gone := &follower{each: func() error { return left }}
		endSlow, endQuick, endGone := follow(h, inbox.Follow{}, slow), follow(h, inbox.Follow{}, quick), follow(h, inbox.Follow{}, gone)
		for n := range 5 {
			h.accept(fmt.Sprint(n), "push", "{}")
		}
		h.pass(time.Second)
		quick.want(h, "0 {}", "1 {}", "2 {}", "3 {}", "4 {}")
		if sent := h.target.sent(); len(sent) != 5 {
			t.Errorf("sent %v", sent)
		}
		must.Refuse(t, endGone(), left, "a follower that failed goes on")
		h.pass(time.Hour)
		slow.want(h, "0 {}", "1 {}", "2 {}", "3 {}", "4 {}")
		_, _ = endSlow(), endQuick()
	})
}

// countingFeed counts the queries of the store.
type countingFeed struct {
	*meminbox.Inbox
	mu           sync.Mutex
	ends, reads  int
	failFeedEnds bool
}

func (c *countingFeed) FeedEnd(ctx context.Context) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ends++; c.failFeedEnds {
		return 0, errors.New("the database is away")
	}
	return c.Inbox.FeedEnd(ctx)
}

// take returns the numbers of queries since the last call.
func (c *countingFeed) take() (ends, reads int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ends, reads = c.ends, c.reads
	c.ends, c.reads = 0, 0
	return ends, reads
}

func (c *countingFeed) ReadFeed(ctx context.Context, after, end int64, limit int) ([]inbox.FeedDelivery, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reads++
	return c.Inbox.ReadFeed(ctx, after, end, limit)
}

func TestAnyNumberOfIdleFollowersCostsOneQueryAPoll(t *testing.T) {
	counting := &countingFeed{}
	run(t, setup{store: func(s *meminbox.Inbox) inbox.Store { counting.Inbox = s; return counting }}, func(h *harness) {
		h.pass(time.Minute)
		if ends, _ := counting.take(); ends != 0 {
			t.Errorf("without a follower the end of the feed was read %d times", ends)
		}
		var ends []func() error
		for range 32 {
			ends = append(ends, follow(h, inbox.Follow{After: -1}, &follower{}))
		}
		counting.take()
		h.pass(time.Minute)
		if asked, reads := counting.take(); asked > 61 || reads != 0 {
			t.Errorf("in a minute the end of the feed was read %d times, and deliveries %d times", asked, reads)
		}
		must.Refuse(t, follow(h, inbox.Follow{}, &follower{})(), inbox.ErrTooManyFollowers, "the 33rd")
		_ = ends[0]()
		ends[0] = follow(h, inbox.Follow{}, &follower{})
		for _, end := range ends {
			if err := end(); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		}
	})
}

// Another process stores into the same database.
func TestAFollowerGetsWhatAnotherProcessHasAccepted(t *testing.T) {
	counting := &countingFeed{}
	run(t, setup{store: func(s *meminbox.Inbox) inbox.Store { counting.Inbox = s; return counting }}, func(h *harness) {
		f := &follower{}
		end := follow(h, inbox.Follow{After: -1}, f)
		counting.mu.Lock()
		counting.failFeedEnds = true
		counting.mu.Unlock()
		d := inbox.Delivery{Seq: 1, Source: "default", ID: "other", Event: "push", ReceivedAt: time.Now(), Payload: []byte("{}")}
		must.Get(h.store.CommitBatch(h.Context(), inbox.Batch{Deliveries: []inbox.Delivery{d}}))(t)
		h.pass(10 * time.Second)
		f.want(h)
		counting.mu.Lock()
		counting.failFeedEnds = false
		counting.mu.Unlock()
		h.pass(2 * time.Second)
		f.want(h, "other {}")
		_ = end()
	})
}

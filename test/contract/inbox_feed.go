package contract

import (
	"fmt"
	"slices"
	"sync"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/must"
)

// readFeed reads what follows a position, two deliveries at a time, and returns their ids
// and the last position.
func (s *inboxSuite) readFeed(after int64) (ids []string, last int64) {
	s.Helper()
	end := must.Get(s.FeedEnd(s.ctx))(s)
	for {
		page := must.Get(s.ReadFeed(s.ctx, after, end, 2))(s)
		if len(page) == 0 {
			return ids, after
		}
		for _, d := range page {
			if d.Position <= after || d.Payload != nil || d.Jobs != nil {
				s.Fatalf("after %d comes %+v", after, d)
			}
			ids, after = append(ids, d.ID), d.Position
		}
	}
}

func (s *inboxSuite) wantFeed(after int64, want ...string) int64 {
	s.Helper()
	ids, last := s.readFeed(after)
	if !slices.Equal(ids, want) {
		s.Errorf("the feed has %v after %d, want %v", ids, after, want)
	}
	return last
}

func inboxFeed(s *inboxSuite) {
	s.wantFeed(0)
	one, two, three := s.delivery("z", 0), s.delivery("y", 1, pushRule), s.delivery("x", 2)
	late := s.delivery("late", 3)
	late.Source, late.Header, late.Action = "ci", map[string]string{"A": "b"}, "opened"
	s.store(three, one, two)
	at := s.wantFeed(0, "z", "y", "x")
	again := s.delivery("y", 5)
	last := s.delivery("last", 6)
	must.Get(s.CommitBatch(s.ctx, inbox.Batch{Deliveries: []inbox.Delivery{again, last}}))(s)
	s.store(late) // with a lower Seq than one that is stored
	s.wantFeed(at, "last", "late")
	s.wantFeed(0, "z", "y", "x", "last", "late")
	end, err := s.FeedEnd(s.ctx)
	page, readErr := s.ReadFeed(s.ctx, end-1, end, 10)
	if err != nil || readErr != nil || len(page) != 1 || page[0].Seq != late.Seq || page[0].Source != "ci" || page[0].Header["A"] != "b" || page[0].Action != "opened" ||
		page[0].Event != "push" || !page[0].ReceivedAt.Equal(late.ReceivedAt) {
		s.Errorf("it ends with %+v, %v, %v", page, err, readErr)
	}
	if body, err := s.ReadPayload(s.ctx, late.Seq); err != nil || string(body) != string(late.Payload) {
		s.Errorf("its payload is %q, %v", body, err)
	}
	s.prune(inbox.Retention{PayloadsBefore: monday.Add(lease), DeliveriesBefore: monday})
	s.wantFeed(0, "y") // its job is open
	if body, err := s.ReadPayload(s.ctx, late.Seq); err != nil || body != nil {
		s.Errorf("the pruned payload is %q, %v", body, err)
	}
	s.store(s.delivery("next", 100))
	s.wantFeed(end, "next")
}

func inboxFeedConcurrent(s *inboxSuite) {
	const senders, each = 6, 40
	deliveries := make([][]inbox.Delivery, senders)
	for n := range senders * each {
		deliveries[n%senders] = append(deliveries[n%senders], s.delivery(fmt.Sprint(n), n, pushRule))
	}
	var sending sync.WaitGroup
	for _, all := range deliveries {
		sending.Go(func() {
			for _, d := range all {
				if _, err := s.CommitBatch(s.ctx, inbox.Batch{Deliveries: []inbox.Delivery{d}}); err != nil {
					s.Error(err)
					return
				}
			}
		})
	}
	var got []string
	last := int64(0)
	for len(got) < senders*each && s.ctx.Err() == nil && !s.Failed() {
		var more []string
		more, last = s.readFeed(last)
		got = append(got, more...)
	}
	sending.Wait()
	slices.Sort(got)
	if len(slices.Compact(got)) != senders*each {
		s.Errorf("%d deliveries were read", len(got))
	}
}

package contract

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/must"
)

// wantList requires the ids of a list.
func (s *inboxSuite) wantList(q inbox.Query, want ...string) {
	s.Helper()
	if q.Limit == 0 {
		q.Limit = 100
	}
	page, _ := must.Get2(s.ListDeliveries(s.ctx, q))(s)
	var got []string
	for _, d := range page {
		got = append(got, d.ID)
		if d.Payload != nil {
			s.Errorf("%s is listed with its payload", d.ID)
		}
	}
	if !slices.Equal(got, want) {
		s.Errorf("%+v lists %v, want %v", q, got, want)
	}
}

func inboxList(s *inboxSuite) {
	states := map[string][]inbox.JobState{
		"a": {inbox.Delivered}, "b": {inbox.Delivered, inbox.Dead}, "c": {inbox.Dead, inbox.Open}, "d": nil, "e": {inbox.Replaced, inbox.Delivered},
		"f": {inbox.Delivered, inbox.Open, inbox.Replaced},
	}
	var middle int64
	for i, id := range []string{"a", "b", "c", "d", "e", "f"} {
		d := s.delivery(id, i, slices.Repeat([]string{pushRule}, len(states[id]))...)
		for n, state := range states[id] {
			d.Jobs[n].State = state
		}
		if id == "c" {
			d.Event, middle = "issues", d.Seq
		}
		s.store(d)
	}
	s.wantList(inbox.Query{}, "f", "e", "d", "c", "b", "a")
	s.wantList(inbox.Query{Limit: 2}, "f", "e")
	s.wantList(inbox.Query{Before: middle}, "b", "a")
	s.wantList(inbox.Query{State: "pending"}, "f")
	s.wantList(inbox.Query{State: "dead"}, "c", "b") // a dead job decides the state, not an open one
	s.wantList(inbox.Query{State: "delivered"}, "e", "a")
	s.wantList(inbox.Query{State: "unmatched"}, "d")
	s.wantList(inbox.Query{Event: "issues"}, "c")
	s.wantList(inbox.Query{Event: "issues", State: "pending"})
	s.wantList(inbox.Query{From: monday.Add(time.Second), To: monday.Add(3 * time.Second)}, "c", "b")
	s.wantList(inbox.Query{From: monday.Add(time.Hour)})
	s.wantList(inbox.Query{To: monday.Add(-time.Hour)})
	s.wantList(inbox.Query{From: monday.Add(-time.Hour), To: monday.Add(time.Hour), State: "dead", Event: "push"}, "b")
	page, next, err := s.ListDeliveries(s.ctx, inbox.Query{Limit: 5})
	if err != nil || len(page[4].Jobs) != 2 || page[4].Jobs[1].State != inbox.Dead || page[4].Jobs[0].ID >= page[4].Jobs[1].ID {
		s.Errorf("the jobs of b are listed as %+v, %v", page[4].Jobs, err)
	}
	if next != page[4].Seq {
		s.Errorf("after a full page the next one begins at %d, want %d", next, page[4].Seq)
	}
	if _, next, err := s.ListDeliveries(s.ctx, inbox.Query{Limit: 4, Before: next}); err != nil || next != 0 {
		s.Errorf("after the last page the next one begins at %d, %v; want 0", next, err)
	}
}

func inboxRedeliver(s *inboxSuite) {
	d := s.delivery("a", 0, pushRule, "*=http://127.0.0.1:8/")
	d.Jobs[0].State, d.Jobs[1].State = inbox.Dead, inbox.Delivered
	s.store(d)
	again := inbox.Job{ID: 1000, Seq: d.Seq, Rule: pushRule, OrderKey: "k", DueAt: monday, Redelivery: true, ChangedAt: monday}
	must.Do(s, s.AddRedelivery(s.ctx, d.Seq, []inbox.Job{again}))
	got := s.find("a")
	if len(got.Jobs) != 3 || got.Jobs[0].State != inbox.Replaced || got.Jobs[1].State != inbox.Delivered || !sameJob(got.Jobs[2], again) {
		s.Errorf("the jobs are %+v", got.Jobs)
	}
	if t := s.wantClaim(0, 10, "a")[0]; !t.Redelivery || t.Attempts != 1 || string(t.Payload) != string(d.Payload) {
		s.Errorf("claimed %+v", t)
	}
}

func inboxRedeliverWaiting(s *inboxSuite) {
	const other = "*=http://127.0.0.1:8/"
	d := s.delivery("a", 0, pushRule, other, pushRule)
	d.Jobs[2].Attempts, d.Jobs[2].LeaseUntil = 1, monday.Add(lease) // being sent
	s.store(d)
	again := inbox.Job{ID: 1000, Seq: d.Seq, Rule: pushRule, DueAt: monday, Redelivery: true, ChangedAt: monday}
	must.Do(s, s.AddRedelivery(s.ctx, d.Seq, []inbox.Job{again}))
	var states []inbox.JobState
	for _, job := range s.find("a").Jobs {
		states = append(states, job.State)
	}
	if !slices.Equal(states, []inbox.JobState{inbox.Replaced, inbox.Open, inbox.Open, inbox.Open}) {
		s.Errorf("the jobs are %v", states)
	}
	s.recordOutcomes(inbox.Outcome{Job: d.Jobs[0].ID, State: inbox.Dead, At: monday})
	if got := s.find("a").Jobs[0].State; got != inbox.Replaced {
		s.Errorf("the replaced job is %s, want %s", got, inbox.Replaced)
	}
}

func inboxRedeliverGone(s *inboxSuite) {
	job := inbox.Job{ID: 1000, Seq: 999, Rule: pushRule, DueAt: monday}
	must.Refuse(s, s.AddRedelivery(s.ctx, 999, []inbox.Job{job}), inbox.ErrNotFound, "an unknown delivery")
	d := s.delivery("a", 0)
	s.store(d)
	s.prune(inbox.Retention{PayloadsBefore: monday.Add(time.Second), DeliveriesBefore: monday})
	job.Seq = d.Seq
	must.Refuse(s, s.AddRedelivery(s.ctx, d.Seq, []inbox.Job{job}), inbox.ErrPayloadGone, "a delivery without a payload")
	if got := s.find("a"); len(got.Jobs) != 0 {
		s.Errorf("it has jobs: %+v", got.Jobs)
	}
}

// prune prunes until nothing is left to prune.
func (s *inboxSuite) prune(p inbox.Retention) {
	s.Helper()
	for range 100 {
		next, more := must.Get2(s.PruneDeliveries(s.ctx, p))(s)
		if p = next; !more {
			return
		}
	}
	s.Fatal("pruning does not end")
}

// pruneTo prunes all but the newest finished deliveries.
func (s *inboxSuite) pruneTo(most int) {
	s.Helper()
	seq := must.Get(s.FindExcess(s.ctx, most))(s)
	s.prune(inbox.Retention{UpTo: seq})
}

func inboxPrune(s *inboxSuite) {
	at := func(n int) time.Time { return monday.Add(time.Duration(n) * time.Second) }
	open, ended := s.delivery("open", 0, pushRule), s.delivery("ended", 1, pushRule)
	ended.Jobs[0].State = inbox.Dead
	s.store(open, ended, s.delivery("newer", 20))
	s.prune(inbox.Retention{PayloadsBefore: at(10), DeliveriesBefore: at(0)})
	if s.find("open").Payload == nil || s.find("newer").Payload == nil || s.find("ended").Payload != nil {
		s.Error("the payload of a newer or open delivery was pruned")
	}
	if fresh, err := s.CommitBatch(s.ctx, inbox.Batch{Deliveries: []inbox.Delivery{s.delivery("ended", 30, pushRule)}}); err != nil || fresh[0] {
		s.Errorf("a duplicate of a delivery without a payload is stored: %v, %v", fresh, err)
	}
	s.prune(inbox.Retention{PayloadsBefore: at(15), DeliveriesBefore: at(15)})
	s.wantList(inbox.Query{}, "newer", "open")
	s.store(s.delivery("ended", 40))
}

func inboxCapacity(s *inboxSuite) {
	var all []inbox.Delivery
	for i := range 450 {
		all = append(all, s.delivery(fmt.Sprint(i), i))
	}
	all[0].Jobs = []inbox.Job{{ID: 1, Seq: all[0].Seq, Rule: pushRule, DueAt: monday}}
	s.store(all...)
	s.pruneTo(3)
	s.wantList(inbox.Query{}, "449", "448", "447", "0")
	if s.find("0").Payload == nil {
		s.Error("the delivery with an open job was pruned")
	}
	s.pruneTo(3)
	s.wantList(inbox.Query{}, "449", "448", "447", "0")
	s.recordOutcomes(done(s.wantClaim(500, 1, "0")[0], inbox.Delivered))
	s.pruneTo(3)
	s.wantList(inbox.Query{}, "449", "448", "447")
}

// inboxKeepingTimes lets deliveries pass for a while, one in twenty of them unsent, with
// payloads kept for 300 seconds and deliveries for 900.
func inboxKeepingTimes(s *inboxSuite) {
	const each, bodies, ids, all = 10, 300, 900, 200
	unsent := func(n int) bool { return n%20 == 0 }
	for n := range all {
		d := s.delivery(fmt.Sprint(n), n*each)
		if unsent(n) {
			d.Jobs = []inbox.Job{{ID: d.Seq + 1, Seq: d.Seq, Rule: pushRule, DueAt: d.ReceivedAt, ChangedAt: d.ReceivedAt}}
		}
		s.store(d)
		if n%5 == 4 {
			at := func(before int) time.Time { return d.ReceivedAt.Add(-time.Duration(before) * time.Second) }
			s.prune(inbox.Retention{PayloadsBefore: at(bodies), DeliveriesBefore: at(ids), AttemptsBefore: at(ids), MaxAttempts: all, Now: d.ReceivedAt})
		}
	}
	for n := range all {
		age, id := (all-1-n)*each, fmt.Sprint(n)
		d, err := s.FindDelivery(s.ctx, "", id)
		switch {
		case age > ids && !unsent(n):
			if !errors.Is(err, inbox.ErrNotFound) {
				s.Errorf("%s is found after %d s: %v, want %v", id, age, err, inbox.ErrNotFound)
			}
		case err != nil || (d.Payload == nil) != (age > bodies && !unsent(n)):
			s.Errorf("after %d s %s has the payload %q, %v", age, id, d.Payload, err)
		default:
			if fresh, err := s.CommitBatch(s.ctx, inbox.Batch{Deliveries: []inbox.Delivery{s.delivery(id, all*each)}}); err != nil || fresh[0] {
				s.Errorf("after %d s %s is stored again: %v", age, id, err)
			}
		}
	}
	for _, t := range s.claim(all*each, all) {
		if string(t.Payload) != `{"id":"`+t.DeliveryID+`"}` {
			s.Errorf("the unsent %s has the payload %q", t.DeliveryID, t.Payload)
		}
		s.recordOutcomes(done(t, inbox.Delivered))
	}
	later := monday.Add(2 * all * each * time.Second)
	s.prune(inbox.Retention{PayloadsBefore: later, DeliveriesBefore: later, Now: later})
	s.wantList(inbox.Query{})
}

func inboxStats(s *inboxSuite) {
	stats := func() inbox.Stats { return must.Get(s.CountJobs(s.ctx))(s) }
	if got := stats(); got != (inbox.Stats{}) {
		s.Errorf("empty: %+v", got)
	}
	dead, older := s.delivery("dead", 0, pushRule), s.delivery("older", 3, pushRule)
	dead.Jobs[0].State = inbox.Dead
	s.store(dead, older, s.delivery("newer", 5, pushRule, "*=http://127.0.0.1:8/"))
	if got := stats(); got.Open != 3 || got.Dead != 1 || !got.Oldest.Equal(older.ReceivedAt) {
		s.Errorf("got %+v", got)
	}
}

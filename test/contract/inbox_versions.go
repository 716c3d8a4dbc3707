package contract

import (
	"slices"
	"sync"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/must"
)

// version makes the n-th delivery of source ci with the id a.
func (s *inboxSuite) version(n int, body string) inbox.Delivery {
	d := s.delivery("a", n)
	d.Source, d.Header, d.Payload = "ci", map[string]string{"A": "b"}, []byte(body)
	if n > 1 {
		d.ID, d.Original, d.Conflict = "a~"+string(rune('0'+n)), "a", n == 2
	}
	return d
}

func inboxVersions(s *inboxSuite) {
	other := s.delivery("a", 0)
	s.store(other, s.version(1, "one"), s.version(2, "two"), s.version(3, "one"))
	for name, want := range map[string]string{"a": "a~3", "a~1": "a", "a~2": "a~2", "a~3": "a~3"} {
		if d, err := s.FindDelivery(s.ctx, "ci", name); err != nil || d.ID != want || d.Source != "ci" || d.SenderID() != "a" || d.Conflict != (want == "a~2") {
			s.Errorf("%s finds %+v, %v; want %s", name, d, err, want)
		}
	}
	for name, want := range map[string][]string{"a": {"a~2", "a~1"}, "a~1": {"a~3", "a~2"}, "a~2": {"a~3", "a~1"}} {
		if d, err := s.FindDelivery(s.ctx, "ci", name); err != nil || !slices.Equal(d.Others, want) {
			s.Errorf("the others of %s are %v, %v; want %v", name, d.Others, err, want)
		}
	}
	if d, err := s.FindDelivery(s.ctx, inbox.DefaultSource, "a"); err != nil || d.Seq != other.Seq || d.Others != nil {
		s.Errorf("of another source: %+v, %v", d, err)
	}
	if d, err := s.FindDelivery(s.ctx, "", "a"); err != nil || d.ID != "a~3" {
		s.Errorf("of all sources: %+v, %v", d, err)
	}
	found, err := s.FindVersions(s.ctx, "ci", "a", 2)
	if err != nil || len(found) != 2 || string(found[0].Payload) != "one" || string(found[1].Payload) != "two" || found[1].ID != "a~2" {
		s.Errorf("the newest two are %+v, %v", found, err)
	}
	if found, err := s.FindVersions(s.ctx, "ci", "b", 2); err != nil || len(found) != 0 {
		s.Errorf("of another id: %+v, %v", found, err)
	}
	fresh, err := s.CommitBatch(s.ctx, inbox.Batch{Deliveries: []inbox.Delivery{s.version(2, "again")}, Replays: []inbox.Replay{{}}})
	if err != nil || fresh[0] {
		s.Errorf("a version twice: %v, %v", fresh, err)
	}
}

// inboxRepeat adds jobs only to a delivery that is dead or unmatched, and only by rules that have
// not accepted it.
func inboxRepeat(s *inboxSuite) {
	const accepted, waiting = "issues=http://127.0.0.1:8/", "*=http://127.0.0.1:8/"
	job := func(id int64, seq int64, rule string) inbox.Job {
		return inbox.Job{ID: id, Seq: seq, Rule: rule, DueAt: monday, Redelivery: true, ChangedAt: monday}
	}
	dead := s.delivery("dead", 0, pushRule, accepted, waiting)
	dead.Jobs[0].State, dead.Jobs[1].State = inbox.Dead, inbox.Delivered
	done, unmatched := s.delivery("done", 0, pushRule), s.delivery("unmatched", 0)
	done.Jobs[0].State = inbox.Delivered
	s.store(dead, done, unmatched)

	repeat := func(d inbox.Delivery, jobs ...inbox.Job) []inbox.Job {
		s.Helper()
		return must.Get(s.AddRepeat(s.ctx, d.Seq, jobs))(s)
	}
	if added := repeat(dead, job(1000, dead.Seq, pushRule), job(1001, dead.Seq, accepted), job(1002, dead.Seq, waiting)); len(added) != 1 || added[0].ID != 1000 {
		s.Errorf("added %+v", added)
	}
	if jobs := s.find("dead").Jobs; len(jobs) != 4 || jobs[0].State != inbox.Replaced || jobs[1].State != inbox.Delivered || !sameJob(jobs[3], job(1000, dead.Seq, pushRule)) {
		s.Errorf("the jobs are %+v", jobs)
	}
	if added := append(repeat(dead, job(1003, dead.Seq, pushRule)), repeat(done, job(1004, done.Seq, waiting))...); len(added) != 0 {
		s.Errorf("what waits, or was accepted, is sent again: %+v", added)
	}
	must.Refuse(s, must.Err(s.AddRepeat(s.ctx, 999, nil)), inbox.ErrNotFound, "an unknown delivery")
	var wait sync.WaitGroup
	added := make([]int, 8)
	for n := range added {
		wait.Go(func() {
			jobs, err := s.AddRepeat(s.ctx, unmatched.Seq, []inbox.Job{job(int64(2000+n), unmatched.Seq, pushRule)})
			if err != nil {
				s.Error(err)
			}
			added[n] = len(jobs)
		})
	}
	wait.Wait()
	s.wantList(inbox.Query{State: inbox.Unmatched})
	if jobs := s.find("unmatched").Jobs; len(jobs) != 1 || slices.Max(added) != 1 {
		s.Errorf("concurrent repeats added %v: %+v", added, jobs)
	}
	gone := s.delivery("gone", 0)
	s.store(gone)
	s.prune(inbox.Retention{PayloadsBefore: monday.Add(time.Second), DeliveriesBefore: monday})
	must.Refuse(s, must.Err(s.AddRepeat(s.ctx, gone.Seq, []inbox.Job{job(3000, gone.Seq, pushRule)})), inbox.ErrPayloadGone, "without a payload")
}

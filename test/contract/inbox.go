package contract

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/test/must"
)

// InboxStore is the storage port of the inbox.
type InboxStore = inbox.Store

// Inbox checks the promises of inbox.Store. open returns an empty store.
func Inbox(t *testing.T, open func(t *testing.T) InboxStore) {
	for name, test := range map[string]func(*inboxSuite){
		"a delivery is read back unchanged":                                  inboxRoundTrip,
		"a delivery with a known id is not stored, nor are its jobs":         inboxDuplicate,
		"the same id from two sources is two deliveries":                     inboxSources,
		"a delivery with an unexpired hash is not stored":                    inboxReplay,
		"due jobs are claimed once, the longest due first":                   inboxClaim,
		"the rules with due jobs are found":                                  inboxDueRules,
		"the next time at which a job is due is found":                       inboxNextDue,
		"changes of jobs, leases and pauses wake":                            inboxWakes,
		"a job is claimed again when its lease ends":                         inboxLease,
		"an outcome of an earlier attempt changes nothing":                   inboxFence,
		"an outcome sets the time of the retry":                              inboxRetry,
		"a job returned unsent does not count the attempt":                   inboxReturned,
		"an attempt is stored with its outcome":                              inboxAttempts,
		"an attempt of a worker that lost its lease is stored once":          inboxAttemptStale,
		"a job keeps its last attempts":                                      inboxAttemptsBounded,
		"a delivery keeps the last attempts of its redeliveries":             inboxAttemptsOfRedeliveries,
		"attempts are pruned by age, by number and with their delivery":      inboxAttemptsPruned,
		"jobs with the same order key are claimed one after another":         inboxOrder,
		"requeueing makes waiting jobs due":                                  inboxRequeue,
		"jobs without a rule become dead, unless they are leased":            inboxDeadLetter,
		"lists are filtered and newest first":                                inboxList,
		"deliveries are counted by state in steps of time":                   inboxCounts,
		"a redelivery adds jobs and replaces dead ones":                      inboxRedeliver,
		"a redelivery replaces waiting jobs, but not jobs that are sent now": inboxRedeliverWaiting,
		"an unknown or pruned delivery cannot be redelivered":                inboxRedeliverGone,
		"another body under a known id is a delivery beside it":              inboxVersions,
		"a repeat is sent again only if it is dead or no rule took it":       inboxRepeat,
		"rules are read back as they were saved last":                        inboxRules,
		"of concurrent saves of rules one wins entirely":                     inboxRuleSavers,
		"a rule is paused until it is resumed":                               inboxPause,
		"reports of attempts add up":                                         inboxReports,
		"a rule fails since the first failure that no answer has followed":   inboxFailing,
		"the state of a rule counts its open and dead jobs":                  inboxRuleJobs,
		"concurrent reports of attempts all count":                           inboxReporters,
		"the state of a removed rule is deleted after a while":               inboxStatesOfGoneRules,
		"a rule is in trouble until operators know that it works":            inboxTroubled,
		"the newest dead delivery of a rule is found":                        inboxFindDead,
		"of concurrent alerts about a rule one is raised":                    inboxAlertsOnce,
		"the alerts of a channel are claimed one after another":              inboxAlertOrder,
		"pruning keeps ids longer than payloads, and open jobs always":       inboxPrune,
		"beyond the maximum the oldest deliveries are pruned":                inboxCapacity,
		"payloads and deliveries are each kept for their own time":           inboxKeepingTimes,
		"the statistics count open and dead jobs":                            inboxStats,
		"the feed has every delivery once, in the order of storing":          inboxFeed,
		"a reader of the feed misses no delivery of concurrent senders":      inboxFeedConcurrent,
		"concurrent claims never return the same job":                        inboxClaimers,
		"of concurrent deliveries with one id one is stored":                 inboxSenders,
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
			defer cancel()
			test(&inboxSuite{T: t, InboxStore: open(t), ctx: ctx})
		})
	}
}

const pushRule = "push=http://127.0.0.1:9/"

// inboxSuite is a test with its store.
type inboxSuite struct {
	*testing.T
	InboxStore
	ctx  context.Context //nolint:containedctx // it lives as long as the test
	last int64
}

// delivery makes a delivery with a job for each rule, received n seconds after monday.
func (s *inboxSuite) delivery(id string, n int, rules ...string) inbox.Delivery {
	s.last += 10
	at := monday.Add(time.Duration(n) * time.Second)
	d := inbox.Delivery{Seq: s.last, Source: inbox.DefaultSource, ID: id, Event: "push", Action: "", ReceivedAt: at, Payload: []byte(`{"id":"` + id + `"}`)}
	for i, rule := range rules {
		d.Jobs = append(d.Jobs, inbox.Job{ID: s.last + int64(i) + 1, Seq: s.last, Rule: rule, DueAt: at, ChangedAt: at})
	}
	return d
}

// store stores deliveries and requires all to be fresh.
func (s *inboxSuite) store(all ...inbox.Delivery) {
	s.Helper()
	fresh, err := s.CommitBatch(s.ctx, inbox.Batch{Deliveries: all})
	if err != nil || len(fresh) != len(all) || slices.Contains(fresh, false) {
		s.Fatalf("stored %v, %v", fresh, err)
	}
}

func (s *inboxSuite) recordOutcomes(outcomes ...inbox.Outcome) {
	s.Helper()
	must.Get(s.CommitBatch(s.ctx, inbox.Batch{Outcomes: outcomes}))(s)
}

// claim claims up to limit jobs of the push rule, n seconds after monday.
func (s *inboxSuite) claim(n, limit int) []inbox.Task {
	s.Helper()
	now := monday.Add(time.Duration(n) * time.Second)
	return must.Get(s.ClaimJobs(s.ctx, inbox.Claim{Rule: pushRule, Now: now, LeaseUntil: now.Add(lease), Limit: limit}))(s)
}

// wantClaim requires the ids of the claimed deliveries.
func (s *inboxSuite) wantClaim(n, limit int, want ...string) []inbox.Task {
	s.Helper()
	tasks := s.claim(n, limit)
	var got []string
	for _, t := range tasks {
		got = append(got, t.DeliveryID)
	}
	if !slices.Equal(got, want) {
		s.Fatalf("claimed %v after %d s, want %v", got, n, want)
	}
	return tasks
}

func (s *inboxSuite) find(id string) inbox.Delivery {
	s.Helper()
	d, err := s.FindDelivery(s.ctx, "", id)
	if err != nil {
		s.Fatalf("find %s: %v", id, err)
	}
	return d
}

// done is the outcome of an attempt.
func done(t inbox.Task, state inbox.JobState) inbox.Outcome {
	return inbox.Outcome{Job: t.ID, Attempts: t.Attempts, State: state, Status: 200, At: t.DueAt.Add(time.Second)}
}

func inboxRoundTrip(s *inboxSuite) {
	d := s.delivery("a", 0, pushRule, "*=http://127.0.0.1:8/")
	d.Action, d.Payload = "opened", []byte("{\"raw\": \"\xff\\u00e9\", \"n\": 1.0}")
	d.Source, d.Header = "ci", map[string]string{"Content-Type": "application/json; x=\"é\"", "X-Github-Event": "push"}
	d.Jobs[0].OrderKey, d.Jobs[0].Attempts, d.Jobs[0].LeaseUntil = "7", 1, monday.Add(lease)
	s.store(d)
	got := s.find("a")
	if got.Seq != d.Seq || got.Source != "ci" || !maps.Equal(got.Header, d.Header) || got.Event != d.Event || got.Action != "opened" || !got.ReceivedAt.Equal(d.ReceivedAt) || string(got.Payload) != string(d.Payload) {
		s.Errorf("got %+v", got)
	}
	if !slices.EqualFunc(got.Jobs, d.Jobs, sameJob) {
		s.Errorf("jobs are %+v, want %+v", got.Jobs, d.Jobs)
	}
	plain := s.delivery("plain", 0)
	s.store(plain)
	if got := s.find("plain"); got.Source != inbox.DefaultSource || got.Header != nil {
		s.Errorf("without a header: %+v", got)
	}
	must.Refuse(s, must.Err(s.FindDelivery(s.ctx, "", "b")), inbox.ErrNotFound, "a missing one")
}

func sameJob(a, b inbox.Job) bool {
	timesEqual := a.DueAt.Equal(b.DueAt) && a.LeaseUntil.Equal(b.LeaseUntil) && a.ChangedAt.Equal(b.ChangedAt)
	a.DueAt, a.LeaseUntil, a.ChangedAt = b.DueAt, b.LeaseUntil, b.ChangedAt
	return timesEqual && a == b
}

func inboxDuplicate(s *inboxSuite) {
	first := s.delivery("a", 0, pushRule)
	s.store(first)
	again, other := s.delivery("a", 1, pushRule), s.delivery("b", 1, pushRule)
	twice := s.delivery("b", 2, pushRule)
	fresh, err := s.CommitBatch(s.ctx, inbox.Batch{Deliveries: []inbox.Delivery{again, other, twice}})
	if err != nil || fresh[0] || fresh[1] == fresh[2] {
		s.Fatalf("fresh is %v, %v", fresh, err)
	}
	if got := s.find("a"); got.Seq != first.Seq || len(got.Jobs) != 1 {
		s.Errorf("the first became %+v", got)
	}
	if got := s.claim(10, 10); len(got) != 2 {
		s.Errorf("%d jobs, want 2", len(got))
	}
}

func inboxReplay(s *inboxSuite) {
	commit := func(id string, n int, hash byte) bool {
		s.Helper()
		d := s.delivery(id, n, pushRule)
		fresh := must.Get(s.CommitBatch(s.ctx, inbox.Batch{
			Deliveries: []inbox.Delivery{d},
			Replays:    []inbox.Replay{{Hash: [32]byte{hash}, Until: d.ReceivedAt.Add(10 * time.Second)}},
		}))(s)
		return fresh[0]
	}
	got := []bool{commit("a", 0, 1), commit("b", 1, 1), commit("c", 2, 2), commit("d", 9, 1), commit("e", 10, 1), commit("f", 11, 1)}
	if want := []bool{true, false, true, false, true, false}; !slices.Equal(got, want) {
		s.Errorf("fresh is %v, want %v", got, want)
	}
}

func inboxClaim(s *inboxSuite) {
	s.store(s.delivery("late", 5, pushRule), s.delivery("first", 1, pushRule), s.delivery("second", 2, pushRule, "*=http://127.0.0.1:8/"))
	s.wantClaim(0, 10)
	tasks := s.wantClaim(5, 2, "first", "second")
	if t := tasks[0]; t.Attempts != 1 || t.Event != "push" || string(t.Payload) != `{"id":"first"}` || !t.LeaseUntil.Equal(monday.Add(5*time.Second+lease)) {
		s.Errorf("claimed %+v", t)
	}
	s.wantClaim(5, 10, "late")
	s.wantClaim(5, 10)
}

func inboxLease(s *inboxSuite) {
	held := s.delivery("held", 0, pushRule)
	held.Jobs[0].Attempts, held.Jobs[0].LeaseUntil = 1, monday.Add(lease)
	s.store(held)
	s.wantClaim(59, 10)
	if t := s.wantClaim(60, 10, "held")[0]; t.Attempts != 2 {
		s.Errorf("%d attempts, want 2", t.Attempts)
	}
	s.wantClaim(119, 10)
	s.wantClaim(120, 10, "held")
}

func inboxFence(s *inboxSuite) {
	s.store(s.delivery("a", 0, pushRule))
	slow := s.wantClaim(0, 1, "a")[0]
	quick := s.wantClaim(60, 1, "a")[0]
	s.recordOutcomes(done(slow, inbox.Dead))
	if got := s.find("a").Jobs[0]; got.State != inbox.Open || got.Attempts != 2 {
		s.Errorf("the outcome of the earlier attempt made it %+v", got)
	}
	s.recordOutcomes(done(quick, inbox.Delivered))
	s.recordOutcomes(done(quick, inbox.Dead))
	if got := s.find("a").Jobs[0]; got.State != inbox.Delivered || got.Status != 200 || !got.LeaseUntil.IsZero() {
		s.Errorf("it ended as %+v", got)
	}
	s.wantClaim(1000, 10)
}

func inboxRetry(s *inboxSuite) {
	s.store(s.delivery("a", 0, pushRule))
	t := s.wantClaim(0, 1, "a")[0]
	s.recordOutcomes(inbox.Outcome{Job: t.ID, Attempts: t.Attempts, State: inbox.Open, DueAt: monday.Add(9 * time.Second), Status: 503, Error: "answered 503", At: monday.Add(time.Second)})
	got := s.find("a").Jobs[0]
	if got.State != inbox.Open || got.Attempts != 1 || got.Status != 503 || got.Error != "answered 503" || !got.ChangedAt.Equal(monday.Add(time.Second)) {
		s.Errorf("it is %+v", got)
	}
	s.wantClaim(8, 10)
	s.wantClaim(9, 10, "a")
}

func inboxReturned(s *inboxSuite) {
	s.store(s.delivery("a", 0, pushRule))
	t := s.wantClaim(0, 1, "a")[0]
	s.recordOutcomes(inbox.Outcome{Job: t.ID, Attempts: t.Attempts, State: inbox.Open, DueAt: monday, Returned: true, At: monday})
	if again := s.wantClaim(0, 1, "a")[0]; again.Attempts != 1 {
		s.Errorf("%d attempts, want 1", again.Attempts)
	}
}

func inboxOrder(s *inboxSuite) {
	for i, key := range []string{"x", "x", "y", ""} {
		d := s.delivery(fmt.Sprint(key, i), 0, pushRule)
		d.Jobs[0].OrderKey = key
		s.store(d)
	}
	other := s.delivery("other", 0, "*=http://127.0.0.1:8/")
	other.Jobs[0].OrderKey, other.Jobs[0].ID = "x", 1 // older, but of another rule
	s.store(other)
	tasks := s.wantClaim(0, 10, "x0", "y2", "3")
	s.wantClaim(0, 10)
	s.recordOutcomes(inbox.Outcome{Job: tasks[0].ID, Attempts: 1, State: inbox.Open, DueAt: monday.Add(30 * time.Second), At: monday})
	s.wantClaim(10, 10) // the next job of the key waits too
	again := s.wantClaim(30, 10, "x0")[0]
	s.recordOutcomes(done(again, inbox.Dead))
	s.wantClaim(30, 10, "x1")
}

func inboxRequeue(s *inboxSuite) {
	later := s.delivery("later", 0, pushRule)
	later.Jobs[0].DueAt = monday.Add(time.Hour)
	gone := s.delivery("gone", 0, pushRule)
	gone.Jobs[0].State, gone.Jobs[0].DueAt = inbox.Delivered, monday.Add(time.Hour)
	s.store(later, gone)
	s.wantClaim(5, 10)
	must.Do(s, s.RequeueJobs(s.ctx, monday.Add(5*time.Second)))
	s.wantClaim(5, 10, "later")
}

// InboxRestart checks what inbox.Store promises about a killed process: its
// leased jobs are due at once after a restart. open returns the store of the first
// process, a function that ends that process, and one that opens the same data for
// the next process.
func InboxRestart(t *testing.T, open func(t *testing.T) (first InboxStore, kill func(), next func() InboxStore)) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	first, kill, next := open(t)
	s := &inboxSuite{T: t, InboxStore: first, ctx: ctx}
	held := s.delivery("held", 0, pushRule) // leased as it was stored
	held.Jobs[0].Attempts, held.Jobs[0].LeaseUntil = 1, monday.Add(lease)
	s.store(s.delivery("claimed", 0, pushRule))
	s.wantClaim(0, 10, "claimed")
	s.store(held)
	s.wantClaim(1, 10)
	kill()
	s.InboxStore = next()
	must.Do(t, s.RequeueJobs(ctx, monday.Add(time.Second)))
	for _, task := range s.wantClaim(1, 10, "held", "claimed") {
		if task.Attempts != 2 {
			t.Errorf("%s has %d attempts, want 2", task.DeliveryID, task.Attempts)
		}
	}
}

// InboxReplicas checks what inbox.Store promises to processes that share a store:
// the jobs that one has leased become available once it is killed, and not before.
func InboxReplicas(t *testing.T, one, other InboxStore, kill func()) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	s := &inboxSuite{T: t, InboxStore: one, ctx: ctx}
	s.store(s.delivery("a", 0, pushRule), s.delivery("b", 0, pushRule))
	s.wantClaim(0, 1, "a")
	s.InboxStore = other
	s.wantClaim(0, 10, "b")
	reclaim := func() int {
		t.Helper()
		n, _ := must.Get2(s.ReclaimLeases(ctx))(t)
		return n
	}
	must.Do(t, s.RequeueJobs(ctx, monday))
	if n := reclaim(); n != 0 {
		t.Errorf("%d leases of live processes were reclaimed, want 0", n)
	}
	s.wantClaim(1, 10)
	kill()
	for reclaimed := 0; reclaimed == 0 && ctx.Err() == nil; reclaimed = reclaim() { // the store may notice the end later
	}
	s.wantClaim(1, 10, "a")
}

func inboxDeadLetter(s *inboxSuite) {
	held := s.delivery("held", 0, "*=http://127.0.0.1:7/")
	held.Jobs[0].LeaseUntil = monday.Add(lease)
	s.store(s.delivery("kept", 0, pushRule), s.delivery("lost", 0, "*=http://127.0.0.1:8/"), held)
	n, err := s.DeadLetterJobs(s.ctx, []string{pushRule, "issues=http://127.0.0.1:9/"}, "no rule", monday.Add(time.Second))
	if err != nil || n != 1 {
		s.Fatalf("dead-lettered %d, %v; want 1", n, err)
	}
	if got := s.find("lost").Jobs[0]; got.State != inbox.Dead || got.Error != "no rule" || !got.ChangedAt.Equal(monday.Add(time.Second)) {
		s.Errorf("lost is %+v", got)
	}
	if n, err := s.DeadLetterJobs(s.ctx, nil, "no rule", monday.Add(2*lease)); err != nil || n != 2 {
		s.Errorf("without any rule: %d, %v; want 2", n, err)
	}
}

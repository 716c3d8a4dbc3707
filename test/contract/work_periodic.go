package contract

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/test/must"
)

// scheduled schedules periodic work and claims it.
func scheduled(t *testing.T, q WorkBackend) job.Job {
	t.Helper()
	for id := range int64(2) {
		all := []job.Job{
			{ID: 2*id + 1, Kind: sweepKind, DueAt: monday, Periodic: true}, {ID: 2*id + 2, Kind: oddKind, DueAt: monday, Periodic: true},
		}
		must.Do(t, q.Schedule(t.Context(), monday, all))
	}
	j, found, err := q.Claim(t.Context(), sweepKind, monday, monday.Add(lease))
	if must.Do(t, err); !found || !j.Running || j.Attempts != 1 || !j.DueAt.Equal(monday.Add(lease)) {
		t.Fatalf("claimed %v %+v", found, j)
	}
	return j
}

func mustNotClaim(t *testing.T, q WorkBackend, now time.Time) {
	t.Helper()
	if j, found, err := q.Claim(t.Context(), sweepKind, now, now.Add(lease)); found || err != nil {
		t.Errorf("claimed %+v, %v", j, err)
	}
}

func periodicWorkIsClaimedOnce(t *testing.T, q WorkBackend) {
	j := scheduled(t, q)
	mustNotClaim(t, q, monday)
	if all := listJobs(t, q); len(all) != 2 {
		t.Errorf("there are %+v", all)
	}
	if _, found, err := q.Claim(t.Context(), oddKind, monday, monday.Add(lease)); !found || err != nil {
		t.Errorf("the other kind: %v, %v", found, err)
	}
	if _, found, err := q.Claim(t.Context(), "unknown", monday, monday.Add(lease)); found || err != nil {
		t.Errorf("a kind that nobody has scheduled: %v, %v", found, err)
	}
	must.Do(t, q.Settle(t.Context(), j, j.Succeed(time.Hour, monday)))
	mustNotClaim(t, q, monday.Add(time.Hour-1))
	again, found, err := q.Claim(t.Context(), sweepKind, monday.Add(time.Hour), monday.Add(2*time.Hour))
	if !found || err != nil || again.Attempts != 1 || again.ID != j.ID {
		t.Errorf("an hour later: %+v, %v, %v", again, found, err)
	}
}

func lostLeasesComeBack(t *testing.T, q WorkBackend) {
	j := scheduled(t, q)
	must.Do(t, q.Renew(t.Context(), j, monday.Add(2*lease)))
	mustNotClaim(t, q, monday.Add(2*lease-1))
	again, found, err := q.Claim(t.Context(), sweepKind, monday.Add(2*lease), monday.Add(3*lease))
	if !found || err != nil || again.Attempts != 2 {
		t.Errorf("claimed %+v, %v, %v", again, found, err)
	}
}

func lostLeasesCannotSettle(t *testing.T, q WorkBackend) {
	j := scheduled(t, q)
	again, _ := must.Get2(q.Claim(t.Context(), sweepKind, monday.Add(lease), monday.Add(2*lease)))(t)
	refused(t, q.Settle(t.Context(), j, j.Succeed(time.Hour, monday)), job.ErrLost)
	refused(t, q.Renew(t.Context(), j, monday.Add(time.Hour)), job.ErrLost)
	failed := again.Fail("broken", time.Hour, monday)
	must.Do(t, q.Settle(t.Context(), again, failed))
	if all := listJobs(t, q); len(all) != 2 || all[0] != failed {
		t.Errorf("there is %+v, want %+v", all, failed)
	}
	refused(t, q.Settle(t.Context(), again, failed), job.ErrLost)
}

func startsMakeDue(t *testing.T, q WorkBackend) {
	j := scheduled(t, q)
	must.Do(t, q.Settle(t.Context(), j, j.Succeed(time.Hour, monday)))
	must.Do(t, q.Schedule(t.Context(), monday.Add(time.Minute), []job.Job{{ID: 9, Kind: sweepKind, Periodic: true}}))
	j, found, err := q.Claim(t.Context(), sweepKind, monday.Add(time.Minute), monday.Add(time.Hour))
	if !found || err != nil || j.ID != 1 {
		t.Errorf("after a start: %+v, %v, %v", j, found, err)
	}
}

package e2e_test

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
)

// withStandby is two replicas on a primary with a standby that may be five seconds behind.
type withStandby struct {
	*e2e.Fleet
	standby *servers.PostgresServer
	ada     e2e.Client // signed in
	anyone  e2e.Client
}

// The subtests share the servers, and each leaves the standby in use for the next.
func TestNobodyNoticesAStandby(t *testing.T) {
	t.Parallel()
	primary := servers.Postgres(t)
	s := &withStandby{standby: primary.Standby()}
	s.Fleet = e2e.StartFleet(t, 2, []string{"DATABASE_URL=" + primary.URL, "DATABASE_READ_URL=" + s.standby.URL, "READ_MAX_LAG=5s"})
	s.ada, s.anyone = s.Student("ada@u.rochester.edu", "Ada"), e2e.Client{URL: s.URL}
	s.ada.URL = s.Replicas[0].URL
	s.awaitReadsOn(t, "standby", 1)

	t.Run("the doctor describes it", s.doctorIsContent)
	t.Run("whoever writes sees it at once, on every replica", s.writersSeeTheirWrites)
	t.Run("nobody sees a standby that lags for long", s.laggingIsNotUsed)
	t.Run("no read fails when it hangs or dies", s.noReadFails)
	t.Run("the program starts and stops without it", s.startsAndStopsWithoutIt)
	t.Run("a promoted one is not used", s.promotedIsNotUsed)
}

var standbyReads = regexp.MustCompile(`octavo_standby_reads_total\{server="(\w+)"\} (\d+)`)

// readsOn returns how many reads of all replicas the standby or the primary has served.
func (s *withStandby) readsOn(t *testing.T, server string) (n int) {
	t.Helper()
	for _, r := range s.Replicas {
		for _, found := range standbyReads.FindAllStringSubmatch(scrape(t, r.URL), -1) {
			if found[1] == server {
				count, _ := strconv.Atoi(found[2])
				n += count
			}
		}
	}
	return n
}

// awaitReadsOn reads until each replica has read from a server again, n times in all.
func (s *withStandby) awaitReadsOn(t *testing.T, server string, n int) {
	t.Helper()
	before := s.readsOn(t, server)
	if !poll.Until(func() bool { s.titles(t, s.anyone); return s.readsOn(t, server) >= before+n }) {
		t.Fatalf("the %s does not serve reads:\n%s", server, s.Log())
	}
}

// titles returns the first page of books as text.
func (s *withStandby) titles(t *testing.T, c e2e.Client) string {
	t.Helper()
	return string(c.Must(t, http.StatusOK, "GET", "/api/books/getBooksNoToken/100/0", nil).Body)
}

func (s *withStandby) doctorIsContent(t *testing.T) {
	out, code := s.Octavo("doctor")
	if code != 0 || !strings.Contains(out, "in recovery, of the same cluster as the primary") {
		t.Errorf("the doctor ends with %d: %s", code, out)
	}
}

// writersSeeTheirWrites stops the replay, posts a book and reads until the standby has served
// somebody else the list without it. On a slow machine it may be out of use before that.
func (s *withStandby) writersSeeTheirWrites(t *testing.T) {
	other := e2e.Client{URL: s.Replicas[1].URL, Token: s.ada.Token}
	for attempt := range 20 {
		title := "Algebra " + strconv.Itoa(attempt)
		s.standby.Exec("SELECT pg_wal_replay_pause()")
		s.standby.Exec("DO $$ BEGIN WHILE pg_get_wal_replay_pause_state() <> 'paused' LOOP PERFORM pg_sleep(0.01); END LOOP; END $$")
		s.ada.Post(t, title, "MTH 100")
		if home := other.Must(t, http.StatusOK, "GET", "/", nil); !strings.Contains(string(home.Body), title) {
			t.Errorf("the seller does not see %s on another replica", title)
		}
		before := s.readsOn(t, "standby")
		list := s.titles(t, s.anyone)
		stale := s.readsOn(t, "standby") > before
		s.standby.Exec("SELECT pg_wal_replay_resume()")
		if stale && strings.Contains(list, title) {
			t.Errorf("%s is on the standby before it was replayed", title)
		}
		s.awaitReadsOn(t, "standby", 1)
		if stale {
			return
		}
	}
	t.Error("the standby has served no read in 20 attempts")
}

func (s *withStandby) laggingIsNotUsed(t *testing.T) {
	s.standby.Exec("SELECT pg_wal_replay_pause()")
	s.ada.Post(t, "Late Mathematics", "MTH 200")
	if !poll.Until(func() bool { return strings.Contains(s.titles(t, s.anyone), "Late Mathematics") }) {
		t.Fatalf("the book is not shown while the standby is paused:\n%s", s.Log())
	}
	s.awaitReadsOn(t, "primary", 5)
	s.standby.Exec("SELECT pg_wal_replay_resume()")
	s.awaitReadsOn(t, "standby", 5)
}

func (s *withStandby) noReadFails(t *testing.T) {
	stop := s.keepReading(t)
	thaw := s.standby.Freeze()
	s.awaitReadsOn(t, "primary", 10)
	if a := (e2e.Client{URL: s.Replicas[0].URL}).Must(t, http.StatusOK, "GET", "/readyz", nil); strings.Contains(string(a.Body), "standby") {
		t.Errorf("the standby makes a replica not ready: %s", a.Body)
	}
	thaw()
	s.awaitReadsOn(t, "standby", 10)
	s.standby.Stop()
	s.awaitReadsOn(t, "primary", 10)
	s.standby.Start()
	s.awaitReadsOn(t, "standby", 10)
	stop()
}

func (s *withStandby) startsAndStopsWithoutIt(t *testing.T) {
	thaw := s.standby.Freeze()
	if code := s.Stop(); code != 0 {
		t.Errorf("while the standby hangs, the replicas exit with %d", code)
	}
	thaw()
	s.standby.Stop()
	s.Restart()
	s.awaitReadsOn(t, "primary", 10)
	awaitLog(t, s.Server, "not reading from the standby")
	s.standby.Start()
	s.awaitReadsOn(t, "standby", 10)
}

// keepReading reads the list until stop is called, and reports reads that fail.
func (s *withStandby) keepReading(t *testing.T) (stop func()) {
	done := make(chan struct{})
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for {
				select {
				case <-done:
					return
				case <-time.After(10 * time.Millisecond):
				}
				if a, err := s.anyone.Do("GET", "/api/books/getBooksNoToken/20/0", nil); err != nil || a.Status != http.StatusOK {
					t.Errorf("a read answers %d %s %v", a.Status, a.Body, err)
				}
			}
		})
	}
	return func() {
		close(done)
		all.Wait()
	}
}

func (s *withStandby) promotedIsNotUsed(t *testing.T) {
	s.standby.Exec("SELECT pg_promote()")
	for _, r := range s.Replicas {
		for deadline := time.Now().Add(time.Minute); !strings.Contains(r.Output(), "was promoted"); s.awaitReadsOn(t, "primary", 1) {
			if time.Now().After(deadline) {
				t.Fatalf("a replica does not notice the promotion:\n%s", s.Log())
			}
		}
		s.ada.Post(t, "After "+r.URL, "MTH 300")
		if !strings.Contains(s.titles(t, e2e.Client{URL: r.URL}), "After "+r.URL) {
			t.Errorf("a replica reads from the server that was promoted:\n%s", s.Log())
		}
	}
	if out, code := s.Octavo("doctor"); code != 1 || !strings.Contains(out, "was promoted") {
		t.Errorf("the doctor ends with %d: %s", code, out)
	}
}

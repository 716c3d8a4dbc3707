//go:build linux

package growth_test

import (
	"bytes"
	"io"
	"net/http"
	"time"

	"golang.org/x/sys/unix"
)

// answer is what a campus said.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// client follows no redirect and asks for no compression.
var client = &http.Client{
	Timeout:       2 * time.Minute,
	Transport:     &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 4},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// ask sends a request and reads its answer. A stream ends after its first bytes.
func (c *campus) ask(r request) answer {
	c.t.Helper()
	sent, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, r.url(c), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	if token := c.tokens[r.role]; token != "" {
		sent.Header.Set("Authorization", "Bearer "+token)
		sent.AddCookie(&http.Cookie{Name: "octavo_access", Value: token})
	}
	got, err := client.Do(sent)
	if err != nil {
		c.t.Fatalf("%s: %v", r, err)
	}
	defer got.Body.Close()
	if got.Header.Get("Content-Type") == "text/event-stream" {
		first := make([]byte, 64)
		n, _ := got.Body.Read(first)
		return answer{status: got.StatusCode, header: got.Header, body: first[:n]}
	}
	body, err := io.ReadAll(got.Body)
	if err != nil {
		c.t.Fatalf("%s: %v", r, err)
	}
	return answer{status: got.StatusCode, header: got.Header, body: bytes.TrimSpace(body)}
}

// often is how often a round asks: for some milliseconds of processor time, because the clocks of
// processes count nanoseconds, but what else a process does comes in pieces.
func often(took time.Duration) int {
	const atMost = 10
	return min(max(int(5*time.Millisecond/max(took, time.Microsecond)), 1), atMost)
}

// cost is the processor time of the program and of Postgres for a request, the mean of n.
func (c *campus) cost(r request, n int) time.Duration {
	c.t.Helper()
	processes := append(c.backends(), c.server.PID())
	before := spent(processes)
	for range n {
		c.ask(r)
	}
	after := spent(append(c.backends(), processes...))
	var sum time.Duration
	for pid, now := range after {
		sum += now - before[pid] // all of a process that is new
	}
	return sum / time.Duration(n)
}

// backends are the processes of Postgres that serve the program.
func (c *campus) backends() (pids []int) {
	if !c.postgres {
		return nil
	}
	rows, err := c.db.QueryContext(c.t.Context(), "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()")
	if err != nil {
		c.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var pid int
		if err := rows.Scan(&pid); err != nil {
			c.t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	if err := rows.Err(); err != nil {
		c.t.Fatal(err)
	}
	return pids
}

// spent returns the processor time that processes have used. /proc/PID/stat has it in ticks of ten
// milliseconds; the clock of a process has it in nanoseconds.
func spent(pids []int) map[int]time.Duration {
	all := make(map[int]time.Duration, len(pids))
	for _, pid := range pids {
		const ofProcess = 2 // CPUCLOCK_SCHED in the kernel's clock ids
		var at unix.Timespec
		if err := unix.ClockGettime(int32(^pid<<3|ofProcess), &at); err == nil { // it may have ended
			all[pid] = time.Duration(at.Nano())
		}
	}
	return all
}

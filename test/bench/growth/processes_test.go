//go:build linux

package growth_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver behind sql.Open("pgx")
	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/servers"
	"golang.org/x/sys/unix"
)

// pin binds the replicas to the last core and all other processes, including this one, to the
// others, so that a single replica has a core to itself.
func pin(b *testing.B, f *e2e.Fleet) {
	b.Helper()
	var all unix.CPUSet
	must.Do(b, unix.SchedGetaffinity(0, &all))
	last, rest := runtime.NumCPU()-1, all
	if last == 0 {
		b.Skip("needs two cores")
	}
	var one unix.CPUSet
	one.Set(last)
	rest.Clear(last)
	for _, p := range f.Replicas {
		bind(b, p.PID(), &one)
	}
	for _, pid := range append(postgres(b, f.Database), redis(b, f.Redis), os.Getpid()) {
		bind(b, pid, &rest)
	}
}

// bind binds the threads of a process, and those that they start, to some cores.
func bind(b *testing.B, pid int, cores *unix.CPUSet) {
	b.Helper()
	threads := must.Get(filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid)))(b)
	for _, thread := range threads {
		id, err := strconv.Atoi(filepath.Base(thread))
		if err == nil {
			err = unix.SchedSetaffinity(id, cores)
		}
		if err != nil {
			b.Fatalf("pin %s: %v", thread, err)
		}
	}
}

// stat returns the numbers of /proc/PID/stat from the third field on.
func stat(b *testing.B, pid int) []int {
	b.Helper()
	text, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return nil // it has ended; its time is counted for its parent
	}
	_, rest, _ := strings.Cut(string(text), ") ") // the name may contain spaces
	var all []int
	for _, field := range strings.Fields(rest) {
		n, _ := strconv.Atoi(field) // the state is a letter
		all = append(all, n)
	}
	return all
}

// Fields of stat: the parent, and the user and system time in ticks of 10 ms of the process
// and of its ended children.
const parent, firstTime, lastTime = 1, 11, 14

func ticks(fields []int) (sum time.Duration) {
	if fields == nil {
		return 0
	}
	for _, n := range fields[firstTime : lastTime+1] {
		sum += time.Duration(n) * 10 * time.Millisecond
	}
	return sum
}

// postgres returns all processes of the server.
func postgres(b *testing.B, dsn string) []int {
	b.Helper()
	db := must.Get(sql.Open("pgx", dsn))(b)
	defer func() { _ = db.Close() }()
	var ours int
	must.Do(b, db.QueryRowContext(context.Background(), "SELECT pg_backend_pid()").Scan(&ours))
	found := must.Get(filepath.Glob("/proc/[0-9]*"))(b)
	postmaster := stat(b, ours)[parent]
	pids := []int{postmaster}
	for _, path := range found {
		pid, _ := strconv.Atoi(filepath.Base(path))
		if fields := stat(b, pid); fields != nil && fields[parent] == postmaster {
			pids = append(pids, pid)
		}
	}
	return pids
}

func redis(b *testing.B, s *servers.RedisServer) int {
	b.Helper()
	client := s.Client()
	defer func() { _ = client.Close() }()
	about := must.Get(client.InfoMap(context.Background(), "server").Result())(b)
	return must.Get(strconv.Atoi(about["Server"]["process_id"]))(b)
}

// used is the processor time of some processes.
func used(b *testing.B, pids ...int) (sum time.Duration) {
	b.Helper()
	for _, pid := range pids {
		sum += ticks(stat(b, pid))
	}
	return sum
}

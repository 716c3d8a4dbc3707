//go:build linux

package growth_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/must"
)

// A replica may use the processor for quota of each period: little enough that three
// replicas leave enough of two cores to clients, Postgres and Redis.
const (
	quota  = 10_000 // µs
	period = 100_000
)

// Within its quota a replica has priority: eight times the default weight.
var limits = map[string]map[string]string{
	"/sys/fs/cgroup/cpu": {"cpu.cfs_period_us": strconv.Itoa(period), "cpu.cfs_quota_us": strconv.Itoa(quota), "cpu.shares": "8192"},
	"/sys/fs/cgroup":     {"cpu.max": fmt.Sprint(quota, " ", period), "cpu.weight": "800"}, // version 2
}

// share is a control group that limits its processes.
type share string

type shares []share

// newShares creates a group for each of n replicas until the end of the benchmark.
func newShares(b *testing.B, n int) (all shares, err error) {
	b.Helper()
	root := "/sys/fs/cgroup/cpu"
	if _, err := os.Stat(root); err != nil {
		root = "/sys/fs/cgroup"
	}
	for i := range n {
		s := share(filepath.Join(root, fmt.Sprintf("octavo-growth-%d-%d", os.Getpid(), i)))
		if err := s.limit(b, limits[root]); err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func (s share) limit(b *testing.B, limits map[string]string) error {
	b.Helper()
	if err := os.Mkdir(string(s), 0o755); err != nil {
		return err
	}
	b.Cleanup(func() {
		if err := os.Remove(string(s)); err != nil {
			b.Error(err)
		}
	})
	for name, value := range limits {
		if err := s.write(name, value); err != nil {
			return err
		}
	}
	return nil
}

// write writes to an existing file of the group.
func (s share) write(name, value string) error {
	f, err := os.OpenFile(filepath.Join(string(s), name), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(value)
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}

// addProcess moves a process with all its threads into the group.
func (s share) addProcess(b *testing.B, pid int) {
	b.Helper()
	must.Do(b, s.write("cgroup.procs", strconv.Itoa(pid)))
}

// watch reports in how many percent of the periods the replicas were throttled. Near a
// hundred, they were the bottleneck.
func (all shares) watch(b *testing.B, run func()) {
	before := all.stat(b)
	run()
	after := all.stat(b)
	periods := after["nr_periods"] - before["nr_periods"]
	b.ReportMetric(100*float64(after["nr_throttled"]-before["nr_throttled"])/float64(max(1, periods)), "%-of-periods-used-up")
}

// stat adds up the kernel's counters of all groups.
func (all shares) stat(b *testing.B) map[string]int {
	b.Helper()
	sum := map[string]int{}
	for _, s := range all {
		text := must.Get(os.ReadFile(filepath.Join(string(s), "cpu.stat")))(b)
		for line := range strings.Lines(string(text)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			n, _ := strconv.Atoi(value) // other values are not used
			sum[name] += n
		}
	}
	return sum
}

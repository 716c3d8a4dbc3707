package picture

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// limitProcess bounds the memory and the processor time of this process, and gives way to all
// others: with the processors, and when memory is short.
func limitProcess() error {
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0) // a container may forbid it
	return errors.Join(
		unix.Setpriority(unix.PRIO_PROCESS, 0, niceness),
		lower(unix.RLIMIT_DATA, maxMemory), lower(unix.RLIMIT_CPU, maxProcessor), lower(unix.RLIMIT_CORE, 0),
	)
}

// niceness leaves a busy machine to its other work: a tenth of what an ordinary process gets.
// The lowest priority would get nothing at all there.
const niceness = 10

// lower lowers a limit, which may be lower already.
func lower(resource int, limit uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(resource, &now); err != nil {
		return err
	}
	limit = min(limit, uint64(now.Max)) //nolint:unconvert // not a uint64 on every system
	return unix.Setrlimit(resource, &unix.Rlimit{Cur: limit, Max: limit})
}

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
		unix.Setpriority(unix.PRIO_PROCESS, 0, 19),
		unix.Setrlimit(unix.RLIMIT_DATA, &unix.Rlimit{Cur: maxMemory, Max: maxMemory}),
		unix.Setrlimit(unix.RLIMIT_CPU, &unix.Rlimit{Cur: maxProcessor, Max: maxProcessor}),
		unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}),
	)
}

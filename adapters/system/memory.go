package system

import (
	"context"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// gcPercent is GOGC, the garbage allowed in percent of the live heap. The live heap of a
// busy server is about 10 MB; at the default of 100 it would be collected a hundred times
// a second, which takes a tenth of the processor time.
const gcPercent = 300

// memoryHeadroom is how far GOMEMLIMIT, beyond which Go collects more often, lies above what is
// in use: on a machine with many processors, very many requests are in flight at once. It is a
// soft limit and excludes the memory of SQLite.
const memoryHeadroom = 64 << 20

// TuneMemory returns the memory that parsing templates and schemas took, and tunes the garbage
// collector until ctx ends, unless GOGC or GOMEMLIMIT do.
func TuneMemory(ctx context.Context) {
	debug.FreeOSMemory()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		go limitMemory(ctx)
	}
}

// memoryLimit returns what is in use and the headroom. With a fixed limit Go would collect
// without a pause as soon as thousands of open streams use more.
func memoryLimit() int64 {
	inUse := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/heap/stacks:bytes"}}
	metrics.Read(inUse)
	n := int64(memoryHeadroom)
	for _, s := range inUse {
		n += int64(s.Value.Uint64())
	}
	return n
}

func limitMemory(ctx context.Context) {
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for ctx.Err() == nil {
		debug.SetMemoryLimit(memoryLimit())
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

package assembly

import (
	"os"
	"runtime/debug"
)

// gcPercent is GOGC, the garbage allowed in percent of the live heap. The live heap of a
// busy server is about 10 MB; at the default of 100 it would be collected a hundred times
// a second, which takes a tenth of the processor time.
const gcPercent = 300

// memoryLimit is GOMEMLIMIT, beyond which Go collects more often: on a machine with many
// processors, very many requests are in flight at once. It is a soft limit and excludes the
// memory of SQLite.
const memoryLimit = 64 << 20

// freeStartupMemory returns the memory that parsing templates and schemas took, and
// tunes the garbage collector, unless GOGC or GOMEMLIMIT do.
func freeStartupMemory() {
	debug.FreeOSMemory()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryLimit)
	}
}

package assembly

import (
	"os"
	"runtime/debug"
)

// spareHeap is how much garbage may lie beside what is in use, in percent of it. A
// busy server has some ten megabytes in use; at Go's usual 100 it would look through
// them a hundred times a second, for a tenth of its processor time.
const spareHeap = 300

// mostHeap is from how many bytes on it is collected more often than that: on a machine
// with many processors very many requests are under way at once. Go may go beyond it;
// what SQLite has is not counted.
const mostHeap = 64 << 20

// settleHeap returns what starting has left, templates and schemas that were read,
// and from then on collects less often than Go would. GOGC decides where it is set.
func settleHeap() {
	debug.FreeOSMemory()
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(spareHeap)
	}
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(mostHeap)
	}
}

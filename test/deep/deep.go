// Package deep tells apart the three runs of the tests. `go tool task test` runs every promise once;
// `go tool task test:deep` also runs what repeats a promise elsewhere, or is about size;
// `go tool task test:short` runs what needs no server and takes little time.
package deep

import (
	"os"
	"testing"
)

// Variable is the environment variable that, set to 1, makes a run deep.
const Variable = "OCTAVO_TEST_DEEP"

// Mark begins the reason of a test that is left to the deep run; test/tools/testreport counts them.
const Mark = "LEFT TO test:deep: "

// ShortMark begins the reason of a test that a short run leaves out.
const ShortMark = "LEFT OUT of a short run: "

// On reports whether this run is deep.
func On() bool { return os.Getenv(Variable) == "1" }

// Only skips a test unless the run is deep, and says why it is left to that.
func Only(t testing.TB, why string) {
	t.Helper()
	if !On() {
		t.Skip(Mark + why)
	}
}

// NotShort skips a test in a short run (go test -short), and says why. Benchmarks run: for them, short
// means on small data.
func NotShort(t testing.TB, why string) {
	t.Helper()
	if _, bench := t.(*testing.B); testing.Short() && !bench {
		t.Skip(ShortMark + why)
	}
}

// Else returns one of two sizes: whole in a deep run, otherwise the smaller one.
func Else[T any](smaller, whole T) T {
	if On() {
		return whole
	}
	return smaller
}

package servers

import (
	"os"
	"testing"

	"github.com/octavo-books/octavo/test/must"
)

// Dir creates a folder for the test in TMPDIR, which test/tools/test.sh puts into memory.
// t.TempDir prefers GOTMPDIR, which stays on the disk: each commit would wait for it.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "octavo-test-") //nolint:usetesting // see above
	must.Do(t, err)
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

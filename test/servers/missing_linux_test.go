package servers_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/servers"
)

// part tells the parent and the child that run starts which of the two they are.
const part = "OCTAVO_TEST_PART"

// run runs tests that need redis-server on a system without one. Their parent behaves like go
// test: it shows its own errors and hides what the tests print.
func run(t *testing.T, env ...string) (hidden, seen string, err error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=TestNeedsRedis", "-test.v")
	cmd.Env = append([]string{"PATH=" + t.TempDir(), "TMPDIR=" + os.TempDir(), part + "=parent"}, env...)
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	err = cmd.Run()
	return out.String(), errs.String(), err
}

// TestNeedsRedis is started by run, first as the parent and then as its child.
func TestNeedsRedis(t *testing.T) {
	switch os.Getenv(part) {
	case "":
		t.Skip("is run by the tests below")
	case "parent":
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=TestNeedsRedis", "-test.v")
		cmd.Env = append(os.Environ(), part+"=child")
		out, err := cmd.CombinedOutput()
		t.Logf("%s", out)
		must.Do(t, err)
	case "child":
		for _, name := range []string{"one", "two"} {
			t.Run(name, func(t *testing.T) { servers.Redis(t) })
		}
	}
}

func TestASkippedPackageIsNamedOnceWithTheInstallCommand(t *testing.T) {
	hidden, seen, err := run(t)
	if err != nil || strings.Count(hidden, "--- SKIP") != 2 {
		t.Errorf("the tests are not skipped: %v\n%s", err, hidden)
	}
	if strings.Count(seen, "\n") != 1 {
		t.Errorf("printed %q, want one line", seen)
	}
	for _, part := range []string{"test/servers", "redis-server", "apt-get install redis-server", "go tool task setup"} {
		if !strings.Contains(seen, part) {
			t.Errorf("%q does not name %q", seen, part)
		}
	}
}

func TestAMissingServerFailsTestsIfAllMustRun(t *testing.T) {
	hidden, _, err := run(t, servers.All+"=1")
	if err == nil || strings.Count(hidden, "--- FAIL: TestNeedsRedis/") != 2 || !strings.Contains(hidden, "apt-get install redis-server") {
		t.Errorf("the tests do not fail: %v\n%s", err, hidden)
	}
}

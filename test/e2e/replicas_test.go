package e2e_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
)

// aboutOneProcess are tests of a process, of which replicas have no one: its own
// counters, its own way to end, its own reading of a broken request, and settings
// that a mailer of the tests does not have.
const aboutOneProcess = "TestAuthIsWatched|TestATermSignalCutsNothingOff|TestAttacks/.*/a_body_shorter_than_it_says|TestAuthInProduction|TestUnknownAddresses|TestProfilesAreServed"

// essential is what a short run takes of the suite: a way through each component,
// and the races.
const essential = "TestAStudentBuys|TestATokenOfTheAuthService|TestOfAHundredBuyers|TestWhatWasAcknowledged|TestASaleGoes|TestAuthContract/Postgres/bearer"

// TestTheSuiteHoldsOverThreeReplicas runs the tests of this package once more,
// with each request going to any of three programs on one Postgres and one Redis.
// OCTAVO_E2E_REPLICAS=3 go test ./test/e2e runs all of them that way.
func TestTheSuiteHoldsOverThreeReplicas(t *testing.T) {
	if testing.Short() || os.Getenv(e2e.Replicas) != "" {
		t.Skip("runs as a part of the whole suite only")
	}
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run="+essential, "-test.skip="+aboutOneProcess, "-test.timeout=10m")
	cmd.Env = append(os.Environ(), e2e.Replicas+"=3")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v:\n%s", err, lastLines(string(out), 100))
	}
}

func lastLines(text string, n int) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

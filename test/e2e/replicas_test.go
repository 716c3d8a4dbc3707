package e2e_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/servers"
)

// essential matches the tests of a short run: one path through each component, and the races.
const essential = "TestTheMarketAcceptsAToken|TestTheMarketIsLinearizable|TestAcknowledged(Changes|Messages)|TestAuthContract/Replicas, bearer"

// The test runs tests of this package again, with each request going to a random one of three
// programs on one Postgres and one Redis. `go tool task test:replicas` runs all of them that
// way, under the race detector.
func TestTheSuiteHoldsOverThreeReplicas(t *testing.T) {
	deep.Only(t, "repeats tests of one program over three")
	if e2e.OverReplicas() {
		t.Skip("runs as a part of the whole suite only")
	}
	t.Parallel()
	database.Need(t)
	servers.NeedRedis(t)
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run="+essential, "-test.timeout=10m")
	cmd.Env = append(e2e.WithProgram(t), e2e.Replicas+"=3")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v:\n%s", err, lastLines(string(out), 100))
	}
}

func lastLines(text string, n int) string {
	lines := strings.Split(text, "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

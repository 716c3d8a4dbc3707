package e2e_test

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/servers"
)

// exposed is the most that `systemd-analyze security` may say of a unit, in tenths: 0 is a unit that can do nothing, 96 one
// without any restriction. What is left is the network, which the service is for.
const exposed = "20"

func TestTheUnitsAreValidAndStayHardened(t *testing.T) {
	t.Parallel()
	analyze := servers.Need(t, "systemd-analyze", "apt-get install systemd", "systemd-analyze")
	units := must.Get(filepath.Glob("../../deploy/*.service"))(t)
	timers := must.Get(filepath.Glob("../../deploy/*.timer"))(t)
	verify := append([]string{"verify", "--man=no"}, append(timers, units...)...)
	if out, err := exec.CommandContext(t.Context(), analyze, verify...).CombinedOutput(); err != nil || strings.Contains(string(out), "octavo") {
		t.Errorf("%v: %s", err, out)
	}
	for _, unit := range units {
		out, err := exec.CommandContext(t.Context(), analyze, "security", "--offline=true", "--no-pager", "--threshold="+exposed, unit).CombinedOutput()
		if err != nil {
			t.Errorf("%s is too exposed: %v: %s", unit, err, out)
		}
	}
	if len(units) != 2 || len(timers) != 1 {
		t.Errorf("found %q and %q", units, timers)
	}
}

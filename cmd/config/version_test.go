package config

import (
	"runtime/debug"
	"testing"
)

func TestTheVersionComesFromTheLinkerOrElseFromTheGoCommand(t *testing.T) {
	recorded := &debug.BuildInfo{
		Main: debug.Module{Version: "v1.2.3"},
		Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "0123456789abcdef"},
			{Key: "vcs.time", Value: "2026-11-22T12:00:00Z"},
		},
	}
	for name, c := range map[string]struct{ set, want buildInfo }{
		"go install":        {buildInfo{}, buildInfo{"1.2.3", "0123456789abcdef", "2026-11-22T12:00:00Z"}},
		"a release":         {buildInfo{"2.0.0", "fedcba", "2027-01-01T00:00:00Z"}, buildInfo{"2.0.0", "fedcba", "2027-01-01T00:00:00Z"}},
		"a version by hand": {buildInfo{version: "2.0.0"}, buildInfo{"2.0.0", "0123456789abcdef", "2026-11-22T12:00:00Z"}},
	} {
		if got := c.set.orFrom(recorded); got != c.want {
			t.Errorf("%s: %+v, not %+v", name, got, c.want)
		}
	}
	if got := (buildInfo{}).orFrom(&debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}); got != (buildInfo{}) {
		t.Errorf("a build without version control: %+v", got)
	}
}

package main

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

// The work here is short: the test checks only that each command reports its progress.
func TestDemoMigrateBackupAndImportReportTheirProgress(t *testing.T) {
	dir := t.TempDir()
	env := map[string]string{"DATA_DIR": dir + "/data", "BCRYPT_COST": cheapest}
	for _, args := range [][]string{{"migrate", "up"}, {"demo", "--books", "5", "--users", "3"}, {"backup", dir + "/copy"}, {"users", "import", "-"}} {
		var started bool
		watch := startWatcher{terminal.SystemClock{}, &started}
		if out, errs, code := octavoAt(t, watch, env, args...); code != 0 {
			t.Errorf("%v: %d, want 0: %s%s", args, code, out, errs)
		}
		if !started {
			t.Errorf("%v shows no progress", args)
		}
	}
}

// startWatcher records that progress is to be shown every five seconds.
type startWatcher struct {
	terminal.Clock
	started *bool
}

func (s startWatcher) Every(d time.Duration, do func()) (stop func()) {
	*s.started = *s.started || d == 5*time.Second
	do() // at least once, whatever the state
	return s.Clock.Every(d, do)
}

package e2e

import (
	"testing"
	"time"
)

// StartTogether starts n programs at the same time on one data folder that does not exist yet,
// and does not wait for them.
func StartTogether(t testing.TB, n int, dataDir string, args ...string) []*Program {
	t.Helper()
	all := make([]*Program, n)
	for i := range all {
		all[i] = newProgram(t, append(cleanEnvironment(), "DATA_DIR="+dataDir, "BCRYPT_COST=4", "LOG_FORMAT=text"), args...)
	}
	for _, p := range all {
		p.launch()
	}
	return all
}

// EndsOrServes waits until the program is ready or has exited, and returns its exit code in
// the second case.
func (p *Program) EndsOrServes() (code int, ended bool) {
	p.t.Helper()
	for {
		select {
		case <-p.done:
			return p.wait(), true
		case <-time.After(5 * time.Millisecond):
		}
		if p.isReady() {
			return 0, false
		}
	}
}

// Output returns the program's output so far.
func (p *Program) Output() string { return p.out.String() }

// AwaitReady waits until the program is ready, and fails the test if it exits.
func (p *Program) AwaitReady() {
	p.t.Helper()
	p.awaitReady()
}

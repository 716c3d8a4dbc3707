package e2e

import "testing"

// StartTogether starts n programs at the same moment on one data folder that does
// not exist yet, without waiting for any.
func StartTogether(t testing.TB, n int, dataDir string, args ...string) []*Program {
	t.Helper()
	all := make([]*Program, n)
	for i := range all {
		all[i] = newProgram(t, append(cleanEnvironment(), "DATA_DIR="+dataDir, "BCRYPT_COST=10", "LOG_FORMAT=text"), args...)
	}
	for _, p := range all {
		p.launch()
	}
	return all
}

// AwaitReady returns once the program is ready, and fails the test if it ends.
func (p *Program) AwaitReady() {
	p.t.Helper()
	p.awaitReady()
}

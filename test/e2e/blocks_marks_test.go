package e2e_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/must"
)

var (
	runBy  = regexp.MustCompile(`^\(run by (Test\w+)\)$`)
	notRun = regexp.MustCompile(`^\(not run: [^()]+\)$`)
)

// foreign are the variables of other programs that blocks set.
var foreign = regexp.MustCompile(`^(AWS_|OTEL_|OCTAVO_KEEP_RELEASE$|OCTAVO_URL$|CLIENT_|APP_URL$|LISTEN$|SECRET_KEY$|Tag$)`)

func TestEveryBlockOfCommandsIsRunOrSaysWhyNot(t *testing.T) {
	t.Parallel()
	tests := allTests(t)
	run, all := 0, 0
	for path, found := range blocks(t) {
		for _, b := range found {
			all++
			if b.info == "" {
				run++
			}
			if m := runBy.FindStringSubmatch(b.info); m != nil && !strings.Contains(tests, "\nfunc "+m[1]+"(") {
				t.Errorf("%s:%d: there is no %s", path, b.line, m[1])
			} else if m == nil && b.info != "" && !notRun.MatchString(b.info) {
				t.Errorf("%s:%d: %q says neither what runs it nor why nothing can", path, b.line, b.info)
			}
		}
	}
	if all < 70 || run < all/2 {
		t.Errorf("%d of %d blocks are run", run, all)
	}
}

// What is not run is checked as far as it can be: by the parser of the shell, and for names of settings, tasks and units. That
// the program has the commands and flags, a test of the program says.
func TestBlocksOfCommandsThatAreNotRunNameWhatExists(t *testing.T) {
	t.Parallel()
	known := string(must.Get(exec.CommandContext(t.Context(), e2e.Path(t), "help", "settings").Output())(t))
	tasks := string(must.Get(os.ReadFile("../../Taskfile.yml"))(t))
	for path, found := range blocks(t) {
		for _, b := range found {
			sh := exec.CommandContext(t.Context(), "sh", "-n")
			sh.Stdin = strings.NewReader(b.text)
			if out, err := sh.CombinedOutput(); err != nil {
				t.Errorf("%s:%d: %v: %s", path, b.line, err, out)
			}
			if b.info == "" {
				continue
			}
			for _, m := range variable.FindAllStringSubmatch(b.text, -1) {
				if name := strings.TrimSuffix(m[1], "_FILE"); !strings.Contains(known, "\n  "+name+"  ") && !foreign.MatchString(name) {
					t.Errorf("%s:%d: %s is no setting", path, b.line, name)
				}
			}
			for _, m := range regexp.MustCompile(`go tool task ([\w:]+)`).FindAllStringSubmatch(b.text, -1) {
				if !strings.Contains(tasks, "\n  "+m[1]+":\n") {
					t.Errorf("%s:%d: there is no task %s", path, b.line, m[1])
				}
			}
			for _, unit := range regexp.MustCompile(`[\w-]+\.(?:service|timer)\b`).FindAllString(b.text, -1) {
				if !leads("../../deploy/"+unit, "") {
					t.Errorf("%s:%d: there is no unit %s", path, b.line, unit)
				}
			}
		}
	}
}

// allTests returns the files of these tests.
func allTests(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, path := range must.Get(filepath.Glob("*_test.go"))(t) {
		all.Write(must.Get(os.ReadFile(path))(t))
	}
	return all.String()
}

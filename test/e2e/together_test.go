package e2e_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "modernc.org/sqlite" // reads what the programs have made

	"github.com/octavo-books/octavo/test/e2e"
)

// The others exit, because only one program can use a folder.
func TestOneOfSeveralProgramsStartedOnANewFolderServes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	all := e2e.StartTogether(t, 4, dir)
	var serving *e2e.Program
	for _, p := range all {
		if code, ended := p.EndsOrServes(); !ended && serving == nil {
			serving = p
		} else if code != 1 {
			t.Errorf("a second program serves, or ended with %d: %s", code, p.Output())
		}
	}
	if serving == nil {
		t.Fatal("none serves")
	}
	for _, p := range all {
		if p != serving && !strings.Contains(p.Output(), fmt.Sprintf("process %d", serving.PID())) {
			t.Errorf("the first process is %d, but the second one says: %s", serving.PID(), p.Output())
		}
	}
	serving.Kill()
	for _, file := range []string{"octavo.db", "webhooks.db"} {
		assertMigratedOnce(t, filepath.Join(dir, file))
	}
}

// The first program is killed at different moments while it creates the databases.
func TestAProgramCompletesAKilledFirstStart(t *testing.T) {
	t.Parallel()
	for range 3 {
		dir := filepath.Join(t.TempDir(), "data")
		first := e2e.StartTogether(t, 1, dir)[0]
		for file := filepath.Join(dir, "octavo.db"); !there(file); {
			<-time.After(time.Millisecond)
		}
		first.Kill()
		next := e2e.StartTogether(t, 1, dir)[0]
		next.AwaitReady()
		next.Kill()
		for _, file := range []string{"octavo.db", "webhooks.db"} {
			assertMigratedOnce(t, filepath.Join(dir, file))
		}
	}
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestASecondServeEndsAtOnceAndNamesTheFirst(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	elsewhere := "DATABASE_URL=sqlite:" + filepath.Join(t.TempDir(), "elsewhere.db")
	s := e2e.StartWith(t, []string{elsewhere}, "auth", "market")
	s.Student("sam@mit.edu", "Sam")
	first := fmt.Sprintf("process %d", s.PID())
	second := func(env []string, args ...string) (string, int) {
		return e2e.Octavo(t, append([]string{"PORT=0"}, env...), append([]string{"serve"}, args...)...)
	}
	sameFolder, sameDatabase := []string{"DATA_DIR=" + s.DataDir}, []string{elsewhere, "DATA_DIR=" + t.TempDir()}
	for _, c := range []struct{ env, parts []string }{
		{sameFolder, nil}, {sameFolder, []string{"webhooks"}}, {sameFolder, []string{"auth"}}, {sameDatabase, nil}, {sameDatabase, []string{"market"}},
	} {
		if out, code := second(c.env, c.parts...); code != 1 || strings.Count(out, "\n") != 1 || !strings.Contains(out, first) {
			t.Errorf("%v %v: %d %s", c.env, c.parts, code, out)
		}
	}
	for _, command := range []string{"users list", "users promote sam@mit.edu --role owner", "migrate status", "ledger check", "doctor auth", "backup " + filepath.Join(t.TempDir(), "copy")} {
		if out, code := s.Octavo(strings.Fields(command)...); code != 0 {
			t.Errorf("%s with both: %d, want 0: %s", command, code, out)
		}
	}
	s.Kill()
	s.Restart()
	if code := s.Stop(); code != 0 {
		t.Errorf("stopped with %d, want 0", code)
	}
	s.Restart()
}

// assertMigratedOnce checks the version tables of a database: no migration ran twice.
func assertMigratedOnce(t *testing.T, path string) {
	t.Helper()
	db := openBesideTheProgram(t, path)
	for _, component := range componentsIn(t, db) {
		var steps, versions int
		if err := db.QueryRow("SELECT count(*), count(DISTINCT version_id) FROM "+component).Scan(&steps, &versions); err != nil {
			t.Fatal(err)
		}
		if steps < 2 || steps != versions {
			t.Errorf("%s: %d steps to %d versions", component, steps, versions)
		}
	}
}

func componentsIn(t *testing.T, db *sql.DB) (tables []string) {
	t.Helper()
	rows, err := db.Query("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'goose!_%' ESCAPE '!'")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			t.Fatal(err)
		}
		tables = append(tables, name)
	}
	if err := rows.Err(); err != nil || len(tables) == 0 {
		t.Fatalf("%v, %v", tables, err)
	}
	return tables
}

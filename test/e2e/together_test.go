package e2e_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"
	"time"

	_ "modernc.org/sqlite" // reads what the programs have made

	"github.com/octavo-books/octavo/test/e2e"
)

// Whoever starts two programs on one new folder by mistake has two that serve,
// also when one was killed in the middle of making the databases.
func TestProgramsStartedTogetherOnANewFolderMakeItOnce(t *testing.T) {
	for range 3 {
		dir := filepath.Join(t.TempDir(), "data")
		all := e2e.StartTogether(t, 4, dir)
		for file := filepath.Join(dir, "octavo.db"); !there(file); {
			<-time.After(time.Millisecond)
		}
		all[0].Kill() // somewhere in making the databases, or waiting for it
		for _, p := range all[1:] {
			p.AwaitReady()
		}
		for _, p := range all[1:] {
			p.Kill()
		}
		for _, file := range []string{"octavo.db", "webhooks.db"} {
			takenOnce(t, filepath.Join(dir, file))
		}
		again := e2e.StartTogether(t, 1, dir)[0]
		again.AwaitReady()
		again.Kill()
	}
}

func there(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// takenOnce looks into the version tables of a database: no step is in them twice.
func takenOnce(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
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

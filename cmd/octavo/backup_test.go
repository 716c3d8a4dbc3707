package main

import (
	"database/sql"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/deep"
	_ "modernc.org/sqlite" // destroys a table
)

// oddNames are folder names with characters that are special in SQL, URIs or patterns.
var oddNames = []string{"what? really", "50% off", "#1", "it's", `double"quote`, "a&b=c;d", "[x]*", "Bücher 書", "sqlite:memory", ".hidden", "%3f", "trailing/"}

// campus creates a small campus in a folder and counts its rows.
func campus(t *testing.T, env map[string]string) string {
	t.Helper()
	env["BCRYPT_COST"] = cheapest
	if out, errs, code := octavo(t, env, "demo", "--books", "20", "--users", "4"); code != 0 {
		t.Fatalf("demo: %d %s%s", code, out, errs)
	}
	out, _, _ := octavo(t, env, "users", "list")
	return out
}

// change runs statements on the database of a campus.
func change(t *testing.T, env map[string]string, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(env["DATA_DIR"], "octavo.db"))
	if err == nil {
		_, err = db.Exec(statements)
	}
	if err != nil {
		t.Fatal(err)
	}
	_ = db.Close()
}

func TestABackupIsCompleteWhateverItsFolderIsCalled(t *testing.T) {
	env := map[string]string{"DATA_DIR": filepath.Join(t.TempDir(), "data")}
	people := campus(t, env)
	parent := filepath.Join(t.TempDir(), "why? #1 100%3f")
	if err := os.Mkdir(parent, 0o700); err != nil {
		t.Fatal(err)
	}
	for n, name := range oddNames {
		folder := parent + string(filepath.Separator) + name
		if out, errs, code := octavo(t, env, "backup", folder); code != 0 || !strings.Contains(out, filepath.Join(folder, "octavo.db")) {
			t.Errorf("%q: %d %s%s", name, code, out, errs)
			continue
		}
		if restored, errs, code := octavo(t, map[string]string{"DATA_DIR": folder}, "users", "list"); restored != people {
			t.Errorf("%q holds other people: %d\n%s%s", name, code, restored, errs)
		}
		if left, err := os.ReadDir(parent); err != nil || len(left) != n+1 {
			t.Errorf("%q: there are %v, %v", name, left, err)
		}
		ownersAlone(t, folder)
	}
}

func ownersAlone(t *testing.T, folder string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = fs.ModeDir | 0o700
		}
		if err == nil && info.Mode() != want {
			t.Errorf("%s has %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestADataFolderMayHaveAnyName(t *testing.T) {
	deep.NotShort(t, "makes a campus in each of many folders")
	parent := t.TempDir()
	for n, name := range oddNames {
		dir := parent + string(filepath.Separator) + name
		for _, env := range []map[string]string{
			{"DATA_DIR": dir}, {"DATA_DIR": dir, "DATABASE_URL": "sqlite:" + filepath.Join(dir, name+".db")}, // in this order: the folder must be there
		} {
			if strings.HasSuffix(name, "/") && len(env) > 1 {
				continue
			}
			if people := campus(t, env); strings.Count(people, "example.edu") != 4 {
				t.Errorf("%q: %s", name, people)
			}
		}
		if left, err := os.ReadDir(parent); err != nil || len(left) != n+1 {
			t.Errorf("%q: there are %v, %v", name, left, err)
		}
	}
}

func TestABackupOverwritesNothing(t *testing.T) {
	env := map[string]string{"DATA_DIR": filepath.Join(t.TempDir(), "data")}
	campus(t, env)
	there := t.TempDir()
	file := filepath.Join(there, "file")
	write(t, file, "mine")
	empty := filepath.Join(there, "empty")
	if err := os.Mkdir(empty, 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(there, "link")
	if err := os.Symlink("nowhere", link); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{there, file, empty, link, env["DATA_DIR"]} {
		out, errs, code := octavo(t, env, "backup", folder)
		if code != 2 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "exists already") {
			t.Errorf("%s: %d %s%s", folder, code, out, errs)
		}
	}
	if content, err := os.ReadFile(file); err != nil || string(content) != "mine" {
		t.Errorf("%q, %v", content, err)
	}
	if left, err := os.ReadDir(there); err != nil || len(left) != 3 {
		t.Errorf("%v, %v", left, err)
	}
}

func TestAFailedBackupLeavesNothing(t *testing.T) {
	env := map[string]string{"DATA_DIR": filepath.Join(t.TempDir(), "data")}
	campus(t, env)
	destroy(t, filepath.Join(env["DATA_DIR"], "octavo.db"))
	parent := t.TempDir()
	out, errs, code := octavo(t, env, "backup", filepath.Join(parent, "copy"))
	if code != 1 || out != "" || !strings.Contains(errs, "damaged") {
		t.Errorf("%d %s%s", code, out, errs)
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) != 0 {
		t.Errorf("%v, %v", left, err)
	}
}

// destroy corrupts an index of a SQLite file.
func destroy(t *testing.T, path string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	db.SetMaxOpenConns(1)
	for _, statement := range []string{
		`PRAGMA writable_schema = ON`,
		`UPDATE sqlite_master SET sql = replace(sql, 'role = 2', 'role = 1') WHERE name = 'users_owners'`,
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
}

func TestABackupHoldsTheKeyOfIDTokens(t *testing.T) {
	data := filepath.Join(t.TempDir(), "data")
	env := map[string]string{"DATA_DIR": data}
	campus(t, env)
	const name, key = "oidc-signing-key.pem", "a key"
	write(t, filepath.Join(data, name), key)
	folder := filepath.Join(t.TempDir(), "backup")
	if out, errs, code := octavo(t, env, "backup", folder); code != 0 || !strings.Contains(out, name) {
		t.Fatalf("%d %s%s", code, out, errs)
	}
	if copied, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(copied) != key {
		t.Fatalf("%q, %v", copied, err)
	}
}

func TestAFolderKeepsTheNewestBackups(t *testing.T) {
	env := map[string]string{"DATA_DIR": filepath.Join(t.TempDir(), "data")}
	people := campus(t, env)
	folder := filepath.Join(t.TempDir(), "backups")
	for day := range 3 {
		if out, errs, code := octavoAt(t, stoppedClock{today.AddDate(0, 0, day)}, env, "backup", folder, "--keep-last", "2"); code != 0 || strings.Contains(out, "deleted") != (day == 2) {
			t.Fatalf("%d %s%s", code, out, errs)
		}
	}
	left, err := filepath.Glob(folder + "/*")
	if err != nil || len(left) != 2 || filepath.Base(left[1]) != today.AddDate(0, 0, 2).UTC().Format("2006-01-02T150405Z") {
		t.Fatalf("%q, %v", left, err)
	}
	if restored, errs, _ := octavo(t, map[string]string{"DATA_DIR": left[0]}, "users", "list"); restored != people {
		t.Errorf("it holds other people: %s%s", restored, errs)
	}
}

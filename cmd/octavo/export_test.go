package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/filelock"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

// exportedCampus exports a small campus with a mail that waits, whose code is sealed.
func exportedCampus(t *testing.T) (env map[string]string, file string) {
	t.Helper()
	env = map[string]string{"DATA_DIR": filepath.Join(t.TempDir(), "data")}
	campus(t, env)
	change(t, env, "INSERT INTO outbox (id, kind, recipient, lang, params, secret, priority, due_at, created_at) VALUES (1, 'verification', 'a@b.edu', 'en', '{}', x'00', 0, 1, 1)")
	file = filepath.Join(t.TempDir(), "campus.tar.gz")
	out, errs, code := octavo(t, env, "export", file)
	if code != 0 || !strings.Contains(out, "keep it as safe as the database") {
		t.Fatalf("export: %d %s%s", code, out, errs)
	}
	return env, file
}

func TestAnExportOverwritesNothingAndLeavesNothingBehind(t *testing.T) {
	env, file := exportedCampus(t)
	before, _ := os.ReadFile(file)
	if _, errs, code := octavo(t, env, "export", file); code != 2 || !strings.Contains(errs, "exists already") {
		t.Errorf("onto another: %d %s", code, errs)
	}
	if after, _ := os.ReadFile(file); string(after) != string(before) {
		t.Error("the file has changed")
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
	if _, errs, code := octavo(t, env, "export", filepath.Join(t.TempDir(), "nowhere", "x")); code != 2 || !strings.Contains(errs, "FILE") {
		t.Errorf("into no folder: %d %s", code, errs)
	}
	if left, _ := os.ReadDir(filepath.Dir(file)); len(left) != 1 {
		t.Errorf("there are %v", left)
	}
}

func TestAnExportToStandardOutputIsTheArchiveAndNothingElse(t *testing.T) {
	env, _ := exportedCampus(t)
	t.Chdir(t.TempDir())
	archive, errs, code := octavo(t, env, "export", "-")
	if code != 0 || !strings.HasPrefix(archive, "\x1f\x8b") || !strings.Contains(errs, "The archive has ") {
		t.Fatalf("exported %d %.20q %s", code, archive, errs)
	}
	write(t, "campus.tar.gz", archive)
	if out, errs, code := octavo(t, nil, "import", "campus.tar.gz", "--other-keys"); code != 0 || !strings.Contains(out, "the same as in the archive") {
		t.Errorf("imported %d %s%s", code, out, errs)
	}
	write(t, "cut.tar.gz", archive[:len(archive)-100])
	if _, errs, code := octavo(t, nil, "import", "cut.tar.gz"); code != 1 || !strings.Contains(errs, "damaged") {
		t.Errorf("what was cut: %d %s", code, errs)
	}
	if _, errs, code := octavo(t, nil, "import", "-"); code != 2 || !strings.Contains(errs, "reads its file twice") {
		t.Errorf("from standard input: %d %s", code, errs)
	}
	var said strings.Builder
	t.Setenv("DATA_DIR", env["DATA_DIR"])
	if code := run(t.Context(), []string{"export", "-"}, terminal.Console{Out: fullDisk{}, Err: &said, Clock: terminal.SystemClock{}}); code != 1 || !strings.Contains(said.String(), "no space left") {
		t.Errorf("onto a full disk: %d %s", code, said.String())
	}
	if left, _ := os.ReadDir("."); len(left) != 2 {
		t.Errorf("there are %v", left)
	}
}

func TestAnImportSaysWhyItIsRefusedAndWritesNothing(t *testing.T) {
	env, file := exportedCampus(t)
	text := filepath.Join(t.TempDir(), "books.csv")
	write(t, text, "name,course\n")
	served := filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(served, 0o700); err != nil {
		t.Fatal(err)
	}
	lock, err := filelock.Acquire(filepath.Join(served, "serve.lock"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Release() }()
	fresh := filepath.Join(t.TempDir(), "data")
	for name, c := range map[string]struct {
		dir, file, says string
		code            int
	}{
		"into itself":      {env["DATA_DIR"], file, "not empty", 1},
		"another file":     {fresh, text, "this is no archive", 1},
		"no file":          {fresh, text + "x", "FILE", 2},
		"a served folder":  {served, file, "already being served", 1},
		"without its keys": {fresh, file, "1 codes and links of waiting mails", 1},
	} {
		if out, errs, code := octavo(t, map[string]string{"DATA_DIR": c.dir}, "import", c.file); code != c.code || out != "" || !strings.Contains(errs, c.says) {
			t.Errorf("%s: %d %s%s", name, code, out, errs)
		}
	}
	if _, err := os.Stat(filepath.Join(fresh, "octavo.db")); err == nil {
		t.Error("a database was made")
	}
	if out, errs, code := octavo(t, map[string]string{"DATA_DIR": fresh}, "import", file, "--other-keys"); code != 0 || !strings.Contains(out, "The ledger balances") || !strings.Contains(out, "not that of the archive") {
		t.Errorf("with other keys all the same: %d %s%s", code, out, errs)
	}
}

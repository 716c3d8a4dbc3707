package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRequestsForDataAndDeletionAreAnsweredByCommands(t *testing.T) {
	env, file := importing(t, "ann@u.edu,"+bcryptHash+"\nbob@u.edu,"+bcryptHash+"\n")
	if _, errs, code := octavo(t, env, "users", "import", file); code != 0 {
		t.Fatal(errs)
	}
	if out, _, code := octavo(t, env, "users", "find", "Ann@u.edu"); code != 0 || !strings.Contains(out, "ann@u.edu") || !strings.Contains(out, "user") {
		t.Errorf("find: %d %s", code, out)
	}
	out, _, code := octavo(t, env, "users", "export", "ann@u.edu")
	if code != 0 || !json.Valid([]byte(out)) || !strings.Contains(out, "ann@u.edu") || strings.Contains(out, bcryptHash) {
		t.Errorf("export: %d %s", code, out)
	}
	path := filepath.Join(t.TempDir(), "ann.json")
	if out, errs, code := octavo(t, env, "users", "export", "ann@u.edu", "--out", path); code != 0 || out != "" {
		t.Errorf("export to a file: %d %s%s", code, out, errs)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if _, errs, code := octavo(t, env, "users", "delete", "ann@u.edu"); code != 2 || !strings.Contains(errs, "--yes") {
		t.Errorf("nobody was asked: %d %s", code, errs)
	}
	if out, errs, code := octavo(t, env, "users", "delete", "ann@u.edu", "--yes"); code != 0 || people(t, env) == "" || strings.Contains(people(t, env), "ann@u.edu") {
		t.Errorf("delete: %d %s%s", code, out, errs)
	}
	for _, args := range []string{"find ann@u.edu", "export ann@u.edu", "delete ann@u.edu --yes"} {
		if _, _, code := octavo(t, env, append([]string{"users"}, strings.Fields(args)...)...); code != 1 {
			t.Errorf("%s after the deletion: code %d", args, code)
		}
	}
}

func TestARestoreDeletesAgainWhomTheBackupStillHas(t *testing.T) {
	env, file := importing(t, "ann@u.edu,"+bcryptHash+"\nbob@u.edu,"+bcryptHash+"\n")
	octavo(t, env, "users", "import", file)
	backup := filepath.Join(t.TempDir(), "backup")
	for _, args := range [][]string{{"backup", backup}, {"users", "delete", "ann@u.edu", "--yes"}} {
		if _, errs, code := octavo(t, env, args...); code != 0 {
			t.Fatal(errs)
		}
	}
	list, _, _ := octavo(t, env, "users", "deleted", "--since", "30d")
	deleted := filepath.Join(t.TempDir(), "deleted")
	write(t, deleted, list)
	restored := map[string]string{"DATA_DIR": backup, "BCRYPT_COST": cheapest}
	if !strings.Contains(people(t, restored), "ann@u.edu") {
		t.Fatal("the backup does not have ann")
	}
	for _, want := range []string{"1 account was deleted again.\n", "0 accounts were deleted again.\n"} {
		if out, errs, code := octavo(t, restored, "users", "delete", "--again", deleted, "--yes"); code != 0 || out != want {
			t.Errorf("%d %s%s", code, out, errs)
		}
	}
	if all := people(t, restored); strings.Contains(all, "ann@u.edu") || !strings.Contains(all, "bob@u.edu") {
		t.Errorf("left are %s", all)
	}
}

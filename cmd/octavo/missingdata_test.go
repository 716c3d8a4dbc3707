package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// readingCommands are the commands that read or repair existing data.
var readingCommands = map[string][]string{
	"octavo.db": {
		"users list", "users promote ann@example.org --role owner", "users reset-2fa ann@example.org", "users import -",
		"ledger check", "work list", "migrate status", "backup COPY",
	},
	"webhooks.db":    {"webhooks list", "webhooks show x", "webhooks redeliver x", "webhooks redeliver --dead", "webhooks tail"},
	"webhook-secret": {"webhooks sign", "webhooks verify sha256=00", "webhooks send push"},
}

// runWithoutDatabase runs every such command without a database.
func runWithoutDatabase(t *testing.T, dir string, check func(t *testing.T, file, out, errs string, code int)) {
	t.Helper()
	for file, commands := range readingCommands {
		for _, command := range commands {
			t.Run(command, func(t *testing.T) {
				copied := filepath.Join(t.TempDir(), "copy")
				args := strings.Fields(strings.ReplaceAll(command, "COPY", copied))
				out, errs, code := octavoReading(t, "{}", map[string]string{"DATA_DIR": dir}, args...)
				check(t, file, out, errs, code)
				if _, err := os.Stat(copied); err == nil {
					t.Error("a backup of nothing was made")
				}
			})
		}
	}
}

func TestACommandWithAMistypedFolderFailsAndCreatesNothing(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "mistyped")
	runWithoutDatabase(t, dir, func(t *testing.T, file, out, errs string, code int) {
		if code != 1 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, filepath.Join(dir, file)) || !strings.Contains(errs, "DATA_DIR") {
			t.Errorf("code %d, out %q, err %q", code, out, errs)
		}
		if _, err := os.Stat(dir); err == nil {
			t.Fatal("it was created")
		}
	})
}

func TestACommandCreatesNoDatabaseInAnEmptyFolder(t *testing.T) {
	dir := t.TempDir()
	runWithoutDatabase(t, dir, func(t *testing.T, file, _, errs string, code int) {
		if code != 1 || !strings.Contains(errs, filepath.Join(dir, file)) {
			t.Errorf("code %d, err %q", code, errs)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
			t.Fatalf("%v, %v", left, err)
		}
	})
}

func TestAnEmptyFileIsNoDatabase(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"octavo.db", "webhooks.db"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range []string{"users list", "ledger check", "webhooks list", "webhooks redeliver x"} {
		if out, errs, code := octavo(t, map[string]string{"DATA_DIR": dir}, strings.Fields(command)...); code != 1 || !strings.Contains(errs, "there is no database") {
			t.Errorf("%s: code %d, out %q, err %q", command, code, out, errs)
		}
	}
}

func TestCommandsWorkOnAMigratedDatabase(t *testing.T) {
	env := map[string]string{"DATA_DIR": filepath.Join(t.TempDir(), "new")}
	for _, command := range []string{
		"migrate up", "migrate status", "users list", "ledger check", "webhooks list", "users import -", "backup " + filepath.Join(t.TempDir(), "copy"),
	} {
		if out, errs, code := octavo(t, env, strings.Fields(command)...); code != 0 {
			t.Errorf("%s: code %d, want 0: out %q, err %q", command, code, out, errs)
		}
	}
}

// A program that serves only the market has no inbox and needs none.
func TestCommandsOfTheMarketNeedNoInbox(t *testing.T) {
	env := map[string]string{"DATA_DIR": filepath.Join(t.TempDir(), "campus"), "BCRYPT_COST": cheapest}
	for _, command := range []string{"demo --books 5 --users 3", "users list", "ledger check", "migrate status", "backup " + filepath.Join(t.TempDir(), "copy")} {
		if out, errs, code := octavo(t, env, strings.Fields(command)...); code != 0 {
			t.Errorf("%s: code %d, want 0: out %q, err %q", command, code, out, errs)
		}
	}
	if _, errs, code := octavo(t, env, "webhooks", "list"); code != 1 || !strings.Contains(errs, "webhooks.db") {
		t.Errorf("code %d, err %q", code, errs)
	}
}

func TestTheDoctorSaysThatBooksCannotBeHandedOverAnywhere(t *testing.T) {
	env := map[string]string{"DATA_DIR": filepath.Join(t.TempDir(), "data")}
	for _, handover := range []string{"desk", "meet", "both"} {
		env["HANDOVER"] = handover
		if out, _, _ := octavo(t, env, "doctor", "market"); strings.Contains(out, "hand-overs") {
			t.Errorf("without a database: %s", out)
		}
	}
	campus(t, env)
	change(t, env, "DELETE FROM desks; DELETE FROM meeting_places")
	for handover, want := range map[string][2]bool{"desk": {true, false}, "meet": {false, true}, "both": {true, true}} {
		env["HANDOVER"] = handover
		out, _, _ := octavo(t, env, "doctor", "market")
		if got := [2]bool{strings.Contains(out, "there is no desk yet"), strings.Contains(out, "there is no place to meet yet")}; got != want {
			t.Errorf("%s: %v in %s", handover, got, out)
		}
	}
}

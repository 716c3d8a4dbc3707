package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestADemoCampusIsMadeOnceAndItsBooksBalance(t *testing.T) {
	env := map[string]string{"DATA_DIR": filepath.Join(t.TempDir(), "campus"), "BCRYPT_COST": cheapest}
	out, errs, code := octavo(t, env, "demo", "--books", "300", "--users", "20")
	if code != 0 || !strings.Contains(out, "Made 20 users, 300 books") || !strings.Contains(out, "password") {
		t.Fatalf("%d\n%s%s", code, out, errs)
	}
	if out, errs, code = octavo(t, env, "demo"); code != 1 || !strings.Contains(errs, "not empty") || strings.Contains(out, "Made") {
		t.Errorf("a second time: %d\n%s%s", code, out, errs)
	}
	if out, errs, code = octavo(t, env, "ledger", "check"); code != 0 {
		t.Errorf("the ledger: %d\n%s%s", code, out, errs)
	}
	if out, _, _ = octavo(t, env, "users", "list"); strings.Count(out, ".example.edu") != 20 || !strings.Contains(out, "owner@northfield.example.edu") {
		t.Errorf("the people:\n%s", out)
	}
}

func TestADemoCampusIsThatOfTheSettings(t *testing.T) {
	env := map[string]string{"DATA_DIR": filepath.Join(t.TempDir(), "campus"), "BCRYPT_COST": cheapest, "CAMPUS_DOMAINS": "ac.uk", "CURRENCY": "GBP"}
	out, errs, code := octavo(t, env, "demo", "--books", "50", "--users", "10")
	if code != 0 || !strings.Contains(out, "owner@northfield.example.ac.uk (owner)") {
		t.Fatalf("%d\n%s%s", code, out, errs)
	}
	if out, _, _ = octavo(t, env, "users", "list"); strings.Count(out, ".example.ac.uk") != 10 {
		t.Errorf("the people:\n%s", out)
	}
}

func TestACampusOfNoSizeIsRefused(t *testing.T) {
	for _, args := range [][]string{{"--users", "1"}, {"--books=-1"}, {"--books", "many"}, {"--seed=-1"}} {
		if out, errs, code := octavo(t, nil, append([]string{"demo"}, args...)...); code != 2 || strings.Count(errs, "\n") != 1 {
			t.Errorf("%v: %d\n%s%s", args, code, out, errs)
		}
	}
}

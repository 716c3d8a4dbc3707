package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestAccountsAreFoundByPartOfAnAddressOrName(t *testing.T) {
	env, file := importing(t, "email,hash,firstName,lastName,university\nann@u.edu,"+bcryptHash+",Ann,Birch,U\nbob@u.edu,"+bcryptHash+",Bob,Ash,U\n")
	if _, errs, code := octavo(t, env, "users", "import", file); code != 0 {
		t.Fatal(errs)
	}
	for part, want := range map[string][]string{"ann@": {"ann@u.edu"}, "bir": {"ann@u.edu"}, "Ann Birch": {"ann@u.edu"}, "u.edu": {"ann@u.edu", "bob@u.edu"}} {
		out, errs, code := octavo(t, env, append([]string{"users", "find"}, strings.Fields(part)...)...)
		if code != 0 || errs != "" || strings.Count(out, "\n") != 1+len(want) {
			t.Errorf("%s: %d %s%s", part, code, out, errs)
		}
		for _, email := range want {
			if !strings.Contains(out, email) {
				t.Errorf("%s: %s", part, out)
			}
		}
	}
	var one struct{ Email, Name string }
	if out, _, _ := octavo(t, env, "users", "find", "ann@u.edu", "--json"); json.Unmarshal([]byte(out), &one) != nil || one.Name != "Ann Birch" {
		t.Errorf("an address: %s", out)
	}
	var some []struct{ Email string }
	if out, _, _ := octavo(t, env, "users", "find", "ann@", "--json"); json.Unmarshal([]byte(out), &some) != nil || len(some) != 1 {
		t.Errorf("a part: %s", out)
	}
	if out, errs, code := octavo(t, env, "users", "find", "zoe"); code != 1 || out != "" || !strings.Contains(errs, `"zoe" is part of no address and no name`) {
		t.Errorf("nobody: %d %s%s", code, out, errs)
	}
}

func TestTheListOfFoundAccountsIsBounded(t *testing.T) {
	var lines strings.Builder
	for i := range 51 {
		fmt.Fprintf(&lines, "student%d@u.edu,%s\n", i, bcryptHash)
	}
	env, file := importing(t, lines.String())
	if _, errs, code := octavo(t, env, "users", "import", file); code != 0 {
		t.Fatal(errs)
	}
	if out, errs, code := octavo(t, env, "users", "find", "student"); code != 0 || strings.Count(out, "\n") != 51 || !strings.Contains(errs, "There are more") {
		t.Errorf("%d: %s%s", code, out, errs)
	}
}

func TestCommandsAboutSomebodyWhoDoesNotExistSayHowToFindThem(t *testing.T) {
	env, _ := importing(t, "")
	for _, args := range []string{"find x@u.edu", "export x@u.edu", "export chloe", "delete x --yes", "suspend x@u.edu", "promote x@u.edu --role admin", "reset-2fa x@u.edu"} {
		if out, errs, code := octavo(t, env, append([]string{"users"}, strings.Fields(args)...)...); code != 1 || out != "" || !strings.Contains(errs, "octavo users find PART") {
			t.Errorf("%s: %d %s%s", args, code, out, errs)
		}
	}
}

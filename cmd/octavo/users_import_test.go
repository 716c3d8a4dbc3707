package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

const (
	bcryptHash = "$2a$10$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234"
	argon2Hash = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
)

// importing is an empty database and a file to import.
func importing(t *testing.T, content string) (env map[string]string, file string) {
	t.Helper()
	env = map[string]string{"DATA_DIR": filepath.Join(t.TempDir(), "data"), "BCRYPT_COST": cheapest}
	if out, errs, code := octavo(t, env, "migrate", "up"); code != 0 {
		t.Fatal(out, errs)
	}
	file = filepath.Join(t.TempDir(), "users")
	write(t, file, content)
	return env, file
}

func people(t *testing.T, env map[string]string) string {
	t.Helper()
	out, errs, code := octavo(t, env, "users", "list")
	if code != 0 {
		t.Fatal(errs)
	}
	return out
}

func TestBadLinesAreListedAndTheOthersImported(t *testing.T) {
	env, file := importing(t, "ann@u.edu,"+bcryptHash+"\n\nno comma\nbob@u.edu,"+argon2Hash+"\nnobody,"+bcryptHash+"\n"+
		strings.Repeat("x", 9000)+"\ncyd@u.edu,md5\nann@u.edu,"+bcryptHash+"\ndan@u.edu,$2a$31$"+bcryptHash[7:]+"\neve@u.edu,"+bcryptHash)
	out, errs, code := octavo(t, env, "users", "import", file)
	if code != 1 || out != "3 imported, 1 skipped because the address already has an account.\n5 lines are bad and skipped.\n" {
		t.Errorf("code %d, %q", code, out)
	}
	lines := strings.Split(strings.TrimSpace(errs), "\n")
	if len(lines) != 5 || strings.Contains(errs, bcryptHash) {
		t.Fatalf("%q", lines)
	}
	for i, begin := range []string{"line 3: needs an address", "line 5: ", "line 6: is longer", "line 7: The hash must be bcrypt", "line 9: The bcrypt hash has cost 31; at most 15"} {
		if !strings.HasPrefix(lines[i], begin) {
			t.Errorf("%q, not %q", lines[i], begin)
		}
	}
	if all := people(t, env); !strings.Contains(all, "ann@u.edu") || !strings.Contains(all, "bob@u.edu") || !strings.Contains(all, "eve@u.edu") || strings.Count(all, "@") != 3 {
		t.Errorf("\n%s", all)
	}
}

func TestAListOfPeopleFromTheDashboardIsRefusedOnceBecauseItHasNoPasswords(t *testing.T) {
	env, file := importing(t, "\ufeff\"id\",\"email\",\"verified\",\"permissionType\"\r\n\"'1\",\"ann@u.edu\",\"true\",\"0\"\r\n\"'2\",\"ben@u.edu\",\"true\",\"0\"\r\n")
	if out, errs, code := octavo(t, env, "users", "import", file); code != 1 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, `no column "hash"`) || !strings.Contains(errs, "octavo export") {
		t.Errorf("code %d, %q, %q", code, out, errs)
	}
}

func TestAStrictImportIsAllOrNothing(t *testing.T) {
	env, file := importing(t, strings.Repeat("ann@u.edu,"+bcryptHash+"\n", 700)+"bad\n")
	out, errs, code := octavo(t, env, "users", "import", "--strict", file)
	if code != 1 || !strings.Contains(out, "0 imported") || !strings.Contains(out, "nothing was imported") || !strings.HasPrefix(errs, "line 701: ") {
		t.Errorf("code %d, %q, %q", code, out, errs)
	}
	if all := people(t, env); strings.Contains(all, "@") {
		t.Errorf("\n%s", all)
	}
	write(t, file, "ann@u.edu,"+bcryptHash+"\n")
	if out, errs, code := octavo(t, env, "users", "import", "--strict", file); code != 0 || !strings.HasPrefix(out, "1 imported") {
		t.Errorf("mended: code %d, %q, %q", code, out, errs)
	}
}

func TestADryRunChangesNothing(t *testing.T) {
	env, file := importing(t, "ann@u.edu,"+bcryptHash+"\nann@u.edu,"+bcryptHash+"\n")
	out, errs, code := octavo(t, env, "users", "import", "--dry-run", file)
	if code != 0 || !strings.HasPrefix(out, "1 would be imported, 1 skipped") {
		t.Errorf("code %d, %q, %q", code, out, errs)
	}
	if all := people(t, env); strings.Contains(all, "@") {
		t.Errorf("\n%s", all)
	}
}

func TestCSVWithAHeaderRowImportsRolesAndNames(t *testing.T) {
	content := "\ufeffemail,hash,verified,role,firstName,lastName,university\r\n" +
		`ann@u.edu,"` + argon2Hash + `",true,USER,"Lee, Ann",Lee,U` + "\r\n" +
		"root@example.org," + bcryptHash + ",,OWNER,,,\r\n" +
		"bob@u.edu," + bcryptHash + ",false,,,,\r\n" +
		"cyd@u.edu," + bcryptHash + ",perhaps,,,,\r\n" +
		"dan@u.edu," + bcryptHash + ",,KING,,,\r\n" +
		"eve@example.org," + bcryptHash + ",,,Eve,Ito,U\r\n" +
		"fay@u.edu," + bcryptHash + ",,,Fay,,U\r\n" +
		"gus@u.edu," + argon2Hash + ",,,,,\r\n" +
		`hal@u.edu,"` + "\r\n"
	env, file := importing(t, content)
	out, errs, code := octavo(t, env, "users", "import", file)
	if code != 1 || !strings.HasPrefix(out, "2 imported") {
		t.Errorf("without --allow-roles: code %d, %q", code, out)
	}
	for _, want := range []string{
		"line 3: roles other than USER need --allow-roles", "line 5: verified is neither", "line 6: the role is not one", "line 7: names and university need",
		"; lastName must have", "line 9: has 9 fields, but the header has 7; quote", "line 10: has a misplaced quote",
	} {
		if !strings.Contains(errs, want) {
			t.Errorf("the errors do not contain %q:\n%s", want, errs)
		}
	}
	if out, _, _ = octavo(t, env, "users", "import", "--allow-roles", file); !strings.HasPrefix(out, "1 imported, 2 skipped") {
		t.Errorf("with --allow-roles: %q", out)
	}
	if all := people(t, env); !strings.Contains(all, "root@example.org  owner") || strings.Count(all, "@") != 3 {
		t.Errorf("\n%s", all)
	}
}

func TestAccountsOfFirebaseAreImportedWithItsParameters(t *testing.T) {
	const (
		salt = "42xEC+ixf3L2lw=="
		hash = "lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="
	)
	env, file := importing(t, `"email","hash","salt","verified"`+"\n"+`"ann@u.edu","`+hash+`","`+salt+`",true`+"\n"+
		`"bob@u.edu","`+hash+`","!",true`+"\n"+`"cyd@u.edu","`+bcryptHash+`","",false`+"\n"+`"dan@u.edu","short","`+salt+`",true`+"\n")
	parameters := filepath.Join(t.TempDir(), "parameters")
	text := "hash_config {\n  algorithm: SCRYPT,\n  base64_signer_key: jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA==,\n" +
		"  base64_salt_separator: Bw==,\n  rounds: 8,\n  mem_cost: 14,\n}\n"
	write(t, parameters, text)
	if _, errs, code := octavo(t, env, "users", "import", "--dry-run", file); code != 1 || !strings.Contains(errs, "line 2: a salt beside the hash needs --firebase") {
		t.Errorf("without the parameters: code %d, %q", code, errs)
	}
	out, errs, code := octavo(t, env, "users", "import", "--firebase", parameters, file)
	if code != 1 || !strings.HasPrefix(out, "2 imported") || !strings.Contains(errs, "line 3: The hash or the salt is not base64") || !strings.Contains(errs, "line 5: ") {
		t.Errorf("code %d, %q, %q", code, out, errs)
	}
	for _, bad := range []string{file, filepath.Join(t.TempDir(), "none")} {
		if out, errs, code := octavo(t, env, "users", "import", "--firebase", bad, file); code != 1 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, bad) {
			t.Errorf("bad parameters: code %d, %q, %q", code, out, errs)
		}
	}
}

func TestAHeaderWithAnUnknownColumnIsRefused(t *testing.T) {
	for _, header := range []string{"email,hash,phone", "email,hash,email"} {
		env, file := importing(t, header+"\nann@u.edu,"+bcryptHash+",x\n")
		if out, errs, code := octavo(t, env, "users", "import", file); code != 1 || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "column") {
			t.Errorf("%s: code %d, %q, %q", header, code, out, errs)
		}
	}
}

func TestManyLinesAreImportedFromStandardInput(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a while")
	}
	env, _ := importing(t, "")
	var all strings.Builder
	for i := range 3000 {
		_, _ = fmt.Fprintf(&all, "u%d@u.edu,%s\n", i, bcryptHash)
	}
	out, errs, code := octavoReading(t, all.String(), env, "users", "import", "--strict", "-")
	if code != 0 || !strings.HasPrefix(out, "3000 imported, 0 skipped") {
		t.Errorf("code %d, %q, %q", code, out, errs)
	}
}

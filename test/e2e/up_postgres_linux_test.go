package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/servers"
)

func TestOneCommandSetsUpAMarketOnPostgresAndAgain(t *testing.T) {
	t.Parallel()
	deep.NotShort(t, "needs Postgres")
	needsACopyOfTheSystem(t)
	url, file := database.PostgresURL(t), filepath.Join(servers.Dir(t), "database-url")
	must.Do(t, os.WriteFile(file, []byte(url+"\n"), 0o644))
	must.Do(t, os.Chmod(filepath.Dir(file), 0o755)) // the user of the service reads it
	f := startFresh(t, "DATABASE_URL_FILE="+file)
	defer func() {
		if t.Failed() {
			t.Log(f.printed())
		}
	}()
	f.signsTheOwnerIn()
	root := "/proc/" + f.process() + "/root"
	env := string(must.Get(os.ReadFile(root + "/etc/octavo/octavo.env"))(t))
	if !strings.Contains(env, "\nDATABASE_URL_FILE="+file+"\n") || strings.Contains(env, url) {
		t.Error("octavo.env does not name the file with the address of the database")
	}
	left := append(must.Get(filepath.Glob(root+"/var/lib/octavo/*.db"))(t), must.Get(filepath.Glob(root+"/var/backups/octavo/*"))(t)...)
	if len(left) > 0 {
		t.Errorf("there is an embedded database: %q", left)
	}
	if out := f.printed(); !strings.Contains(out, "Postgres answers") || strings.Contains(out, url) {
		t.Errorf("it prints %s", out)
	}

	f.env = f.env[:len(f.env)-1] // octavo.env has it now
	dry := f.upAgain("--dry-run")
	if !strings.Contains(dry, "Postgres answers") || !strings.Contains(dry, "Octavo runs already") || !strings.Contains(dry, "Nothing was changed.") {
		t.Errorf("a dry run says %s", dry)
	}
	again := f.upAgain()
	if !strings.Contains(again, "has an account, which is an owner") || !strings.Contains(again, "Back up Postgres") {
		t.Errorf("once more: %s", again)
	}
	if after := must.Get(os.ReadFile(root + "/etc/octavo/octavo.env"))(t); string(after) != env {
		t.Errorf("octavo.env has changed: %s", after)
	}
}

package e2e_test

import (
	"database/sql"
	"encoding/json"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/servers"
)

// issuer makes a token valid at another address. By default the issuer is the address.
const issuer = "JWT_ISSUER=octavo"

func TestABackupDuringTradeContainsEverythingAcknowledgedBefore(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	s := e2e.StartWith(t, []string{issuer}, "auth", "market")
	seller := s.Student("seller@mit.edu", "Sam")
	ids := []string{seller.Post(t, "Calculus", "MTH 161"), seller.Post(t, "Algebra", "MTH 165")}
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				_, _ = seller.Do("POST", "/api/books/postBook", e2e.Draft("Meanwhile", "CSC 101"))
			}
		}
	}()
	folder := filepath.Join(t.TempDir(), "backup")
	out, code := s.Octavo("backup", folder)
	close(stop)
	<-stopped
	if code != 0 || !strings.Contains(out, "octavo.db") || !strings.Contains(out, "signing-keys.pem") {
		t.Fatalf("backup: %d: %s", code, out)
	}
	if out, code := s.Octavo("backup", folder); code == 0 {
		t.Errorf("a backup was overwritten: %s", out)
	}

	restored := e2e.StartWith(t, []string{issuer, "DATA_DIR=" + folder}, "auth", "market")
	again := seller
	again.URL = restored.URL
	for _, id := range ids {
		again.Must(t, http.StatusOK, "GET", "/api/books/getBook/"+id, nil)
	}
	again.Must(t, http.StatusOK, "GET", "/api/user/getUserData", nil) // the keys are the same
	restored.Login("seller@mit.edu")
	if out, code := restored.Octavo("ledger", "check"); code != 0 {
		t.Errorf("the ledger does not balance: %s", out)
	}
}

func TestAKilledBackupLeavesNoFolderThatLooksLikeABackup(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	s := e2e.Start(t, "auth")
	parent := t.TempDir()
	// Nobody writes to this pipe, so the backup hangs at it after copying the database.
	if err := syscall.Mkfifo(filepath.Join(s.DataDir, "webhook-secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	backup := s.Begin("backup", filepath.Join(parent, "copy"))
	for found := []string{}; len(found) == 0; <-time.After(time.Millisecond) {
		found, _ = filepath.Glob(filepath.Join(parent, ".octavo-backup-*", "signing-keys.pem"))
	}
	backup.Kill()
	left, err := os.ReadDir(parent)
	if err != nil || len(left) != 1 || !strings.HasPrefix(left[0].Name(), ".octavo-backup-") {
		t.Errorf("%v, %v", left, err)
	}
}

func TestADumpOfPostgresRestoresEverything(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	deep.NotShort(t, "needs Postgres")
	env := append(onPostgres(t), issuer)
	s := e2e.StartWith(t, env, "auth", "market")
	seller := s.Student("seller@mit.edu", "Sam")
	id := seller.Post(t, "Calculus", "MTH 161")

	target := database.PostgresURL(t)
	restoreAsDocumented(t, strings.TrimPrefix(env[0], "DATABASE_URL="), target)

	restored := e2e.StartWith(t, []string{"DATABASE_URL=" + target, issuer, "DATA_DIR=" + s.DataDir}, "auth", "market")
	again := seller
	again.URL = restored.URL
	again.Must(t, http.StatusOK, "GET", "/api/books/getBook/"+id, nil)
	restored.Login("seller@mit.edu")
	if out, code := restored.Octavo("migrate", "status"); code != 0 || strings.Contains(out, "behind") {
		t.Errorf("migrate status: %d: %s", code, out)
	}
}

// restoreAsDocumented runs the commands of docs/operations/backup-postgres.md with other names of databases.
func restoreAsDocumented(t *testing.T, from, to string) {
	t.Helper()
	script := blocks(t)["docs/operations/backup-postgres.md"][0].text
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(u.Path, "/")
	script = strings.NewReplacer("createdb octavo_restored", "dropdb "+name+"; createdb "+name, "postgres://…/octavo_restored", to).Replace(script)
	cmd := exec.CommandContext(t.Context(), "sh", "-ec", script)
	cmd.Dir = t.TempDir()
	// On Debian, some programs of Postgres are not in the PATH.
	tools, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(os.Environ(), "DATABASE_URL="+from, "PGHOST="+u.Hostname(), "PGPORT="+u.Port(), "PGUSER="+u.User.Username(),
		"PATH="+strings.Join(append(tools, os.Getenv("PATH")), ":"))
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", script, err, out)
	}
}

func TestTwoProgramsMayMigrateAtTheSameTime(t *testing.T) {
	t.Parallel()
	deep.NotShort(t, "needs Postgres")
	env := []string{"DATABASE_URL=" + database.PostgresURL(t), "DATA_DIR=" + t.TempDir()}
	type outcome struct {
		out  string
		code int
	}
	done := make(chan outcome, 3)
	for range cap(done) {
		go func() {
			out, code := e2e.Octavo(t, env, "migrate", "up")
			done <- outcome{out, code}
		}()
	}
	for range cap(done) {
		if o := <-done; o.code != 0 {
			t.Errorf("migrate up: %d, want 0: %s", o.code, o.out)
		}
	}
}

func TestAProgramRefusesTheSchemaOfAnotherVersion(t *testing.T) {
	t.Parallel()
	deep.NotShort(t, "needs Postgres")
	dsn := database.PostgresURL(t)
	env := []string{"DATABASE_URL=" + dsn, "DATA_DIR=" + t.TempDir(), "PORT=0"}
	if out, code := e2e.Octavo(t, env, "serve", "auth"); code == 0 || !strings.Contains(out, "octavo migrate up") {
		t.Errorf("on an older schema: %d: %s", code, out)
	}
	if out, code := e2e.Octavo(t, env, "migrate", "up"); code != 0 {
		t.Fatalf("migrate up: %d, want 0: %s", code, out)
	}
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(t.Context(), "INSERT INTO goose_auth (version_id, is_applied) VALUES (99999, true)"); err != nil {
		t.Fatal(err)
	}
	if out, code := e2e.Octavo(t, env, "serve", "auth"); code != 2 || !strings.Contains(out, "newer") {
		t.Errorf("on a newer schema: %d: %s", code, out)
	}
}

func TestTheHealthCheckRecognisesARunningServer(t *testing.T) {
	t.Parallel()
	s := e2e.Start(t, "auth")
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	if out, code := e2e.Octavo(t, []string{"PORT=" + u.Port(), "HOST=0.0.0.0"}, "doctor", "--running"); code != 0 {
		t.Errorf("while it runs: %d, want 0: %s", code, out)
	}
	if _, code := e2e.Octavo(t, []string{"PORT=1"}, "doctor", "--running"); code != 1 {
		t.Errorf("where nothing runs: %d, want 1", code)
	}
}

func TestTheDoctorFindsFaultsAndAdvises(t *testing.T) {
	t.Parallel()
	redis := servers.Redis(t)
	healthy := []string{"DATA_DIR=" + t.TempDir(), "PORT=0", "REDIS_URL=" + redis.URL, "QUEUE_URL=" + servers.NATS(t).URL}
	if out, code := e2e.Octavo(t, healthy, "doctor", "auth", "market", "mailer"); code != 0 || strings.Contains(out, "FAIL") {
		t.Errorf("all is well: %d: %s", code, out)
	}
	redis.Kill()
	sick := append(slices.Clone(healthy), "QUEUE_URL=nats://127.0.0.1:1", "SMTP_URL=smtp://127.0.0.1:1", "MAIL_FROM=a@b.edu", "DATABASE_URL=postgres://x:hushhush@127.0.0.1:1/x")
	out, code := e2e.Octavo(t, sick, "doctor", "auth", "market", "mailer")
	if code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	for _, want := range []string{"FAIL  database", "FAIL  redis", "FAIL  queue", "FAIL  mail", "→ check REDIS_URL"} {
		if !strings.Contains(out, want) {
			t.Errorf("the doctor does not print %q:\n%s", want, out)
		}
	}
	if strings.Contains(out, "hushhush") {
		t.Errorf("the password is shown: %s", out)
	}
}

func TestTheStatusOfARunningServerFitsOnAScreen(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	s := e2e.Start(t)
	if out, code := s.Octavo("backup", filepath.Join(t.TempDir(), "backup")); code != 0 {
		t.Fatal(out)
	}
	env := append(os.Environ(), "DATA_DIR="+s.DataDir, "PORT="+s.URL[strings.LastIndexByte(s.URL, ':')+1:])
	out, code := e2e.Octavo(t, env, "status")
	if lines := strings.Count(out, "\n"); code != 0 || lines > 24 {
		t.Errorf("%d, %d lines", code, lines)
	}
	for _, want := range []string{"health       up, ", "database up", "mails        0 waiting, 0 given up", "last backup  ", " s ago", "last faults  none"} {
		if !strings.Contains(out, want) {
			t.Errorf("it has no %q: %s", want, out)
		}
	}
	out, code = e2e.Octavo(t, env, "status", "--json")
	var status struct {
		Running bool
		Health  struct{ Status string }
		Faults  []any
	}
	if err := json.Unmarshal([]byte(out), &status); err != nil || code != 0 || !status.Running || status.Health.Status != "up" || status.Faults == nil {
		t.Errorf("%d, %v: %s", code, err, out)
	}
}

//go:build linux

package e2e_test

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/e2e"
)

// requestEverything makes requests of every kind, none of which may fail.
func requestEverything(t *testing.T, s *e2e.Server, name string) {
	t.Helper()
	seller, buyer := s.Student("seller-"+name+"@mit.edu", "Sam"), s.Student("buyer-"+name+"@mit.edu", "Bea")
	buyer.Must(t, http.StatusCreated, "POST", "/api/books/requestBook", map[string]any{"name": "Topology " + name, "course": "MATH 440"})
	id := seller.Post(t, "Topology "+name, "MATH 440")
	for range 8 { // on every connection, and so often that Postgres switches to generic plans
		for _, path := range []string{"/api/books/getBooksNoToken/20/0", "/api/books/getBook/" + id, "/api/user/getUserData"} {
			buyer.Must(t, http.StatusOK, "GET", path, nil)
		}
	}
	buyer.Must(t, http.StatusCreated, "POST", "/api/books/checkoutCart", map[string]any{"bookIds": []string{id}})
	if bought := books(t, buyer, "/api/user/getPurchasedBooks?limit=20"); len(bought) != 1 || bought[0].ID != id {
		t.Errorf("bought: %v", bought)
	}
	s.Mail("buyer-"+name+"@mit.edu", "purchase_placed")
}

// inviteTwice has an admin invite a guest twice and revoke the invitation.
func inviteTwice(t *testing.T, by e2e.Client, name string) {
	t.Helper()
	for range 2 {
		if _, code := by.GraphQL(t, `mutation { inviteUser(email: "guest-`+name+`@mit.edu") }`, nil); code != "" {
			t.Errorf("inviteUser: %s", code)
		}
	}
	var open struct{ Invitations []struct{ ID string } }
	found, _ := by.GraphQL(t, `{ invitations { id } }`, nil)
	if err := json.Unmarshal(found, &open); err != nil || len(open.Invitations) == 0 {
		t.Fatalf("invitations: %s, %v", found, err)
	}
	if _, code := by.GraphQL(t, `mutation { revokeInvitation(id: "`+open.Invitations[0].ID+`") }`, nil); code != "" {
		t.Errorf("revokeInvitation: %s", code)
	}
}

func TestReplicasServeWhileTheSchemaIsMigratedToTheNextRelease(t *testing.T) {
	t.Parallel()
	deep.NotShort(t, "needs Postgres")
	env := onPostgres(t)
	s := e2e.StartWith(t, env, "auth", "market")
	head := s.Student("head@mit.edu", "Head")
	s.Promote("head@mit.edu", "admin")
	requestEverything(t, s, "before")
	inviteTwice(t, head, "before")
	expand(t, strings.TrimPrefix(env[0], "DATABASE_URL="))
	requestEverything(t, s, "after")
	inviteTwice(t, head, "after")
	if out, code := s.Octavo("migrate", "status"); code != 0 || !strings.Contains(out, "ahead of this program") {
		t.Errorf("migrate status: %d: %s", code, out)
	}
}

// expand makes the changes to every table that a release may make.
func expand(t *testing.T, dsn string) {
	t.Helper()
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	rows, err := db.QueryContext(t.Context(), `SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	statements := []string{`CREATE TABLE of_the_next_release (id bigint PRIMARY KEY)`}
	for rows.Next() {
		var table string
		if err := rows.Scan(&table); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(table, "goose_") {
			statements = append(statements, fmt.Sprintf(`INSERT INTO %s (version_id, is_applied) VALUES (99999, true)`, table))
			continue
		}
		statements = append(statements, fmt.Sprintf(`ALTER TABLE %[1]s ADD COLUMN of_the_next bigint NOT NULL DEFAULT 7`, table),
			fmt.Sprintf(`CREATE INDEX %[1]s_of_the_next ON %[1]s (of_the_next)`, table))
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

func TestOnAFullDiskReadsWorkAndWritesResumeOnceThereIsSpace(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	disk := t.TempDir()
	if err := syscall.Mount("octavo", disk, "tmpfs", 0, "size=32m"); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	s := e2e.StartWith(t, []string{"DATA_DIR=" + filepath.Join(disk, "data")}, "auth", "market")
	seller := s.Student("seller@mit.edu", "Sam")
	kept := seller.Post(t, "Calculus", "MTH 161")

	db := openBesideTheProgram(t, filepath.Join(disk, "data", "octavo.db"))
	db.SetMaxOpenConns(1)
	if _, err := db.ExecContext(t.Context(), "UPDATE goose_auth SET tstamp = datetime('now', '-1 day') WHERE version_id = 0"); err != nil {
		t.Fatal(err) // opens a connection while there is still space
	}
	ballast := filepath.Join(disk, "ballast")
	fillUpTo(t, disk, ballast, 256<<10)
	if id := postUntilFull(t, seller); id != "" {
		kept = id
	}
	seller.Must(t, http.StatusOK, "GET", "/api/books/getBook/"+kept, nil)
	e2e.Client{URL: s.URL}.Must(t, http.StatusOK, "GET", "/api/books/getBooksNoToken/20/0", nil)
	fill(t, filepath.Join(disk, "rest"))
	fillLog(t, db)
	awaitReadiness(t, s.URL, http.StatusServiceUnavailable, `"database":"down"`)
	if out, code := s.Octavo("doctor", "auth", "market"); code != 1 || !strings.Contains(out, "accepts no writes") {
		t.Errorf("the doctor: %d %s", code, out)
	}

	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	awaitReadiness(t, s.URL, http.StatusOK, `"database":"up"`)
	seller.Post(t, "Topology", "MATH 440")
	seller.Must(t, http.StatusOK, "GET", "/api/books/getBook/"+kept, nil)
	if out, code := s.Octavo("ledger", "check"); code != 0 {
		t.Errorf("the ledger does not balance: %s", out)
	}
}

// fillUpTo writes a file that leaves some bytes of a disk free.
func fillUpTo(t *testing.T, disk, path string, left int) {
	t.Helper()
	var free syscall.Statfs_t
	if err := syscall.Statfs(disk, &free); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, make([]byte, int(free.Bavail)*int(free.Bsize)-left), 0o600); err != nil {
		t.Fatal(err)
	}
}

// postUntilFull posts books until the response says that there is no space, and returns the last one that was
// acknowledged.
func postUntilFull(t *testing.T, seller e2e.Client) (kept string) {
	t.Helper()
	for range 2000 {
		a, err := seller.Do("POST", "/api/books/postBook", e2e.Draft("Algebra", "MTH 165"))
		if err != nil {
			t.Fatal(err)
		}
		if a.Status == http.StatusCreated {
			kept = idOf(a)
			continue
		}
		if a.Status != http.StatusServiceUnavailable || a.Header.Get("Retry-After") == "" {
			t.Fatalf("on a full disk: %d %v %s", a.Status, a.Header, a.Body)
		}
		return kept
	}
	t.Fatal("the disk is not full")
	return ""
}

// fill uses up the free space of a disk.
func fill(t *testing.T, path string) {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	for page := make([]byte, 4096); err == nil; {
		_, err = f.Write(page)
	}
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

// fillLog writes pages until there is no space for another one in the write-ahead log, whose
// file may be longer than its content.
func fillLog(t *testing.T, db *sql.DB) {
	t.Helper()
	var err error
	for n := 0; err == nil; n++ {
		_, err = db.ExecContext(t.Context(), "UPDATE goose_auth SET tstamp = datetime(?, 'unixepoch') WHERE version_id = 0", n)
	}
	if !strings.Contains(err.Error(), "full") {
		t.Fatal(err)
	}
}

package e2e_test

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"database/sql"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore/archive"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
)

// place is where an installation is.
type place struct {
	dir, dsn string
	photos   []string // settings; none: in the folder
}

func (p place) env() []string {
	env := []string{"DATA_DIR=" + p.dir, "BCRYPT_COST=4"}
	if p.dsn != "" {
		env = append(env, "DATABASE_URL="+p.dsn)
	}
	return append(env, p.photos...)
}

// elsewhere is an empty place with the keys of another.
func elsewhere(t *testing.T, keysOf, dsn string) place {
	t.Helper()
	p := place{dir: t.TempDir(), dsn: dsn}
	for _, name := range []string{"signing-keys.pem", "webhook-secret"} {
		if keys, err := os.ReadFile(filepath.Join(keysOf, name)); err == nil {
			must.Do(t, os.WriteFile(filepath.Join(p.dir, name), keys, 0o600))
		}
	}
	return p
}

// succeeds runs a command that succeeds.
func succeeds(t *testing.T, env []string, args ...string) string {
	t.Helper()
	out, code := e2e.Octavo(t, env, args...)
	if code != 0 {
		t.Fatalf("octavo %v: %d %s", args, code, out)
	}
	return out
}

// exported exports everything, and returns the file and its sums.
func exported(t *testing.T, env []string, more ...string) (file, out string, sums archive.Manifest) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "campus.tar.gz")
	out = succeeds(t, env, append([]string{"export", file}, more...)...)
	f := must.Get(os.Open(file))(t)
	defer func() { _ = f.Close() }()
	return file, out, must.Get(archive.Open(t.Context(), f, func(string, int64, int64) {}))(t).Manifest
}

func equalSums(t *testing.T, got, want archive.Manifest) {
	t.Helper()
	if !maps.Equal(got.Tables, want.Tables) || got.Photos != want.Photos {
		t.Errorf("there is\n%v %v, not\n%v %v", got.Tables, got.Photos, want.Tables, want.Photos)
	}
}

func TestACampusMovesFromSQLiteToPostgresAndBackWithAllThatItHolds(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	deep.NotShort(t, "needs Postgres")
	s := e2e.StartWith(t, keptForCenturies, releasedRooms...)
	fillReleased(t, s)
	seller := s.Login("seller-kept@mit.edu")
	_, photo, err := addPhoto(seller, seller.Post(t, "Photography", "ART 102"), aPicture(t))
	must.Do(t, err)
	if code := s.Stop(); code != 0 {
		t.Fatalf("stop: %d", code)
	}
	lite := place{dir: s.DataDir}
	file, _, want := exported(t, lite.env())
	if want.Photos.Rows != 2 || want.Tables["ledger"].Rows == 0 || want.Tables["inbox_deliveries"].Rows == 0 {
		t.Fatalf("the archive has %v, %v", want.Photos, want.Tables)
	}
	server := elsewhere(t, lite.dir, database.PostgresURL(t))
	server.photos = []string{
		"BLOB_URL=" + servers.S3(t).URL(""), "AWS_ACCESS_KEY_ID=" + servers.S3AccessKeyID, "AWS_SECRET_ACCESS_KEY=" + servers.S3SecretAccessKey,
	}
	succeeds(t, server.env(), "import", file)
	file, _, sums := exported(t, server.env())
	equalSums(t, sums, want)
	back := elsewhere(t, lite.dir, "")
	succeeds(t, back.env(), "import", file)
	_, _, sums = exported(t, back.env())
	equalSums(t, sums, want)
	for _, p := range []place{server, back} {
		later := e2e.StartWith(t, append(append(p.env(), "BASE_URL="+s.URL), keptForCenturies...), releasedRooms...)
		e2e.Client{URL: later.URL, Token: seller.Token}.Must(t, http.StatusOK, "GET", "/api/user/getUserData", nil) // nobody signs in again
		e2e.Client{URL: later.URL}.Must(t, http.StatusOK, "GET", photo.URL, nil)
		later.Stop()
		checkReleased(t, p.env()...)
	}
}

func TestTheDatabaseOfEveryReleaseIsExportedAsItIsAndImportedHere(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	for _, folder := range must.Get(filepath.Glob(releasedFolder + "/*"))(t) {
		t.Run(filepath.Base(folder)+" on SQLite", func(t *testing.T) {
			old := place{dir: t.TempDir()}
			for _, name := range []string{"octavo.db", "webhooks.db"} {
				must.Do(t, os.WriteFile(filepath.Join(old.dir, name), contentOf(t, filepath.Join(folder, name+".gz")), 0o600))
			}
			file, _, _ := exported(t, old.env())
			now := elsewhere(t, old.dir, "")
			succeeds(t, now.env(), "import", file, "--other-keys")
			checkReleased(t, now.env()...)
		})
		t.Run(filepath.Base(folder)+" on Postgres", func(t *testing.T) {
			deep.NotShort(t, "needs Postgres")
			old := place{dir: t.TempDir(), dsn: database.PostgresURL(t)}
			restored := must.Get(sql.Open("pgx", old.dsn))(t)
			must.Get(restored.ExecContext(t.Context(), string(contentOf(t, filepath.Join(folder, "postgres.sql.gz")))))(t)
			must.Do(t, restored.Close())
			file, _, _ := exported(t, old.env())
			now := elsewhere(t, old.dir, database.PostgresURL(t))
			succeeds(t, now.env(), "import", file, "--other-keys")
			checkReleased(t, now.env()...)
		})
	}
}

func TestAKilledImportGoesOnWhereItStopped(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	campus := place{dir: t.TempDir()}
	succeeds(t, campus.env(), "demo", "--books", "9000", "--users", "300")
	file, _, want := exported(t, campus.env())
	for name, dsn := range map[string]func(*testing.T) string{
		"sqlite":   func(*testing.T) string { return "" },
		"postgres": func(t *testing.T) string { deep.NotShort(t, "needs Postgres"); return database.PostgresURL(t) },
	} {
		t.Run(name, func(t *testing.T) {
			to := elsewhere(t, campus.dir, dsn(t))
			_, read := database.Connect(t, cmp.Or(to.dsn, "sqlite:"+filepath.Join(to.dir, "octavo.db"))).SQL()
			for _, files := range []int{2, 9} {
				killImport(t, to, file, read, files)
			}
			if out, code := e2e.Octavo(t, to.env(), "serve"); code != 1 || !strings.Contains(out, "unfinished import") {
				t.Errorf("a part is served: %d %s", code, out)
			}
			succeeds(t, to.env(), "import", file)
			_, _, sums := exported(t, to.env())
			equalSums(t, sums, want)
			succeeds(t, to.env(), "ledger", "check")
		})
	}
}

// killImport kills an import when so many files of the archive are in the database.
func killImport(t *testing.T, to place, file string, read *sql.DB, files int) {
	t.Helper()
	p := e2e.Begin(t, to.env(), "import", file)
	poll.For(t, "a part is imported", func() bool {
		var n int
		_ = read.QueryRowContext(t.Context(), "SELECT files FROM import_record").Scan(&n)
		return n >= files || p.Ended()
	})
	if p.Ended() {
		t.Fatalf("it ended before it was killed: %s", p.Output())
	}
	p.Kill()
}

func TestDevelopersGetACampusInWhichNobodyIsRecognised(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	s := e2e.StartWith(t, keptForCenturies, releasedRooms...)
	fillReleased(t, s)
	buyer, seller := s.Login("buyer-kept@mit.edu"), s.Login("seller-kept@mit.edu")
	id := seller.Post(t, "Zoology of Wombats", "BIO 301", "Comments", "call me: 555-0199")
	buyer.Must(t, http.StatusCreated, "POST", "/api/books/requestBook", map[string]any{"name": "Quokkas", "course": "BIO 302"})
	buyer.Must(t, http.StatusCreated, "POST", "/api/user/sendMessage", map[string]any{"bookId": id, "text": "my number is 555-0100"})
	file, out, _ := exported(t, []string{"DATA_DIR=" + s.DataDir, "BCRYPT_COST=4"}, "--anonymise") // of a program that serves
	content := must.Get(os.ReadFile(file))(t)
	text := strings.ToLower(string(must.Get(io.ReadAll(must.Get(gzip.NewReader(bytes.NewReader(content)))(t)))(t)))
	for _, word := range []string{"kept", "mit.edu", "sam", "tester", "rochester", "270001", "pay-", "wombats", "quokkas", "555-0", "bio 30", "topology", `"push"`} {
		if at := strings.Index(text, word); at >= 0 {
			t.Errorf("%s is in it: %s", word, text[max(0, at-200):min(len(text), at+50)])
		}
	}
	password := regexp.MustCompile(`password (\w{20}),`).FindStringSubmatch(out)
	if password == nil || strings.Contains(text, password[1]) {
		t.Fatalf("the password of all is not there: %s", out)
	}
	made := place{dir: t.TempDir()}
	succeeds(t, made.env(), "import", file)
	useAnonymised(t, e2e.StartWith(t, made.env(), releasedRooms...), password[1])
}

// useAnonymised signs in as everybody, finds the books by their new titles, and posts what somebody looks for.
func useAnonymised(t *testing.T, s *e2e.Server, password string) {
	t.Helper()
	var people []e2e.Client
	for _, email := range []string{"person-1@example.edu", "person-2@example.edu", "person-3@example.edu"} {
		var session struct{ Token string }
		e2e.Client{URL: s.URL}.Must(t, http.StatusOK, "POST", "/api/auth/login", map[string]string{"email": email, "password": password}).Data(t, &session)
		people = append(people, e2e.Client{URL: s.URL, Token: session.Token})
	}
	seller, buyer := people[1], people[2]
	listed := books(t, buyer, "/api/books/getBooksNoToken/20/0")
	if len(listed) != 2 {
		t.Fatalf("there are %v", listed)
	}
	for _, b := range listed {
		word, _, _ := strings.Cut(b.Name, " ")
		if found := books(t, buyer, "/api/books/search/"+word); len(found) != 1 || found[0].ID != b.ID {
			t.Errorf("%s is found as %v", b.Name, found)
		}
	}
	var wanted []struct {
		Name, Course string
		Status       int
	}
	buyer.Must(t, http.StatusOK, "GET", "/api/user/getRequests?limit=20", nil).Data(t, &wanted)
	if len(wanted) == 0 || wanted[0].Status != 0 { // newest first
		t.Fatalf("the buyer looks for %v", wanted)
	}
	seller.Post(t, wanted[0].Name, wanted[0].Course)
	told := buyer.Must(t, http.StatusOK, "GET", "/api/user/getNotifications?limit=1", nil)
	if !strings.Contains(string(told.Body), `"match_found"`) {
		t.Errorf("a book that somebody looks for is not matched: %s", told.Body)
	}
}

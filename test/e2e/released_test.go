package e2e_test

import (
	"compress/gzip"
	"database/sql"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/must"
)

// releasedFolder has a folder for each release, with the databases that fillReleased has filled and
// TestAReleaseKeepsItsDatabases has stored.
const releasedFolder = "testdata/released"

// What waits in a kept database may be years old, and what is deleted with time must still be there.
var (
	keptForCenturies = []string{"WEBHOOK_SECRET=" + inboxSecret, "WEBHOOK_KEEP_BODIES=1750000h", "WEBHOOK_KEEP_IDS=1750000h"}
	releasedRooms    = []string{"auth", "market", "webhooks"}
)

func TestTheDatabasesOfEveryReleaseAreBroughtUpWithAllThatTheyHold(t *testing.T) {
	t.Parallel()
	skipOverReplicas(t)
	releases := must.Get(filepath.Glob(releasedFolder + "/*"))(t)
	if len(releases) == 0 {
		t.Fatal("no release has kept a database")
	}
	for _, folder := range releases {
		t.Run(filepath.Base(folder)+" on SQLite", func(t *testing.T) {
			data := t.TempDir()
			for _, name := range []string{"octavo.db", "webhooks.db"} {
				must.Do(t, os.WriteFile(filepath.Join(data, name), contentOf(t, filepath.Join(folder, name+".gz")), 0o600))
			}
			checkReleased(t, "DATA_DIR="+data)
		})
		t.Run(filepath.Base(folder)+" on Postgres", func(t *testing.T) {
			deep.NotShort(t, "needs Postgres")
			dsn := database.PostgresURL(t)
			restored := must.Get(sql.Open("pgx", dsn))(t)
			must.Get(restored.ExecContext(t.Context(), string(contentOf(t, filepath.Join(folder, "postgres.sql.gz")))))(t)
			must.Do(t, restored.Close())
			env := "DATABASE_URL=" + dsn
			if out, code := e2e.Octavo(t, []string{env}, "migrate", "up"); code != 0 {
				t.Fatalf("migrate up: %d %s", code, out)
			}
			checkReleased(t, env)
		})
	}
}

func contentOf(t *testing.T, path string) []byte {
	t.Helper()
	file := must.Get(os.Open(path))(t)
	defer func() { _ = file.Close() }()
	return must.Get(io.ReadAll(must.Get(gzip.NewReader(file))(t)))(t)
}

// fillReleased makes what checkReleased looks for. Nothing of it ends with time.
func fillReleased(t *testing.T, s *e2e.Server) {
	t.Helper()
	head := s.Student("head@mit.edu", "Head")
	s.Promote("head@mit.edu", "admin")
	requestEverything(t, s, "kept")
	sold := books(t, s.Login("buyer-kept@mit.edu"), "/api/user/getPurchasedBooks?limit=20")[0].ID
	for _, step := range []string{"confirmBook", "setBookPaid"} {
		head.Must(t, http.StatusOK, "POST", "/api/dashboard/"+step, map[string]string{"bookId": sold})
	}
	head.Post(t, "Algebra kept", "MTH 165")
	send := []string{"webhooks", "send", "push", "--secret", inboxSecret, "--id", "kept-1", "--to", s.URL + "/api/host/webhooks"}
	if out, code := s.Octavo(send...); code != 0 {
		t.Fatalf("webhooks send: %d %s", code, out)
	}
}

// checkReleased serves what fillReleased has made, and goes on with it.
func checkReleased(t *testing.T, where ...string) {
	t.Helper()
	s := e2e.StartWith(t, append(where, keptForCenturies...), releasedRooms...)
	seller, buyer := s.Login("seller-kept@mit.edu"), s.Login("buyer-kept@mit.edu")
	bought := books(t, buyer, "/api/user/getPurchasedBooks?limit=20")
	if len(bought) != 1 || bought[0].Name != "Topology kept" || bought[0].Status != 3 || bought[0].Seller.FirstName != "Sam" {
		t.Errorf("bought: %+v", bought)
	}
	if a := buyer.Must(t, http.StatusOK, "GET", "/api/books/search/algebra", nil); !strings.Contains(string(a.Body), "Algebra kept") {
		t.Errorf("found: %s", a.Body)
	}
	told := seller.Must(t, http.StatusOK, "GET", "/api/user/getNotifications?limit=20", nil)
	if !strings.Contains(string(told.Body), `"payment_sent"`) {
		t.Errorf("notifications: %s", told.Body)
	}
	for _, command := range []struct{ line, says string }{
		{"webhooks list", "kept-1"}, {"ledger check", ""}, {"users list", "head@mit.edu"}, {"migrate status", "up to date"},
	} {
		if out, code := s.Octavo(strings.Fields(command.line)...); code != 0 || !strings.Contains(out, command.says) {
			t.Errorf("%s: %d %s", command.line, code, out)
		}
	}
	requestEverything(t, s, "later")
}

package e2e_test

import (
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/servers"
)

// psqlOnly are the lines of a dump that only psql understands.
var psqlOnly = regexp.MustCompile(`(?m)^\\.*\n`)

// It stores the databases of a release, for the tests of every later one.
func TestAReleaseKeepsItsDatabases(t *testing.T) {
	name := os.Getenv("OCTAVO_KEEP_RELEASE")
	if name == "" {
		t.Skip("set OCTAVO_KEEP_RELEASE to the name of the release")
	}
	folder := filepath.Join(releasedFolder, name)
	must.Do(t, os.MkdirAll(folder, 0o750))
	filled := func(env ...string) {
		s := e2e.StartWith(t, append(env, keptForCenturies...), releasedRooms...)
		fillReleased(t, s)
		if code := s.Stop(); code != 0 {
			t.Fatalf("the program ended with %d", code)
		}
	}

	data, copies := t.TempDir(), t.TempDir()
	filled("DATA_DIR=" + data)
	for _, name := range []string{"octavo.db", "webhooks.db"} {
		compacted := filepath.Join(copies, name)
		must.Get(openBesideTheProgram(t, filepath.Join(data, name)).ExecContext(t.Context(), "VACUUM INTO ?", compacted))(t)
		pack(t, filepath.Join(folder, name+".gz"), must.Get(os.ReadFile(compacted))(t))
	}

	env := onPostgres(t)
	filled(env...)
	dump := filepath.Join(must.Get(servers.PostgresPrograms())(t), "pg_dump")
	dsn := strings.TrimPrefix(env[0], "DATABASE_URL=")
	text := must.Get(exec.CommandContext(t.Context(), dump, "--rows-per-insert=100", "--no-owner", "--no-privileges", dsn).Output())(t)
	pack(t, filepath.Join(folder, "postgres.sql.gz"), psqlOnly.ReplaceAll(text, nil))
}

func pack(t *testing.T, path string, content []byte) {
	t.Helper()
	var packed bytes.Buffer
	w := must.Get(gzip.NewWriterLevel(&packed, gzip.BestCompression))(t)
	must.Get(w.Write(content))(t)
	must.Do(t, w.Close())
	must.Do(t, os.WriteFile(path, packed.Bytes(), 0o600))
}

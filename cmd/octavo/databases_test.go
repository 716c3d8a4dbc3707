package main

import (
	"bytes"
	"context"
	"database/sql"
	"path/filepath"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/test/must"
)

func TestADatabaseThatNoRestartCanMendEndsWithCodeTwo(t *testing.T) {
	env := map[string]string{"DATA_DIR": t.TempDir(), "PORT": "0"}
	if _, errs, code := octavo(t, env, "migrate", "up"); code != 0 {
		t.Fatalf("migrate up: %d: %s", code, errs)
	}
	path := filepath.Join(env["DATA_DIR"], "octavo.db")
	db, err := sql.Open("sqlite", path)
	must.Do(t, err)
	must.Do(t, must.Err(db.ExecContext(t.Context(), "INSERT INTO goose_auth (version_id, is_applied) VALUES (99999, 1)")))
	must.Do(t, db.Close())
	for _, command := range []string{"serve auth", "users list"} {
		if _, errs, code := octavo(t, env, strings.Fields(command)...); code != 2 || !strings.Contains(errs, "newer than this program") {
			t.Errorf("%s on a newer schema: %d: %s", command, code, errs)
		}
	}
	write(t, path, strings.Repeat("no database ", 100))
	for _, command := range []string{"serve auth", "users list"} {
		if _, errs, code := octavo(t, env, strings.Fields(command)...); code != 2 || !strings.Contains(errs, path+" is not a database") {
			t.Errorf("%s on another file: %d: %s", command, code, errs)
		}
	}
}

func TestACommandThatIsInterruptedSaysSo(t *testing.T) {
	t.Setenv("DATA_DIR", t.TempDir())
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var out, errs bytes.Buffer
	if code := run(ctx, []string{"migrate", "up"}, terminal.Console{Out: &out, Err: &errs, Clock: terminal.SystemClock{}}); code != 1 || errs.String() != "octavo: interrupted\n" {
		t.Errorf("%d: %s", code, errs.String())
	}
}

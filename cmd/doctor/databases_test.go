package doctor

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/settings"
)

// onSQLite returns a migrated database and its connection.
func onSQLite(t *testing.T) (config.Database, *gormstore.DB) {
	t.Helper()
	s := settings.Default(t)
	d := s.MainDatabase()
	db, err := gormstore.Open(t.Context(), d.URL, slog.New(slog.DiscardHandler))
	if err == nil {
		err = db.Migrate(t.Context(), d.Schema...)
	}
	must.Do(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return d, db
}

func TestADatabaseThatIsOnlyBusyIsAWarning(t *testing.T) {
	d, db := onSQLite(t)
	write, _ := db.SQL()
	others := must.Get(write.BeginTx(t.Context(), nil))(t)
	defer func() { _ = others.Rollback() }()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	all := checkWrites(ctx, db, d)
	says(t, all, warning, "too busy", "try again")
	for _, f := range all {
		if f.state == failure {
			t.Errorf("it is a failure: %v", f)
		}
	}
}

func TestAReadOnlyFileIsNamedWithWhatToDo(t *testing.T) {
	d, db := onSQLite(t)
	write, _ := db.SQL()
	must.Get(write.Exec("PRAGMA query_only = on"))(t)
	all := checkWrites(t.Context(), db, d)
	says(t, all, failure, d.Path()+" accepts no writes", "make "+d.Path()+", its -wal")
	if strings.Contains(all[0].advice, "default_transaction") || strings.Contains(all[0].advice, "standby") {
		t.Errorf("on SQLite it speaks of Postgres: %s", all[0].advice)
	}
	err := d.ReadOnly(db.TryWrite(t.Context(), d.Schema[0]))
	if err == nil || !strings.Contains(err.Error(), d.Path()+" is read-only") || !strings.Contains(err.Error(), "writable for the user") {
		t.Errorf("the error of a start: %v", err)
	}
	if other := errors.New("other"); !errors.Is(d.ReadOnly(other), other) || d.ReadOnly(nil) != nil {
		t.Error("another error is taken for one of a read-only file")
	}
}

package gormstore_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
	"gorm.io/gorm"
)

func openPostgres(t *testing.T, dsn string) *gormstore.DB {
	t.Helper()
	db := must.Get(gormstore.Open(t.Context(), dsn, slog.New(slog.DiscardHandler)))(t)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// openSeverable opens a database whose connection can be cut and restored.
func openSeverable(t *testing.T) (db *gormstore.DB, cut, restore func()) {
	t.Helper()
	dsn := database.PostgresURL(t)
	u := must.Get(url.Parse(dsn))(t)
	name := strings.TrimPrefix(u.Path, "/")
	u.Path = "/postgres"
	db = openPostgres(t, dsn)
	admin := openPostgres(t, u.String())
	do := func(statement string) {
		t.Helper()
		must.Do(t, admin.Write.WithContext(context.Background()).Exec(statement).Error)
	}
	cut = func() {
		do("ALTER DATABASE " + name + " ALLOW_CONNECTIONS false")
		do("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '" + name + "'")
	}
	return db, cut, func() { do("ALTER DATABASE " + name + " ALLOW_CONNECTIONS true") }
}

func TestALostPostgresIsUnavailableUntilItReturns(t *testing.T) {
	db, cut, restore := openSeverable(t)
	must.Do(t, db.Migrate(t.Context(), notes()))
	tries := map[string]func() error{
		"read":  func() error { var n []note; return db.Read.WithContext(t.Context()).Find(&n).Error },
		"write": func() error { return db.Write.WithContext(t.Context()).Exec("UPDATE notes SET n = 0").Error },
		"transaction": func() error {
			return db.Atomically(t.Context(), func(tx *gorm.DB) error { return tx.Exec("UPDATE notes SET n = 0").Error })
		},
		"ping": func() error { return db.Ping(t.Context()) },
	}
	cut()
	for what, try := range tries {
		must.Refuse(t, try(), gormstore.ErrUnavailable, what)
	}
	restore()
	for what, try := range tries {
		if err := try(); err != nil {
			t.Errorf("%s, back again: %v", what, err)
		}
	}
}

func TestAConnectionThatBreaksInATransactionIsUnavailable(t *testing.T) {
	db := openPostgres(t, database.PostgresURL(t))
	err := db.Atomically(t.Context(), func(tx *gorm.DB) error { return tx.Exec("SELECT pg_terminate_backend(pg_backend_pid())").Error })
	if !errors.Is(err, gormstore.ErrUnavailable) {
		t.Errorf("error: %v, want %v", err, gormstore.ErrUnavailable)
	}
}

func TestAnErrorInAStatementIsNotUnavailable(t *testing.T) {
	db := openPostgres(t, database.PostgresURL(t))
	if err := db.Write.WithContext(t.Context()).Exec("SELECT nonsense").Error; err == nil || errors.Is(err, gormstore.ErrUnavailable) {
		t.Errorf("error: %v", err)
	}
}

// After a failover a pooled connection may lead to a server that only reads. Here its session keeps
// the setting of the moment when it began.
func TestAConnectionToAReadOnlyServerIsReplaced(t *testing.T) {
	dsn := database.PostgresURL(t)
	u := must.Get(url.Parse(dsn))(t)
	admin := openPostgres(t, dsn)
	must.Do(t, admin.Migrate(t.Context(), notes()))
	alter := func(setting string) {
		t.Helper()
		statement := "ALTER DATABASE " + strings.TrimPrefix(u.Path, "/") + " " + setting + " default_transaction_read_only"
		if setting == "SET" {
			statement += " = on"
		}
		must.Do(t, admin.Write.WithContext(t.Context()).Exec(statement).Error)
	}
	alter("SET")
	db := openPostgres(t, dsn) // with one connection
	alter("RESET")
	if err := db.Write.WithContext(t.Context()).Find(&[]note{}).Error; err != nil {
		t.Errorf("a read: %v", err)
	}
	if err := db.Atomically(t.Context(), func(tx *gorm.DB) error { return tx.Create(&note{ID: 1}).Error }); err != nil {
		t.Errorf("a write: %v", err)
	}
}

func TestOnlyFailuresOfTheDatabaseItselfAreUnavailable(t *testing.T) {
	listener := must.Get((&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	address := listener.Addr().String()
	must.Do(t, listener.Close())
	_, refused := pgx.Connect(t.Context(), "postgres://octavo@"+address+"/octavo?sslmode=disable")
	for name, c := range map[string]struct {
		err         error
		unavailable bool
	}{
		"nothing":             {nil, false},
		"refused":             {refused, true},
		"connection lost":     {fmt.Errorf("query: %w", driver.ErrBadConn), true},
		"too many clients":    {&pgconn.PgError{Code: "53300"}, true},
		"shutting down":       {&pgconn.PgError{Code: "57P01"}, true},
		"connection failure":  {&pgconn.PgError{Code: "08006"}, true},
		"closed before":       {fmt.Errorf("query: %w", pgconn.ErrConnClosed), true},
		"connection returned": {sql.ErrConnDone, true},
		"crashed":             {&pgconn.PgError{Code: "57P02"}, true},
		"starting":            {&pgconn.PgError{Code: "57P03"}, true},
		"idle in transaction": {&pgconn.PgError{Code: "25P03"}, true},
		"took too long":       {&pgconn.PgError{Code: "57014"}, true},
		"read-only":           {&pgconn.PgError{Code: "25006"}, true},
		"disk full":           {&pgconn.PgError{Code: "53100"}, true},
		"disk fails":          {&pgconn.PgError{Code: "58030"}, true},
		"already wrapped":     {gormstore.ErrUnavailable, true},
		"unique violation":    {&pgconn.PgError{Code: "23505"}, false},
		"syntax error":        {&pgconn.PgError{Code: "42601"}, false},
		"nothing found":       {gorm.ErrRecordNotFound, false},
		"the caller has left": {context.Canceled, false},
	} {
		got := gormstore.WrapUnavailable(c.err)
		if errors.Is(got, gormstore.ErrUnavailable) != c.unavailable || c.err != nil && !errors.Is(got, c.err) {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A commit waits for a standby that does not exist, and its caller leaves. Other tests' commits wait for nothing,
// because their synchronous_commit is off.
func TestACommitThatNoStandbyHasIsShownToNobody(t *testing.T) {
	dsn := database.PostgresURL(t)
	must.Do(t, openPostgres(t, dsn).Migrate(t.Context(), notes()))
	db := openPostgres(t, dsn+"&synchronous_commit=on")
	insert := func(id int64) error {
		soon, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		return db.Atomically(soon, func(tx *gorm.DB) error { return tx.Create(&note{ID: id, Word: fmt.Sprint(id)}).Error })
	}
	database.WaitForStandby(t, "nobody")
	last := int64(0)
	awaitError(t, func() error { last++; return insert(last) }, gormstore.ErrUnavailable)
	must.Refuse(t, insert(last), gormstore.ErrUnavailable, "a repeat of it")
	database.WaitForStandby(t, "")
	awaitError(t, func() error { return db.Read.First(&note{}, last).Error }, nil)
}

// awaitError repeats do until its error is want: the server reads its settings some time later.
func awaitError(t *testing.T, do func() error, want error) {
	t.Helper()
	var got error
	if !poll.Until(func() bool { got = do(); return errors.Is(got, want) }) {
		t.Errorf("error: %v, want %v", got, want)
	}
}

// lagAt returns how far a standby is behind after checks, in seconds; -1 if that is unknown.
func lagAt(now int, checks ...[3]int64) int {
	clock := time.Unix(0, 0)
	f := gormstore.NewFreshness(3*time.Second, func() time.Time { return clock })
	for _, c := range checks {
		f.Update(time.Unix(c[0], 0), c[1], c[2])
	}
	clock = time.Unix(int64(now), 0)
	lag, known := f.Lag()
	if !known {
		return -1
	}
	return int(lag / time.Second)
}

func TestAStandbyIsAsFreshAsWhatItHasReplayed(t *testing.T) {
	for name, c := range map[string]struct {
		now    int
		checks [][3]int64 // when the primary was asked, its position, what the standby had replayed after that
		want   int
	}{
		"never checked":                          {1, nil, -1},
		"has replayed all":                       {1, [][3]int64{{1, 100, 100}}, 0},
		"has replayed more than was asked for":   {1, [][3]int64{{1, 100, 105}}, 0},
		"has not replayed yet":                   {1, [][3]int64{{1, 100, 90}}, -1},
		"a second behind":                        {3, [][3]int64{{1, 100, 90}, {2, 200, 150}, {3, 300, 250}}, 1},
		"stands still":                           {4, [][3]int64{{1, 100, 100}, {2, 200, 100}, {3, 300, 100}, {4, 400, 100}}, 3},
		"catches up":                             {5, [][3]int64{{1, 100, 100}, {2, 200, 100}, {3, 300, 100}, {4, 400, 100}, {5, 500, 450}}, 1},
		"catches up after longer than it may be": {9, [][3]int64{{1, 100, 100}, {2, 200, 100}, {9, 900, 250}}, 7},
		"is not asked any more":                  {30, [][3]int64{{1, 100, 100}}, 29},
		"an idle primary":                        {5, [][3]int64{{1, 100, 100}, {3, 100, 100}, {5, 100, 100}}, 0},
	} {
		if got := lagAt(c.now, c.checks...); got != c.want {
			t.Errorf("%s: %d s behind, want %d", name, got, c.want)
		}
	}
}

func TestOnlyAStandbyOfThePrimaryIsCompared(t *testing.T) {
	primary := gormstore.NewPosition(1, 2, false)
	for name, c := range map[string]struct {
		system, timeline int64
		inRecovery       bool
		want             string
	}{
		"a standby":            {1, 2, true, ""},
		"another cluster":      {9, 2, true, "another cluster"},
		"promoted":             {1, 3, false, "was promoted"},
		"the primary":          {1, 2, false, "not in recovery"},
		"of an earlier leader": {1, 1, true, "on timeline 1 instead of 2"},
	} {
		err := gormstore.NewPosition(c.system, c.timeline, c.inRecovery).Follows(primary)
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, gormstore.ErrNotFollowing) || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	must.Refuse(t, gormstore.NewPosition(1, 2, true).Follows(gormstore.NewPosition(1, 2, true)), gormstore.ErrNotFollowing, "a standby of a standby")
}

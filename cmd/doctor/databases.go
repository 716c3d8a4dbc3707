package doctor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/cmd/config"
)

func checkDatabases(ctx context.Context, s *config.Settings, parts config.Components) []finding {
	var all []finding
	for _, d := range s.Databases() {
		if parts.Identity() || parts.Webhooks {
			all = append(all, checkDatabase(ctx, d)...)
		}
	}
	return all
}

func checkDatabase(ctx context.Context, d config.Database) []finding {
	if d.Embedded() && config.FileMissing(d.Path()) {
		return []finding{warn(d.Name, "there is no database at "+d.Path()+" yet", "octavo serve creates it; if it should exist, check DATA_DIR and DATABASE_URL")}
	}
	db, err := gormstore.Open(ctx, d.URL, slog.New(slog.DiscardHandler))
	if name, refused := gormstore.RefusedParameter(err); refused {
		return []finding{failed(d.Name, fmt.Errorf("the pooler refuses the parameter %s", name),
			"in pgbouncer.ini: ignore_startup_parameters = statement_timeout, idle_in_transaction_session_timeout")}
	}
	if err != nil {
		return []finding{unlessBusy(failed(d.Name, err, openAdvice(d)), err)}
	}
	defer func() { _ = db.Close() }()
	if db.Dialect != gormstore.Postgres {
		return checkContent(ctx, db, d)
	}
	all, useless := checkPooler(ctx, d)
	if useless {
		return all
	}
	return append(append(checkContent(ctx, db, d), checkPostgres(ctx, db)...), all...)
}

func checkContent(ctx context.Context, db *gormstore.DB, d config.Database) []finding {
	all := []finding{checkSchema(ctx, db, d)}
	if all[0].state != failure {
		all = append(all, checkWrites(ctx, db, d)...)
	}
	return all
}

// checkWrites tries a write that changes nothing.
func checkWrites(ctx context.Context, db *gormstore.DB, d config.Database) []finding {
	states, err := db.Schema(ctx, d.Schema...)
	if err != nil {
		return []finding{unlessBusy(failed(d.Name, err, privileges(d)), err)}
	}
	for i, state := range states {
		if state.Current == 0 {
			continue
		}
		if err := db.TryWrite(ctx, d.Schema[i]); err != nil {
			return []finding{unlessBusy(failed(d.Name, fmt.Errorf("%s accepts no writes: %w", place(d), err), d.MakeWritable()), err)}
		}
		break
	}
	return nil
}

// CheckPostgres reports what stands in the way of `octavo migrate up` on the Postgres of the settings, and what to do.
func CheckPostgres(ctx context.Context, s config.Settings) error {
	d := s.MainDatabase()
	db, err := gormstore.Open(ctx, d.URL, slog.New(slog.DiscardHandler))
	if err != nil {
		return fmt.Errorf("%s: %s", config.OneLine(err), openAdvice(d))
	}
	defer func() { _ = db.Close() }()
	states, err := db.Schema(ctx, s.Databases()[0].Schema...)
	if err != nil {
		return fmt.Errorf("%s: %s", config.OneLine(err), privileges(d))
	}
	for _, state := range states {
		switch {
		case state.TooOld():
			return fmt.Errorf("%w: %s", gormstore.ErrTooOld, d.StartAnew())
		case state.Ahead():
			return fmt.Errorf("%s: the schema is newer than this program: take the newer one", state.Name)
		}
	}
	for _, f := range checkPostgres(ctx, db) {
		if f.state == failure {
			return fmt.Errorf("%s: %s", f.text, f.advice)
		}
	}
	return nil
}

// place names the file of a database, or the setting that leads to it.
func place(d config.Database) string {
	if d.Embedded() {
		return d.Path()
	}
	return "the database of DATABASE_URL"
}

// openAdvice and privileges say what to check about a database of this kind.
func openAdvice(d config.Database) string {
	if d.Embedded() {
		return "check that the user that runs Octavo may read " + d.Path() + " and write to its folder"
	}
	return "check DATABASE_URL, and that the server runs and accepts us"
}

func privileges(d config.Database) string {
	if d.Embedded() {
		return openAdvice(d)
	}
	return "check the privileges of the database user"
}

// unlessBusy turns a failure into a warning if it only took too long.
func unlessBusy(f finding, err error) finding {
	if !gormstore.Inconclusive(err) {
		return f
	}
	return warn(f.name, "it was too busy to answer in time: "+config.OneLine(err), "try again when less is going on")
}

// checkDeeply reads every table and index.
func checkDeeply(ctx context.Context, s *config.Settings, parts config.Components) []finding {
	var all []finding
	for _, d := range s.Databases() {
		if d.Embedded() && config.FileMissing(d.Path()) || !parts.Identity() && !parts.Webhooks {
			continue
		}
		all = append(all, checkDatabaseDeeply(ctx, d)...)
	}
	if parts.Market {
		all = append(all, checkPhotosDeeply(ctx, s)...)
	}
	return all
}

func checkDatabaseDeeply(ctx context.Context, d config.Database) []finding {
	name, advice := d.Name+" in depth", "restore a backup, or repair it while Octavo is stopped"
	db, err := gormstore.Open(ctx, d.URL, slog.New(slog.DiscardHandler))
	if err != nil {
		return []finding{unlessBusy(failed(name, err, openAdvice(d)), err)}
	}
	defer func() { _ = db.Close() }()
	schema, err := currentSchemas(ctx, db, d.Schema)
	if err != nil {
		return []finding{unlessBusy(failed(name, err, advice), err)}
	}
	if len(schema) == 0 {
		return nil
	}
	damage, notes, err := db.CheckIntegrity(ctx, schema...)
	if err != nil {
		return []finding{unlessBusy(failed(name, err, privileges(d)), err)}
	}
	var all []finding
	for _, text := range damage {
		all = append(all, failed(name, errors.New(text), advice))
	}
	for _, n := range notes {
		all = append(all, warn(name, n, "as a superuser, once"))
	}
	if len(damage) == 0 {
		all = append(all, passed(name, "every table and index is intact"))
	}
	return all
}

// currentSchemas returns the components whose schema has the version of this program. Tables of
// the others may be missing for good reason: another process may serve the component from
// another database, and checkSchema reports an older schema.
func currentSchemas(ctx context.Context, db *gormstore.DB, schema []gormstore.Migrations) (current []gormstore.Migrations, err error) {
	states, err := db.Schema(ctx, schema...)
	for i, state := range states {
		if state.Current == state.Target {
			current = append(current, schema[i])
		}
	}
	return current, err
}

func checkSchema(ctx context.Context, db *gormstore.DB, d config.Database) finding {
	states, err := db.Schema(ctx, d.Schema...)
	if err != nil {
		return unlessBusy(failed(d.Name, err, privileges(d)), err)
	}
	for _, state := range states {
		switch {
		case state.TooOld():
			return failed(d.Name, gormstore.ErrTooOld, d.StartAnew())
		case state.Ahead():
			return failed(d.Name, fmt.Errorf("%s: the schema is newer than this program", state.Name), "start the newer program")
		case state.Behind() && db.Dialect == gormstore.Postgres:
			return failed(d.Name, fmt.Errorf("%s: the schema is older than this program", state.Name), "run: octavo migrate up")
		case state.Behind():
			return passed(d.Name, "%s, migrated by octavo serve", db.Dialect)
		}
	}
	return passed(d.Name, "%s, schema up to date", db.Dialect)
}

func checkPostgres(ctx context.Context, db *gormstore.DB) []finding {
	_, read := db.SQL()
	var version, connections int
	var clock time.Time
	err := read.QueryRowContext(ctx, `SELECT current_setting('server_version_num')::int, current_setting('max_connections')::int, clock_timestamp()`).
		Scan(&version, &connections, &clock)
	if err != nil {
		return []finding{failed("postgres", err, "check the privileges of the database user")}
	}
	all := []finding{passed("postgres", "version %d, %d connections at most; a replica uses up to %d, and as many again for webhooks",
		version/10000, connections, read.Stats().MaxOpenConnections)}
	if version < 140000 {
		all = append(
			all, warn("postgres", fmt.Sprintf("version %d is older than what Octavo is tested with", version/10000), "use 14 or newer"),
		)
	}
	return append(all, checkClock("postgres clock", clock)...)
}

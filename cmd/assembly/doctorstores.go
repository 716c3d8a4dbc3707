package assembly

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/mail"
	"github.com/octavo-books/octavo/adapters/redisstore"
	"github.com/octavo-books/octavo/cmd/config"
)

// What is behind by so much makes codes and tokens expire too early or too late.
const clockApart = 2 * time.Second

func keyFindings(_ context.Context, s *config.Settings, parts config.Components) []finding {
	if !parts.Identity() {
		return nil
	}
	where := "PRIVATE_KEY"
	if s.Identity.PrivateKey == "" {
		where = "generated, in " + s.Storage.DataDir
		if config.FileMissing(filepath.Join(s.Storage.DataDir, config.KeysFile)) {
			return []finding{fine("signing key", "ES512, made in %s when serving", s.Storage.DataDir)}
		}
	}
	if _, err := s.SigningKey(); err != nil {
		return []finding{ill("signing key", err, "`octavo keys generate` makes a pair")}
	}
	return []finding{fine("signing key", "ES512, %s", where)}
}

func databaseFindings(ctx context.Context, s *config.Settings, parts config.Components) []finding {
	var all []finding
	for _, p := range s.Databases() {
		if parts.Identity() || parts.Webhooks {
			all = append(all, databaseFinding(ctx, p)...)
		}
	}
	return all
}

func databaseFinding(ctx context.Context, p config.Database) []finding {
	if p.Embedded() && config.FileMissing(p.Path()) {
		return []finding{doubtful(p.Name, "there is no database at "+p.Path()+" yet", "it is made when serving; if it should be there, look at DATA_DIR and DATABASE_URL")}
	}
	db, err := gormstore.Open(ctx, p.URL, slog.New(slog.DiscardHandler))
	if err != nil {
		return []finding{ill(p.Name, err, "look at DATABASE_URL, and whether the server runs and lets us in")}
	}
	defer func() { _ = db.Close() }()
	all := []finding{schemaFinding(ctx, db, p)}
	if all[0].state != unwell {
		all = append(all, writeFindings(ctx, db, p)...)
	}
	if db.Dialect == gormstore.Postgres {
		all = append(all, postgresFindings(ctx, db)...)
	}
	return all
}

// writeFindings try a write that leaves everything as it is.
func writeFindings(ctx context.Context, db *gormstore.DB, p config.Database) []finding {
	states, err := db.Schema(ctx, p.Schema...)
	if err != nil {
		return []finding{ill(p.Name, err, "look at the rights of the database's user")}
	}
	for i, state := range states {
		if state.Current == 0 {
			continue
		}
		if err := db.TryWrite(ctx, p.Schema[i]); err != nil {
			return []finding{ill(p.Name, fmt.Errorf("it takes no writes: %w", err),
				"make room on its disk, or make it writable: its files and folder, or default_transaction_read_only; a standby takes none")}
		}
		break
	}
	return nil
}

// mismatchFindings tell of half a restore. A database that cannot be opened was told of
// before.
func mismatchFindings(ctx context.Context, s *config.Settings, parts config.Components) []finding {
	all, _ := mismatches(ctx, s, parts)
	return all
}

// deepFindings look at every table and index.
func deepFindings(ctx context.Context, s *config.Settings, parts config.Components) []finding {
	var all []finding
	for _, p := range s.Databases() {
		if p.Embedded() && config.FileMissing(p.Path()) || !parts.Identity() && !parts.Webhooks {
			continue
		}
		all = append(all, deepFinding(ctx, p)...)
	}
	return all
}

func deepFinding(ctx context.Context, p config.Database) []finding {
	name, advice := p.Name+" in depth", "restore a backup, or repair it while Octavo is stopped"
	db, err := gormstore.Open(ctx, p.URL, slog.New(slog.DiscardHandler))
	if err != nil {
		return []finding{ill(name, err, "look at DATABASE_URL")}
	}
	defer func() { _ = db.Close() }()
	schema, err := current(ctx, db, p.Schema)
	if err != nil {
		return []finding{ill(name, err, advice)}
	}
	if len(schema) == 0 {
		return nil
	}
	damage, notes, err := db.CheckDeeply(ctx, schema...)
	if err != nil {
		return []finding{ill(name, err, "look at the rights of the database's user")}
	}
	var all []finding
	for _, d := range damage {
		all = append(all, ill(name, errors.New(d), advice))
	}
	for _, n := range notes {
		all = append(all, doubtful(name, n, "as a superuser, once"))
	}
	if len(damage) == 0 {
		all = append(all, fine(name, "every table and index is as it should be"))
	}
	return all
}

// current are the components whose schema is the one that this program knows: one that is
// served elsewhere has not lost its tables, and what an older one lacks was told before.
func current(ctx context.Context, db *gormstore.DB, schema []gormstore.Migrations) (there []gormstore.Migrations, err error) {
	states, err := db.Schema(ctx, schema...)
	for i, state := range states {
		if state.Current == state.Target {
			there = append(there, schema[i])
		}
	}
	return there, err
}

func schemaFinding(ctx context.Context, db *gormstore.DB, p config.Database) finding {
	states, err := db.Schema(ctx, p.Schema...)
	if err != nil {
		return ill(p.Name, err, "look at the rights of the database's user")
	}
	for _, state := range states {
		switch {
		case state.TooOld():
			return ill(p.Name, gormstore.ErrTooOld, p.StartAnew())
		case state.Ahead():
			return ill(p.Name, fmt.Errorf("%s: the schema is newer than this program", state.Name), "start the newer program")
		case state.Behind() && db.Dialect == gormstore.Postgres:
			return ill(p.Name, fmt.Errorf("%s: the schema is older than this program", state.Name), "run: octavo migrate up")
		case state.Behind():
			return fine(p.Name, "%s, brought up to date when serving", db.Dialect)
		}
	}
	return fine(p.Name, "%s, schema up to date", db.Dialect)
}

func postgresFindings(ctx context.Context, db *gormstore.DB) []finding {
	_, read := db.SQL()
	var version, connections int
	var clock time.Time
	err := read.QueryRowContext(ctx, `SELECT current_setting('server_version_num')::int, current_setting('max_connections')::int, clock_timestamp()`).
		Scan(&version, &connections, &clock)
	if err != nil {
		return []finding{ill("postgres", err, "look at the rights of the database's user")}
	}
	all := []finding{fine("postgres", "version %d, %d connections at most, of which a replica takes %d, and as many again for webhooks",
		version/10000, connections, read.Stats().MaxOpenConnections)}
	if version < 140000 {
		all = append(all, doubtful("postgres", fmt.Sprintf("version %d is older than what Octavo is tested with", version/10000), "use 14 or newer"))
	}
	return append(all, clockFindings("postgres clock", clock)...)
}

func clockFindings(name string, theirs time.Time) []finding {
	apart := time.Since(theirs).Abs()
	if apart < clockApart {
		return nil
	}
	return []finding{doubtful(name, fmt.Sprintf("differs from ours by %s", apart.Round(time.Second)), "keep all clocks right with NTP")}
}

func redisFindings(ctx context.Context, s *config.Settings, parts config.Components) []finding {
	if s.Storage.RedisURL == "" || !parts.Identity() {
		return nil
	}
	client, err := redisstore.Connect(s.Storage.RedisURL)
	if err != nil {
		return []finding{ill("redis", err, "look at REDIS_URL")}
	}
	defer func() { _ = client.Close() }()
	facts, err := client.Facts(ctx)
	if err != nil {
		return []finding{ill("redis", err, "look at REDIS_URL, and whether the server runs and lets us in")}
	}
	all := append([]finding{fine("redis", "version %s", facts.Version)}, keepingFindings("redis", facts, "signs people out")...)
	return append(all, clockFindings("redis clock", facts.Clock)...)
}

// keepingFindings look at whether a Redis keeps what it is given; losing it has a
// consequence.
func keepingFindings(name string, facts redisstore.Facts, consequence string) []finding {
	var all []finding
	if !facts.Persists {
		all = append(all, doubtful(name, "keeps nothing over a restart, which "+consequence, "set appendonly yes, and run a replica"))
	}
	if facts.Eviction != "" && facts.Eviction != "noeviction" {
		all = append(all, doubtful(name, "throws keys out when its memory is full ("+facts.Eviction+"), which "+consequence, "set maxmemory-policy noeviction"))
	}
	return all
}

func queueFindings(ctx context.Context, s *config.Settings, parts config.Components) []finding {
	if s.Storage.QueueURL == "" || !parts.Identity() && !parts.Mailer {
		return nil
	}
	q, err := s.ConnectQueue(slog.New(slog.DiscardHandler))
	if err != nil {
		return []finding{ill("queue", err, "look at QUEUE_URL")}
	}
	defer func() { _ = q.Close() }()
	if err := q.Check(ctx); err != nil {
		return []finding{ill("queue", err, "look at QUEUE_URL, and whether the broker runs; NATS needs JetStream (nats-server -js)")}
	}
	all := []finding{fine("queue", "answers")}
	if facts, err := queueFacts(ctx, s.Storage.QueueURL); err == nil {
		all = append(all, keepingFindings("queue", facts, "loses mails that were not sent yet")...)
	}
	return all
}

var errNoRedis = errors.New("the queue is not on Redis")

func queueFacts(ctx context.Context, address string) (redisstore.Facts, error) {
	if !strings.HasPrefix(address, "redis") {
		return redisstore.Facts{}, errNoRedis
	}
	client, err := redisstore.Connect(address)
	if err != nil {
		return redisstore.Facts{}, err
	}
	defer func() { _ = client.Close() }()
	return client.Facts(ctx)
}

// traceFindings ask the collector, where traces go to one.
func traceFindings(ctx context.Context, _ *config.Settings, _ config.Components) []finding {
	cfg, err := config.TracingConfig()
	switch {
	case err != nil:
		return []finding{ill("traces", err, "look at the OTEL_ variables")}
	case !cfg.On:
		return nil
	case cfg.Console:
		return []finding{fine("traces", "printed")}
	}
	if err := cfg.Check(ctx); err != nil {
		return []finding{doubtful("traces", config.OneLine(err), "look at OTEL_EXPORTER_OTLP_ENDPOINT and _HEADERS, and whether the collector takes OTLP over HTTP (port 4318)")}
	}
	return []finding{fine("traces", "the collector takes them")}
}

func mailFindings(ctx context.Context, s *config.Settings, parts config.Components) []finding {
	sends := parts.Mailer || parts.Identity() && s.Storage.QueueURL == ""
	if s.Mail.SMTPURL == "" || !sends {
		return nil
	}
	cfg, err := mail.ParseConfig(s.Mail.SMTPURL, s.Mail.MailFrom)
	if err != nil {
		return []finding{ill("mail", err, "look at SMTP_URL and MAIL_FROM")}
	}
	sender, err := mail.New(cfg)
	if err == nil {
		defer sender.Close()
		err = sender.Check(ctx)
	}
	if err != nil {
		return []finding{ill("mail", err, "look at SMTP_URL, and whether the server takes mails from us")}
	}
	return []finding{fine("mail", "the server at %s takes us", cfg.Host)}
}

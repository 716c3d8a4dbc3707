// Package workstore stores the queue of background work, in the database of those who add to it.
package workstore

import (
	"context"
	"embed"
	"errors"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/rawsql"
	"github.com/octavo-books/octavo/adapters/gormstore/table"
	"github.com/octavo-books/octavo/domain/job"
	"gorm.io/gorm"
)

//go:embed sqlite/*.sql postgres/*.sql
var files embed.FS

// Migrations create the table of this package.
var Migrations = gormstore.Migrations{Name: "work", FS: files}

// topic is the topic of the workers.
const topic = "jobs"

// row is a job.
type row struct {
	ID       int64 `gorm:"primaryKey;autoIncrement:false"`
	Kind     job.Kind
	Subject  int64
	Args     string
	DueAt    time.Time `gorm:"serializer:micros"`
	Attempts int
	Running  int
	Dead     int
	Periodic int
	Error    string
}

// TableName is part of GORM's interface.
func (row) TableName() string { return "jobs" }

func toRow(j job.Job) row {
	return row{
		j.ID, j.Kind, j.Subject, j.Args, j.DueAt, j.Attempts,
		rawsql.Flag(j.Running), rawsql.Flag(j.Dead), rawsql.Flag(j.Periodic), j.Error,
	}
}

func (r *row) job() job.Job {
	return job.Job{
		ID: r.ID, Kind: r.Kind, Subject: r.Subject, Args: r.Args, DueAt: r.DueAt, Attempts: r.Attempts,
		Running: r.Running == 1, Dead: r.Dead == 1, Periodic: r.Periodic == 1, Error: r.Error,
	}
}

// AddJob adds a job in the transaction tx of what it follows.
func AddJob(ctx context.Context, tx *gorm.DB, j job.Job) error {
	gormstore.NotifyAfterCommit(tx, topic)
	_, err := rawsql.On(tx).Exec(ctx, "INSERT INTO jobs ("+columns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		j.ID, string(j.Kind), j.Subject, j.Args, rawsql.Micros(j.DueAt), j.Attempts,
		rawsql.Flag(j.Running), rawsql.Flag(j.Dead), rawsql.Flag(j.Periodic), j.Error)
	return err
}

// columns are those of a row.
const columns = "id, kind, subject, args, due_at, attempts, running, dead, periodic, error"

func readJob() ([]any, func() job.Job) {
	var j job.Job
	var kind string
	var attempts, running, dead, periodic int64
	into := []any{&j.ID, &kind, &j.Subject, &j.Args, rawsql.ScanTime(&j.DueAt), &attempts, &running, &dead, &periodic, &j.Error}
	return into, func() job.Job {
		j.Kind, j.Attempts, j.Running, j.Dead, j.Periodic = job.Kind(kind), int(attempts), running == 1, dead == 1, periodic == 1
		return j
	}
}

// TakeJob removes the job of a kind that is due longest and that no other transaction has taken, in
// the transaction tx of what it does; false if there is none.
func TakeJob(ctx context.Context, tx *gorm.DB, kind job.Kind, now time.Time) (job.Job, bool, error) {
	c := rawsql.On(tx)
	return rawsql.One(ctx, c, readJob, takeStatement(c), string(kind), rawsql.Micros(now))
}

func takeStatement(c rawsql.Conn) string {
	return "DELETE FROM jobs WHERE id = (SELECT id FROM jobs WHERE kind = ? AND dead = 0 AND due_at <= ? ORDER BY due_at, id LIMIT 1" +
		c.Locking(rawsql.SkipLocked) + ") RETURNING " + columns
}

// lockDue locks the job of a kind that is due longest.
func lockDue(ctx context.Context, tx *gorm.DB, kind job.Kind, now time.Time) (row, bool, error) {
	r, err := table.Of[row](tx, rawsql.SkipLocked).Where("kind = ? AND dead = 0 AND due_at <= ?", kind, rawsql.Micros(now)).
		Order("due_at, id").Take(ctx)
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return row{}, false, nil
	}
	return r, err == nil, err
}

// Store is the queue.
type Store struct{ db *gormstore.DB }

// New returns the queue in db.
func New(db *gormstore.DB) *Store { return &Store{db} }

// WaitForJobs implements work.Queue.
func (s *Store) WaitForJobs(ctx context.Context, next time.Time) {
	s.db.Wakeups().Wait(ctx, topic, next)
}

// WakeWaiting implements work.Queue.
func (s *Store) WakeWaiting() { s.db.Wakeups().Wake(topic) }

// FindDue implements work.Queue. It looks into the index once for each kind, however many jobs
// there are.
func (s *Store) FindDue(ctx context.Context, kinds []job.Kind) (map[job.Kind]time.Time, error) {
	args := make([]any, len(kinds))
	for i, k := range kinds {
		args[i] = string(k)
	}
	type due struct {
		kind job.Kind
		at   time.Time
	}
	found, err := rawsql.Collect(ctx, rawsql.On(s.db.Read), func() ([]any, func() due) {
		var kind string
		var at int64
		return []any{&kind, &at}, func() due { return due{job.Kind(kind), rawsql.Time(at)} }
	}, `WITH known (kind) AS (VALUES `+strings.Repeat("(?), ", len(kinds)-1)+`(?)), next AS (
	SELECT kind, (SELECT due_at FROM jobs WHERE jobs.kind = known.kind AND dead = 0 ORDER BY due_at LIMIT 1) AS due_at FROM known)
SELECT kind, due_at FROM next WHERE due_at IS NOT NULL`, args...)
	all := make(map[job.Kind]time.Time, len(found))
	for _, d := range found {
		all[d.kind] = d.at
	}
	return all, err
}

// FailJob implements work.Queue.
func (s *Store) FailJob(ctx context.Context, j job.Job) error {
	return s.db.Atomically(ctx, func(tx *gorm.DB) error {
		_, err := table.Of[row](tx).Where("id = ? AND attempts < ?", j.ID, j.Attempts).Assign(tx.Statement.Context, outcome(j))
		return err
	})
}

// outcome assigns what an attempt changes.
func outcome(j job.Job) map[string]any {
	return map[string]any{
		"due_at": rawsql.Micros(j.DueAt), "attempts": j.Attempts, "error": j.Error,
		"running": rawsql.Flag(j.Running), "dead": rawsql.Flag(j.Dead),
	}
}

package workstore_test

import (
	"context"
	"os"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/database"
	"gorm.io/gorm"
)

func TestMain(m *testing.M) { os.Exit(database.Main(m)) }

// backend changes the queue in transactions, as other stores do.
type backend struct {
	*workstore.Store
	db *gormstore.DB
}

func (b backend) AddJobs(ctx context.Context, all ...job.Job) error {
	return b.db.Atomically(ctx, func(tx *gorm.DB) error {
		for _, j := range all {
			if err := workstore.AddJob(tx.Statement.Context, tx, j); err != nil {
				return err
			}
		}
		return nil
	})
}

func (b backend) TakeJob(ctx context.Context, kind job.Kind, now time.Time, do func(job.Job, bool) error) error {
	return b.db.Atomically(ctx, func(tx *gorm.DB) error {
		j, found, err := workstore.TakeJob(tx.Statement.Context, tx, kind, now)
		if err != nil {
			return err
		}
		return do(j, found)
	})
}

func TestTheQueueOfWorkKeepsItsPromises(t *testing.T) {
	for engine, open := range map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{
		"sqlite": database.SQLite, "postgres": database.PostgresReused,
		"sqlite, every transaction twice": func(t testing.TB, all ...gormstore.Migrations) *gormstore.DB {
			return database.Twice(database.SQLite(t, all...))
		},
	} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			contract.Work(t, func(t *testing.T) contract.WorkBackend {
				db := database.WithoutPolls(open(t, workstore.Migrations))
				return backend{workstore.New(db), db}
			})
		})
	}
}

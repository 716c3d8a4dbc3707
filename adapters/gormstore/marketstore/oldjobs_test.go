package marketstore_test

import (
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
)

const insertChores = `INSERT INTO chores (id, kind, subject, key, after, attempts, due_at, dead, error)
VALUES (11, 1, 5, 'w:"it"', 9007199254740993, 0, 0, 0, ''), (12, 7, 6, '', 3, 2, 4102444800000000, 0, 'once'), (13, 5, 7, '', 0, 8, 1700000000000000, 1, 'broken')`

func TestJobsThatWaitDuringAnUpgradeAreDoneByTheNewRelease(t *testing.T) {
	for engine, open := range map[string]func(testing.TB, ...gormstore.Migrations) *gormstore.DB{"sqlite": database.SQLite, "postgres": database.Postgres} {
		t.Run(engine, func(t *testing.T) {
			db := open(t, authstore.Migrations, outboxstore.Migrations)
			must.Do(t, db.Migrate(t.Context(), gormstore.Migrations{Name: marketstore.Migrations.Name, FS: before(t, marketstore.Migrations.FS, "00600")}))
			must.Do(t, db.Write.Exec(insertChores).Error)
			must.Do(t, db.Migrate(t.Context(), workstore.Migrations, marketstore.Migrations))
			movedJobs(t, db)
		})
	}
}

// movedJobs checks the jobs of insertChores.
func movedJobs(t *testing.T, db *gormstore.DB) {
	t.Helper()
	all := must.Get(workstore.New(db).ListJobs(t.Context(), 10))(t)
	got := map[int64]job.Job{}
	for _, j := range all {
		got[j.ID] = j
	}
	want := map[int64]job.Job{
		11: {ID: 11, Kind: market.MatchBook, Subject: 5, DueAt: got[11].DueAt},
		12: {ID: 12, Kind: market.PostImport, Subject: 6, DueAt: time.UnixMicro(4102444800000000).UTC(), Attempts: 2, Error: "once"},
		13: {ID: 13, Kind: market.ForgetHits, Subject: 7, DueAt: time.UnixMicro(1700000000000000).UTC(), Attempts: 8, Dead: true, Error: "broken"},
	}
	args := map[int64]market.JobArgs{11: {Key: `w:"it"`, After: 9007199254740993}, 12: {After: 3}, 13: {}}
	for id, w := range want {
		a, err := market.ParseJobArgs(got[id].Args)
		g := got[id]
		g.Args = ""
		if g != w || err != nil || a != args[id] || time.Since(g.DueAt) < -time.Minute && id != 12 {
			t.Errorf("job %d is %+v with %+v, %v", id, g, a, err)
		}
	}
	if len(got) != len(want) {
		t.Errorf("there are %+v", all)
	}
}

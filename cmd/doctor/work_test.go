package doctor

import (
	"context"
	"log/slog"
	"path/filepath"
	"testing"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/authstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/adapters/gormstore/outboxstore"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/test/must"
)

func TestTheDoctorNamesWorkThatWasGivenUp(t *testing.T) {
	s := &config.Settings{}
	s.Storage.DatabaseURL = "sqlite:" + filepath.Join(t.TempDir(), "octavo.db")
	if all := checkWork(t.Context(), s, config.All); len(all) != 0 {
		t.Errorf("without a database: %v", all)
	}
	db := must.Get(gormstore.Open(t.Context(), s.Storage.DatabaseURL, slog.New(slog.DiscardHandler)))(t)
	defer func() { _ = db.Close() }()
	must.Do(t, db.Migrate(t.Context(), authstore.Migrations, outboxstore.Migrations, workstore.Migrations, marketstore.Migrations))
	add := func(j job.Job) {
		must.Do(t, marketstore.New(db, nil).Atomically(t.Context(), func(ctx context.Context, in market.Stores) error { return in.AddJob(ctx, j) }))
	}
	add(job.Job{ID: 4, Kind: "match_book", Subject: 5, Attempts: 3, Error: "broken"})
	if all := checkWork(t.Context(), s, config.All); len(all) != 0 {
		t.Errorf("a job that is tried again: %v", all)
	}
	add(job.Job{ID: 7, Kind: "match_searches", Subject: 8, Dead: true, Error: "no such column"})
	all := checkWork(t.Context(), s, config.All)
	if len(all) != 2 {
		t.Fatalf("found %v", all)
	}
	says(t, all[:1], warning, "1 job is given up or failing", "octavo work retry")
	says(t, all[1:], warning, "job 7, match_searches of 8: no such column", "")
}

package doctor

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/marketstore"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/text"
)

// maxShownWork bounds the jobs that a finding names.
const maxShownWork = 5

// checkWork warns of work of the market that was given up. It ignores a database that cannot be
// read, because checkDatabases reports it.
func checkWork(ctx context.Context, s *config.Settings, parts config.Components) []finding {
	d := s.MainDatabase()
	if !parts.Market || d.Embedded() && config.FileMissing(d.Path()) {
		return nil
	}
	db, err := gormstore.Open(ctx, d.URL, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil
	}
	defer func() { _ = db.Close() }()
	jobs := marketstore.New(db, nil)
	dead, err := jobs.CountDeadJobs(ctx)
	if err != nil || dead == 0 {
		return nil
	}
	first, err := jobs.ListJobs(ctx, min(dead, maxShownWork))
	if err != nil {
		return nil
	}
	all := []finding{warn("work", fmt.Sprintf("%s given up", text.Count(dead, "job of the market is", "jobs of the market are")),
		"when its cause is mended: octavo work retry --dead; octavo work drop ID deletes one")}
	for _, j := range first {
		all = append(all, warn("work", fmt.Sprintf("job %d, %s of %d: %s", j.ID, j.Kind, j.Subject, j.Error), ""))
	}
	return all
}

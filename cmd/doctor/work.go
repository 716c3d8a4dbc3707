package doctor

import (
	"context"
	"fmt"
	"log/slog"
	"slices"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/domain/text"
)

// maxShownWork bounds the jobs that a finding names, and maxListedWork those among which it looks.
const maxShownWork, maxListedWork = 5, 100

// checkWork warns of background work that was given up or fails again and again. It ignores a database that cannot be
// read, because checkDatabases reports it.
func checkWork(ctx context.Context, s *config.Settings, parts config.Components) []finding {
	d := s.MainDatabase()
	if !parts.Identity() || d.Embedded() && config.FileMissing(d.Path()) {
		return nil
	}
	db, err := gormstore.Open(ctx, d.URL, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil
	}
	defer func() { _ = db.Close() }()
	jobs := workstore.New(db)
	stuck, err := jobs.CountStuckJobs(ctx)
	if err != nil || stuck == 0 {
		return nil
	}
	first, err := jobs.ListJobs(ctx, maxListedWork)
	if err != nil {
		return nil
	}
	all := []finding{warn("work", fmt.Sprintf("%s given up or failing again and again", text.Count(stuck, "job is", "jobs are")),
		"when its cause is mended: octavo work retry --dead; octavo work drop ID deletes one")}
	first = slices.DeleteFunc(first, func(j job.Job) bool { return !j.Stuck() })
	for _, j := range first[:min(len(first), maxShownWork)] {
		all = append(all, warn("work", fmt.Sprintf("job %d, %s of %d: %s", j.ID, j.Kind, j.Subject, j.Error), ""))
	}
	return all
}

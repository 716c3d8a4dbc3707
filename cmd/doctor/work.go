package doctor

import (
	"context"
	"fmt"
	"slices"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/adapters/gormstore/workstore"
	"github.com/octavo-books/octavo/cmd/config"
	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/domain/text"
)

// maxShownWork bounds the jobs that a finding names, and maxListedWork those among which it looks.
const maxShownWork, maxListedWork = 5, 100

// checkWork warns of background work that was given up or fails again and again.
func checkWork(ctx context.Context, s *config.Settings, parts config.Components) []finding {
	if !parts.Identity() {
		return nil
	}
	return inspect(ctx, s.MainDatabase(), func(ctx context.Context, db *gormstore.DB) ([]finding, error) {
		jobs := workstore.New(db)
		stuck, err := jobs.CountStuckJobs(ctx)
		if err != nil || stuck == 0 {
			return nil, err
		}
		first, err := jobs.ListJobs(ctx, maxListedWork)
		return describeWork(stuck, first), err
	})
}

// describeWork names the first of the jobs that are stuck.
func describeWork(stuck int, first []job.Job) []finding {
	all := []finding{warn("work", fmt.Sprintf("%s given up or failing again and again", text.Count(stuck, "job is", "jobs are")),
		"when its cause is mended: octavo work retry --dead; octavo work drop ID deletes one")}
	first = slices.DeleteFunc(first, func(j job.Job) bool { return !j.Stuck() })
	for _, j := range first[:min(len(first), maxShownWork)] {
		all = append(all, warn("work", fmt.Sprintf("job %d, %s of %d: %s", j.ID, j.Kind, j.Subject, j.Error), ""))
	}
	return all
}

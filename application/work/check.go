package work

import (
	"context"
	"fmt"

	"github.com/octavo-books/octavo/domain/text"
)

// CheckStuck fails while background work needs an operator.
func CheckStuck(ctx context.Context, jobs Admin) error {
	n, err := jobs.CountStuckJobs(ctx)
	if err == nil && n > 0 {
		err = fmt.Errorf("%s given up or failing again and again, see octavo work list", text.Count(n, "job is", "jobs are"))
	}
	return err
}

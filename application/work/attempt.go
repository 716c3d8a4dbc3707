package work

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/octavo-books/octavo/domain/job"
	"github.com/octavo-books/octavo/domain/text"
)

const (
	// jobTimeout bounds the transaction of a job, and periodicTimeout a run of periodic work.
	jobTimeout, periodicTimeout = time.Minute, time.Hour
	// lease is how long periodic work is kept from others without a sign of life.
	lease = 10 * time.Second
	// saveTimeout bounds saving what became of a job.
	saveTimeout = 5 * time.Second
	// maxError bounds, in bytes, the stored error of a job.
	maxError = 500
)

// take takes a job and does it. If it fails, that is saved with the job, unless the program stops:
// then the job was not tried.
func (w *Worker) take(ctx context.Context, k Kind) (bool, error) {
	var j job.Job
	var found bool
	err := limited(ctx, jobTimeout, func(ctx context.Context) (err error) {
		j, found, err = k.Take(ctx)
		return err
	})
	if err == nil || !found || ctx.Err() != nil {
		return found, err
	}
	failed := j.Fail(text.Line(err.Error(), maxError), 0, w.Clock.Now())
	if lost := w.save(ctx, func(ctx context.Context) error { return w.Queue.FailJob(ctx, failed) }); lost != nil {
		return false, errors.Join(err, lost)
	}
	w.logFailure(ctx, failed, err)
	return true, err
}

// doPeriodic does periodic work, if it is due and no other process does it.
func (w *Worker) doPeriodic(ctx context.Context, k Kind) (bool, error) {
	now := w.Clock.Now()
	j, found, err := w.Queue.Claim(ctx, k.Name, now, now.Add(lease))
	if err != nil || !found {
		return false, err
	}
	stop := w.keepLease(ctx, j)
	err = limited(ctx, periodicTimeout, k.Do)
	stop()
	settled := j.Succeed(k.Every, w.Clock.Now())
	switch {
	case err != nil && ctx.Err() != nil:
		settled = j.Release(w.Clock.Now())
	case err != nil:
		settled = j.Fail(text.Line(err.Error(), maxError), k.Every, w.Clock.Now())
		w.logFailure(ctx, settled, err)
	}
	lost := w.save(ctx, func(ctx context.Context) error { return w.Queue.Settle(ctx, j, settled) })
	if lost != nil { // the lease ends, and the work is done again
		w.Log.WarnContext(ctx, "what became of background work could not be saved", "kind", j.Kind, "error", lost)
	}
	return true, err
}

// limited calls do with a time limit. A panic is an error.
func limited(ctx context.Context, limit time.Duration, do func(context.Context) error) (err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("panic: %v", why)
		}
	}()
	return do(ctx)
}

// save saves what became of a job, even while the program stops.
func (*Worker) save(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	return do(ctx)
}

func (w *Worker) logFailure(ctx context.Context, failed job.Job, cause error) {
	log := w.Log.With("id", failed.ID, "kind", string(failed.Kind), "subject", failed.Subject, "attempt", failed.Attempts, "error", cause)
	switch {
	case failed.Dead:
		log.ErrorContext(ctx, "a job is given up: octavo work retry tries it again, octavo work drop deletes it")
	case failed.Stuck():
		log.ErrorContext(ctx, "background work fails again and again")
	default:
		log.WarnContext(ctx, "background work failed and is tried again later")
	}
}

// keepLease renews the lease of claimed work until stop is called.
func (w *Worker) keepLease(ctx context.Context, j job.Job) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var renewing sync.WaitGroup
	renewing.Go(func() {
		for sleep(ctx, lease/3); ctx.Err() == nil; sleep(ctx, lease/3) {
			err := w.save(ctx, func(ctx context.Context) error { return w.Queue.Renew(ctx, j, w.Clock.Now().Add(lease)) })
			if err != nil {
				w.Log.WarnContext(ctx, "renew a lease", "kind", j.Kind, "error", err)
			}
		}
	})
	return func() { cancel(); renewing.Wait() }
}

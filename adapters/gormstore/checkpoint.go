package gormstore

import (
	"context"
	"database/sql"
	"sync/atomic"
)

const (
	// copyAt is how many frames of the log have to wait before they are copied beside
	// those who write: at 6,000 whoever commits copies what is left.
	copyAt    = 4_500
	lookEvery = 8 // commits
)

// checkpoints copy the log into the file of the database on a connection of their
// own. Who commits then waits for a quarter as many pages, if at all.
type checkpoints struct {
	pool    *sql.DB
	commits atomic.Uint32
	asked   chan struct{}
	cancel  context.CancelFunc
	ended   chan struct{}
}

func startCheckpoints(path string) (*checkpoints, error) {
	pool, err := sql.Open("sqlite", sqliteDSN(path, "deferred", "query_only(ON)", cacheSize(64)))
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(1)
	ctx, cancel := context.WithCancel(context.Background())
	c := &checkpoints{pool: pool, asked: make(chan struct{}, 1), cancel: cancel, ended: make(chan struct{})}
	go c.run(ctx)
	return c, nil
}

// committed never waits.
func (c *checkpoints) committed() {
	if c.commits.Add(1)%lookEvery != 0 {
		return
	}
	select {
	case c.asked <- struct{}{}:
	default:
	}
}

func (c *checkpoints) run(ctx context.Context) {
	defer close(c.ended)
	for {
		select {
		case <-ctx.Done():
			return
		case <-c.asked:
			c.copyBack(ctx)
		}
	}
}

// copyBack leaves what fails to the next time, or to those who commit, as SQLite does.
func (c *checkpoints) copyBack(ctx context.Context) {
	var busy, frames, copied int
	err := c.pool.QueryRowContext(ctx, "PRAGMA wal_checkpoint(NOOP)").Scan(&busy, &frames, &copied)
	if err == nil && frames-copied >= copyAt {
		_, _ = c.pool.ExecContext(ctx, "PRAGMA wal_checkpoint(PASSIVE)")
	}
}

// stop waits until nothing is copied any more.
func (c *checkpoints) stop() error {
	c.cancel()
	<-c.ended
	return c.pool.Close()
}

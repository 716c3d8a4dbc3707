package inboxstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

// instanceLockClass is the first half of the advisory locks' keys; the second is the
// instance id.
const instanceLockClass = 0x0c7a

// instanceLock proves to other processes that this one is alive: it holds a
// session-level advisory lock on its id, on a connection of its own. Postgres frees
// the lock when that connection ends, however the process ended. The id is chosen
// when it is first needed, and again after the connection was lost: jobs leased
// under the old id may then be sent twice, as after any lost lease.
type instanceLock struct {
	pool *sql.DB

	mu      sync.Mutex
	conn    *sql.Conn // nil without an id
	id      int64
	checked time.Time // when the connection was last known to live
}

// checkInterval is how long a connection counts as alive: another process may reclaim leases
// that were taken after it was lost.
const checkInterval = time.Second

// instanceID returns the id of this process, locking one if there is none.
func (l *instanceLock) instanceID(ctx context.Context) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.checked) >= checkInterval {
		l.dropLostConnection(ctx)
	}
	if l.conn != nil {
		return l.id, nil
	}
	conn, err := l.pool.Conn(ctx)
	if err != nil {
		return 0, gormstore.WrapUnavailable(err)
	}
	id, err := lockFreeID(ctx, conn)
	if err != nil {
		return 0, errors.Join(fmt.Errorf("lock an instance id: %w", gormstore.WrapUnavailable(err)), conn.Close())
	}
	l.conn, l.id, l.checked = conn, id, time.Now()
	return id, nil
}

// lockFreeID locks an id that no other process holds.
func lockFreeID(ctx context.Context, conn *sql.Conn) (int64, error) {
	for {
		id := 1 + rand.Int64N(1<<31-1)
		var free bool
		err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock($1::int, $2::int)`, instanceLockClass, id).Scan(&free)
		if err != nil || free {
			return id, err
		}
	}
}

// reclaimStatement ends the leases of ids that no session holds. It reads the locks
// after the jobs, so that it sees the lock of every owner that it finds.
const reclaimStatement = `UPDATE inbox_jobs SET lease_until = 0, owner = 0 WHERE state = 0 AND owner <> 0 AND owner NOT IN (
	SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND classid = $1 AND objsubid = 2 AND granted
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`

// leasesLeft reads whether jobs are leased.
const leasesLeft = `SELECT EXISTS (SELECT 1 FROM inbox_jobs WHERE state = 0 AND owner <> 0)`

// reclaimLeases ends the leases of dead processes. It reads first, because mostly there are no
// leases at all. It also detects the loss of the own connection.
func (l *instanceLock) reclaimLeases(ctx context.Context) (jobs int, left bool, err error) {
	l.mu.Lock()
	l.dropLostConnection(ctx)
	l.mu.Unlock()
	err = gormstore.Retry(ctx, func() error {
		if err := l.pool.QueryRowContext(ctx, leasesLeft).Scan(&left); err != nil || !left {
			return err
		}
		result, err := l.pool.ExecContext(ctx, reclaimStatement, instanceLockClass)
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		jobs = int(n)
		return err
	})
	return jobs, left, err
}

// dropLostConnection gives up the id if its connection is lost. The caller holds mu.
func (l *instanceLock) dropLostConnection(ctx context.Context) {
	switch {
	case l.conn == nil:
	case l.conn.PingContext(ctx) == nil:
		l.checked = time.Now()
	case ctx.Err() == nil:
		_ = l.conn.Close()
		l.conn = nil
	}
}

// unlockTimeout bounds close when Postgres does not answer.
const unlockTimeout = 2 * time.Second

// close frees the id, so that other processes can reclaim its leases. If Postgres
// does not answer, the end of the connection has the same effect.
func (l *instanceLock) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.conn == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), unlockTimeout)
	defer cancel()
	_, _ = l.conn.ExecContext(ctx, `SELECT pg_advisory_unlock($1::int, $2::int)`, instanceLockClass, l.id)
	_ = l.conn.Close()
	l.conn = nil
	return nil
}

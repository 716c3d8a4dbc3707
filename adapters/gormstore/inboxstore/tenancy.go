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

// tenantClass is the first half of the advisory locks' key; the second is the
// owner's number.
const tenantClass = 0x0c7a

// tenancy shows to other processes that this one lives: its number is a
// session-level advisory lock on a connection of its own, which Postgres frees the moment
// that connection ends, however the process did. The number is taken when it is
// first needed, and a new one when the connection was lost: what is leased under
// the old one may then be sent twice, as after any lost lease.
type tenancy struct {
	pool *sql.DB

	mu     sync.Mutex
	conn   *sql.Conn // nil while there is no number
	number int64
}

// owner is this process' number.
func (t *tenancy) owner(ctx context.Context) (int64, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conn != nil {
		return t.number, nil
	}
	conn, err := t.pool.Conn(ctx)
	if err != nil {
		return 0, gormstore.Explain(err)
	}
	number, err := takeNumber(ctx, conn)
	if err != nil {
		return 0, errors.Join(fmt.Errorf("show that this process lives: %w", gormstore.Explain(err)), conn.Close())
	}
	t.conn, t.number = conn, number
	return number, nil
}

// takeNumber locks a number that nobody has.
func takeNumber(ctx context.Context, conn *sql.Conn) (int64, error) {
	for {
		number := 1 + rand.Int64N(1<<31-1)
		var free bool
		if err := conn.QueryRowContext(ctx, `SELECT pg_try_advisory_lock($1::int, $2::int)`, tenantClass, number).Scan(&free); err != nil || free {
			return number, err
		}
	}
}

// deadLeases ends the leases of numbers that no session holds. The locks are
// looked at after the jobs, so that whoever took a lease is seen with its lock.
const deadLeases = `UPDATE inbox_jobs SET lease_until = 0, owner = 0 WHERE state = 0 AND owner <> 0 AND owner NOT IN (
	SELECT objid::bigint FROM pg_locks WHERE locktype = 'advisory' AND classid = $1 AND objsubid = 2 AND granted
		AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))`

// takeOver ends the leases of processes that are gone. It also notices when our
// own connection has ended.
func (t *tenancy) takeOver(ctx context.Context) (jobs int, err error) {
	t.check(ctx)
	err = gormstore.Retry(ctx, func() error {
		result, err := t.pool.ExecContext(ctx, deadLeases, tenantClass)
		if err != nil {
			return err
		}
		n, err := result.RowsAffected()
		jobs = int(n)
		return err
	})
	return jobs, err
}

// check gives up a number whose connection is gone.
func (t *tenancy) check(ctx context.Context) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conn != nil && t.conn.PingContext(ctx) != nil && ctx.Err() == nil {
		_ = t.conn.Close()
		t.conn = nil
	}
}

// leaveTimeout bounds the farewell to a Postgres that is away.
const leaveTimeout = 2 * time.Second

// close frees the number: what is still leased under it may be taken over. Where
// Postgres is away, the connection's end says the same.
func (t *tenancy) close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.conn == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), leaveTimeout)
	defer cancel()
	_, _ = t.conn.ExecContext(ctx, `SELECT pg_advisory_unlock($1::int, $2::int)`, tenantClass, t.number)
	_ = t.conn.Close()
	t.conn = nil
	return nil
}

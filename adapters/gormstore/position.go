package gormstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// position is how far the log of a Postgres server reaches.
type position struct {
	system     int64 // the same on a primary and its standbys
	timeline   int64 // a promotion begins a new one
	lsn        int64 // written by a primary, replayed by a standby
	inRecovery bool  // it is a standby
}

// selectPosition reads from a standby the timeline that it had replayed at its last restart point.
// A position of pg_current_wal_insert_lsn could be beyond the last record, which a standby of an
// idle primary never replays.
const selectPosition = `SELECT system_identifier, pg_is_in_recovery(),
	CASE WHEN pg_is_in_recovery() THEN COALESCE(pg_last_wal_replay_lsn(), '0/0') ELSE pg_current_wal_lsn() END - '0/0'::pg_lsn,
	CASE WHEN pg_is_in_recovery() THEN (SELECT min_recovery_end_timeline::bigint FROM pg_control_recovery())
		ELSE ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::bigint END
	FROM pg_control_system()`

func readPosition(ctx context.Context, pool *sql.DB) (p position, err error) {
	err = pool.QueryRowContext(ctx, selectPosition).Scan(&p.system, &p.inRecovery, &p.lsn, &p.timeline)
	return p, err
}

// ErrNotFollowing says that a server is no standby of the other: what it has replayed says nothing
// about what the other has committed.
var ErrNotFollowing = errors.New("it does not follow the server of DATABASE_URL")

// follows returns ErrNotFollowing with the reason unless p is a standby of the primary.
func (p position) follows(primary position) error {
	switch {
	case primary.inRecovery:
		return fmt.Errorf("%w, which is a standby itself", ErrNotFollowing)
	case p.system != primary.system:
		return fmt.Errorf("%w: it belongs to another cluster, with the system identifier %d instead of %d", ErrNotFollowing, p.system, primary.system)
	case !p.inRecovery:
		return fmt.Errorf("%w: it is not in recovery, so it is no standby or was promoted", ErrNotFollowing)
	case p.timeline != primary.timeline:
		return fmt.Errorf("%w: it is on timeline %d instead of %d", ErrNotFollowing, p.timeline, primary.timeline)
	}
	return nil
}

// MeasureLag waits until a standby has what the primary had when MeasureLag began, for a few
// seconds at most, and returns how long that took. ErrNotFollowing says why it never would.
func MeasureLag(ctx context.Context, primaryDSN, standbyDSN string) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, lagTimeout)
	defer cancel()
	began := time.Now()
	primary, err := positionAt(ctx, primaryDSN)
	if err != nil {
		return 0, fmt.Errorf("DATABASE_URL: %w", err)
	}
	pool, err := newMonitor(standbyDSN)
	if err != nil {
		return 0, err
	}
	defer func() { _ = pool.Close() }()
	for {
		standby, err := readPosition(ctx, pool)
		if err == nil {
			err = standby.follows(primary)
		}
		if err != nil || standby.lsn >= primary.lsn {
			return time.Since(began), err
		}
		if !pause(ctx, 10*time.Millisecond) {
			return 0, fmt.Errorf("it is more than %v behind", lagTimeout)
		}
	}
}

const lagTimeout = 5 * time.Second

func positionAt(ctx context.Context, dsn string) (position, error) {
	pool, err := newMonitor(dsn)
	if err != nil {
		return position{}, err
	}
	defer func() { _ = pool.Close() }()
	return readPosition(ctx, pool)
}

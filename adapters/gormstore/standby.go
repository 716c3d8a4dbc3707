package gormstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// Standby is a hot standby of a Postgres, for reads that may be a moment old.
type Standby struct {
	DB *DB // only for reads

	primary, standby *sql.DB // a connection each for the checks, which must not wait for requests
	interval         time.Duration
	log              *slog.Logger

	mu       sync.Mutex
	fresh    freshness
	used     bool      // as last logged
	checked  time.Time // when the last check began
	checking bool
	closed   bool
}

// standbyConnectTimeout is shorter than pgx' two minutes, because the pool counts connections that
// are being made.
const standbyConnectTimeout = 2 * time.Second

// NewStandby returns the standby at standbyDSN of the server at primaryDSN. Whoever asks
// how fresh it is has it checked now and then, and it is fresh after a successful check and while it is less than
// maxLag behind. It connects when it is used: a standby that is down is no error.
func NewStandby(primaryDSN, standbyDSN string, maxLag time.Duration, log *slog.Logger, options ...Option) (*Standby, error) {
	config := gormConfig(log, options)
	db, err := newPostgres(standbyDSN, config, standbyConnectTimeout)
	if err != nil {
		return nil, fmt.Errorf("DATABASE_READ_URL: %w", err)
	}
	s := &Standby{DB: db, interval: min(maxLag/4, maxCheckInterval), log: log, used: true, fresh: freshness{maxLag: maxLag, now: time.Now}}
	if s.primary, err = newMonitor(primaryDSN); err == nil {
		s.standby, err = newMonitor(standbyDSN)
	}
	return s, err
}

// maxCheckInterval bounds the time between checks, and so by how much a lag is overestimated.
const maxCheckInterval = 500 * time.Millisecond

// newMonitor returns a pool of one connection, for statements without parameters.
func newMonitor(dsn string) (*sql.DB, error) {
	settings, err := postgresSettings(dsn)
	if err != nil {
		return nil, err
	}
	settings.DefaultQueryExecMode, settings.ConnectTimeout = pgx.QueryExecModeExec, standbyConnectTimeout
	pool := sql.OpenDB(postgresConnector(settings))
	pool.SetMaxOpenConns(1)
	return pool, nil
}

// Close closes every connection.
func (s *Standby) Close() error {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	return errors.Join(s.DB.Close(), s.primary.Close(), s.standby.Close())
}

// checkDue begins a check if the last one began an interval ago. Nobody waits for it: a read that comes long after
// the last one is served by the primary. The lock is held.
func (s *Standby) checkDue() {
	now := s.fresh.now()
	if s.checking || s.closed || now.Sub(s.checked) < s.interval {
		return
	}
	s.checking, s.checked = true, now
	go func() { s.endCheck(s.check()) }()
}

// check compares the positions of the servers. A failure leaves the standby as fresh as it was,
// which soon is not fresh enough.
func (s *Standby) check() error {
	ctx, cancel := context.WithTimeout(context.Background(), s.fresh.maxLag)
	defer cancel()
	at := s.fresh.now()
	primary, err := readPosition(ctx, s.primary)
	if err != nil {
		return fmt.Errorf("the primary does not answer: %w", err)
	}
	standby, err := readPosition(ctx, s.standby)
	if err == nil {
		err = standby.follows(primary)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(err, ErrNotFollowing) {
		s.fresh.reset()
	}
	if err != nil {
		return err
	}
	s.fresh.update(at, primary.lsn, standby.lsn)
	return nil
}

// endCheck ends a check, and logs when the standby begins and ceases to be used.
func (s *Standby) endCheck(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.checking = false; s.closed {
		return
	}
	lag, known := s.fresh.lag()
	fresh := known && lag < s.fresh.maxLag
	switch {
	case fresh == s.used:
		return
	case fresh:
		s.log.Info("reading from the standby", "lag", lag.String())
	default:
		if err == nil {
			err = fmt.Errorf("it is not less than READ_MAX_LAG behind: %v", s.fresh.maxLag)
		}
		s.log.Warn("not reading from the standby", "cause", err)
	}
	s.used = fresh
}

// IsFresh reports whether the standby has everything that was committed maxLag ago.
func (s *Standby) IsFresh() bool {
	lag, known := s.Lag()
	return known && lag < s.fresh.maxLag
}

// Lag returns how long ago the newest state was committed that the standby is known to have. It is
// unknown until a check has succeeded, and after a read has failed.
func (s *Standby) Lag() (lag time.Duration, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.checkDue()
	return s.fresh.lag()
}

// Failed makes the standby not fresh until the next successful check.
func (s *Standby) Failed(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fresh.reset()
	if s.used {
		s.used = false
		s.log.Warn("not reading from the standby", "cause", err)
	}
}

// freshness finds out how far a standby is behind, by one clock: it has whatever was committed
// before the primary was asked for a position that the standby has replayed since.
type freshness struct {
	maxLag time.Duration
	now    func() time.Time // not the clock of the use cases, whose times jump when it is set

	asked []askedPosition // not replayed yet, oldest first, no older than maxLag
	since time.Time       // when the newest replayed position was asked for; zero: unknown
}

type askedPosition struct {
	at  time.Time
	lsn int64
}

func (f *freshness) reset() { f.asked, f.since = nil, time.Time{} }

// update adds the position of the primary at a time, and what the standby has replayed since.
func (f *freshness) update(at time.Time, primary, replayed int64) {
	f.asked = append(f.asked, askedPosition{at, primary})
	for len(f.asked) > 0 && f.asked[0].lsn <= replayed {
		f.since, f.asked = f.asked[0].at, f.asked[1:]
	}
	for len(f.asked) > 0 && at.Sub(f.asked[0].at) > f.maxLag {
		f.asked = f.asked[1:]
	}
}

func (f *freshness) lag() (time.Duration, bool) {
	return f.now().Sub(f.since), !f.since.IsZero()
}

// Package pgsignals carries signals between the processes that share a Postgres database,
// with LISTEN and NOTIFY. Each process needs two connections of its own; through a pooler
// that gives each transaction another session, LISTEN succeeds and nothing arrives.
package pgsignals

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/octavo-books/octavo/domain/user"
)

const (
	channel        = "octavo_notified"
	connectTimeout = 10 * time.Second
	dialTimeout    = 3 * time.Second // for each host of the DSN
	// Each process sends an empty signal every pingInterval, which it hears itself. One that
	// hears nothing for maxSilence is deaf, for instance behind a pooler, and connects again.
	pingInterval = 20 * time.Second
	maxSilence   = 50 * time.Second
	retryPause   = 2 * time.Second
)

// Signals tells other processes which users got notifications. It implements
// market.Signals.
type Signals struct {
	settings *pgx.ConnConfig
	log      *slog.Logger
	sender   atomic.Uint32 // process id of the connection that sends, to skip its signals
	cut      atomic.Bool   // a connection is lost, and that is logged

	mu       sync.Mutex
	pending  pending
	arrivals chan struct{} // something is pending
}

// New returns signals over the database at dsn, postgres://…; Receive connects to it.
func New(dsn string, log *slog.Logger) (*Signals, error) {
	settings, err := settingsOf(dsn)
	if err != nil {
		return nil, err
	}
	return &Signals{settings: settings, log: log, arrivals: make(chan struct{}, 1)}, nil
}

// Send implements market.Signals.
func (s *Signals) Send(ids []user.ID) {
	s.mu.Lock()
	s.pending.add(ids)
	s.mu.Unlock()
	select {
	case s.arrivals <- struct{}{}:
	default:
	}
}

// Receive implements market.Signals. It also sends, and connects again whenever a connection
// is lost.
func (s *Signals) Receive(ctx context.Context, wake func([]user.ID)) {
	var both sync.WaitGroup
	both.Go(func() { s.keep(ctx, func(c *pgx.Conn) error { return s.send(ctx, c) }) })
	both.Go(func() {
		s.keep(ctx, func(c *pgx.Conn) error {
			defer wake(nil) // also when the connection is lost, so that a process that stays deaf polls
			return s.listen(ctx, c, wake)
		})
	})
	both.Wait()
}

// keep calls do with a connection, and again with a new one after it has failed, until ctx ends.
func (s *Signals) keep(ctx context.Context, do func(*pgx.Conn) error) {
	for ctx.Err() == nil {
		err := s.connected(ctx, do)
		if ctx.Err() == nil && !s.cut.Swap(true) {
			s.log.Warn("signals between replicas are lost; streams may be late", "error", err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(retryPause):
		}
	}
}

func (s *Signals) connected(ctx context.Context, do func(*pgx.Conn) error) error {
	connecting, cancel := context.WithTimeout(ctx, connectTimeout)
	defer cancel()
	c, err := pgx.ConnectConfig(connecting, s.settings.Copy())
	if err != nil {
		return errConnect
	}
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = c.Close(closing)
	}()
	return do(c)
}

// send sends what is pending, together, and a ping now and then.
func (s *Signals) send(ctx context.Context, c *pgx.Conn) error {
	s.sender.Store(c.PgConn().PID())
	ping := time.NewTicker(pingInterval)
	defer ping.Stop()
	for {
		batch := s.take()
		if _, err := c.Exec(ctx, "SELECT pg_notify($1, p) FROM unnest($2::text[]) AS p", channel, batch.payloads()); err != nil {
			s.putBack(batch)
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.arrivals:
		case <-ping.C:
		}
	}
}

func (s *Signals) take() pending {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.pending
	s.pending = pending{}
	return taken
}

func (s *Signals) putBack(p pending) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending.join(p)
}

// listen calls wake for each signal of another process.
func (s *Signals) listen(ctx context.Context, c *pgx.Conn, wake func([]user.ID)) error {
	if _, err := c.Exec(ctx, "LISTEN "+channel); err != nil {
		return err
	}
	wake(nil) // signals before this are lost
	for {
		waiting, cancel := context.WithTimeout(ctx, maxSilence)
		n, err := c.WaitForNotification(waiting)
		cancel()
		if err != nil {
			return fmt.Errorf("no signal within %s: %w", maxSilence, err)
		}
		if s.cut.Swap(false) {
			s.log.Info("signals between replicas arrive again")
		}
		if n.PID == s.sender.Load() {
			continue
		}
		if ids, some := parse(n.Payload); some {
			wake(ids)
		}
	}
}

// Package pgsignals carries signals between the processes that share a Postgres database,
// with LISTEN and NOTIFY. Each process needs two connections of its own; through a pooler
// that gives each transaction another session, LISTEN succeeds and nothing arrives.
package pgsignals

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
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
	// sendGap is the time between two statements that send, so that a busy process sends what
	// gathers meanwhile with one.
	sendGap     = 20 * time.Millisecond
	sendTimeout = 5 * time.Second
)

// Hub are the loops that wait for work in a database, by topic.
type Hub interface {
	// Wake wakes a loop of the topic: another process has committed work.
	Wake(topic string)
	// SetArriving says whether signals of other processes arrive.
	SetArriving(arriving bool)
	// NotifyOthers sets what tells the other processes of a topic.
	NotifyOthers(notify func(topic string))
}

// Signals tells other processes which users got notifications, and which kinds of work wait. It
// implements market.Signals.
type Signals struct {
	settings *pgx.ConnConfig
	log      *slog.Logger
	hubs     []Hub
	wake     func([]user.ID)
	sender   atomic.Uint32 // process id of the connection that sends, to skip its signals
	cut      atomic.Bool   // a connection is lost, and that is logged

	mu       sync.Mutex
	pending  pending
	arrivals chan struct{} // something is pending
}

// New returns signals over the database at dsn, postgres://…, to the hubs; Run connects to it.
func New(dsn string, log *slog.Logger, hubs ...Hub) (*Signals, error) {
	settings, err := settingsOf(dsn)
	if err != nil {
		return nil, err
	}
	s := &Signals{settings: settings, log: log, hubs: hubs, wake: func([]user.ID) {}, arrivals: make(chan struct{}, 1)}
	for _, h := range hubs {
		h.NotifyOthers(s.SendTopic)
	}
	return s, nil
}

// Send implements market.Signals.
func (s *Signals) Send(ids []user.ID) {
	s.mu.Lock()
	s.pending.add(ids)
	s.mu.Unlock()
	s.wakeSender()
}

// SendTopic tells the other processes that work of a topic, a word of lower-case letters, dots
// and underscores, was committed. It does not block.
func (s *Signals) SendTopic(topic string) {
	s.mu.Lock()
	s.pending.addTopic(topic)
	s.mu.Unlock()
	s.wakeSender()
}

func (s *Signals) wakeSender() {
	select {
	case s.arrivals <- struct{}{}:
	default:
	}
}

// Receive implements market.Signals. Call it before Run.
func (s *Signals) Receive(wake func([]user.ID)) { s.wake = wake }

// Run sends and receives until ctx ends. It connects again whenever a connection is lost.
func (s *Signals) Run(ctx context.Context) {
	var both sync.WaitGroup
	both.Go(func() { s.keep(ctx, func(c *pgx.Conn) error { return s.send(ctx, c) }) })
	both.Go(func() { s.keep(ctx, func(c *pgx.Conn) error { return s.listen(ctx, c) }) })
	both.Wait()
}

// keep calls do with a connection, and again with a new one after it has failed, until ctx ends.
func (s *Signals) keep(ctx context.Context, do func(*pgx.Conn) error) {
	for ctx.Err() == nil {
		err := s.connected(ctx, do)
		if ctx.Err() == nil && !s.cut.Swap(true) {
			s.log.Warn("signals between replicas are lost; streams may be late, and work is looked for every second", "error", err)
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
	// Statements are not prepared, and the program is built without pgx' list of types.
	c.TypeMap().RegisterDefaultPgType([]string(nil), "_text")
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = c.Close(closing)
	}()
	return do(c)
}

// send sends what is pending, together, and a ping at first and now and then.
func (s *Signals) send(ctx context.Context, c *pgx.Conn) error {
	s.sender.Store(c.PgConn().PID())
	ping := time.NewTicker(pingInterval)
	defer ping.Stop()
	for ctx.Err() == nil {
		if err := s.sendPending(c); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
		case <-time.After(sendGap):
		}
		select {
		case <-ctx.Done():
		case <-s.arrivals:
		case <-ping.C:
		}
	}
	return s.sendPending(c) // of what has just stopped, for instance work that it hands on
}

// sendPending does not end with the process, which waits for the last signals.
func (s *Signals) sendPending(c *pgx.Conn) error {
	ctx, cancel := context.WithTimeout(context.Background(), sendTimeout)
	defer cancel()
	batch := s.take()
	_, err := c.Exec(ctx, "SELECT pg_notify($1, p) FROM unnest($2::text[]) AS p", channel, batch.payloads())
	if err != nil {
		s.putBack(batch)
	}
	return err
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

// listen passes on each signal of another process. What was sent before is lost, and so is what
// is sent after it returns: both wake everyone.
func (s *Signals) listen(ctx context.Context, c *pgx.Conn) error {
	if _, err := c.Exec(ctx, "LISTEN "+channel); err != nil {
		return err
	}
	s.wake(nil)
	defer s.wake(nil)
	defer s.setArriving(false)
	s.wakeSender() // its ping shows that signals arrive
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
		s.setArriving(true)
		if n.PID != s.sender.Load() {
			s.pass(n.Payload)
		}
	}
}

func (s *Signals) setArriving(arriving bool) {
	for _, hub := range s.hubs {
		hub.SetArriving(arriving)
	}
}

func (s *Signals) pass(payload string) {
	ids, topics, all := parse(payload)
	if all || len(ids) > 0 {
		s.wake(ids)
	}
	for _, topic := range topics {
		for _, hub := range s.hubs {
			hub.Wake(topic)
		}
	}
}

var errConnect = errors.New("the database does not accept a connection") // the cause may name the user

// settingsOf parses a DSN and omits the cause of an error, which may quote a password.
func settingsOf(dsn string) (*pgx.ConnConfig, error) {
	settings, err := pgx.ParseConfig(dsn)
	if err != nil {
		return nil, errors.New("the URL of the database is malformed")
	}
	if settings.ConnectTimeout == 0 { // not in the DSN
		settings.DialFunc = (&net.Dialer{Timeout: dialTimeout}).DialContext
	}
	settings.RuntimeParams["application_name"] = "octavo signals"
	settings.DefaultQueryExecMode = pgx.QueryExecModeExec
	return settings, nil
}

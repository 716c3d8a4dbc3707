// Package redisstore keeps sessions and limits in Redis 6.2 or newer.
//
// Keys, all of which expire by themselves:
//
//	octavo:{u<user>}:session:<id>  string  one session as JSON; ends with the session
//	octavo:{u<user>}:sessions      zset    ids of the user's sessions by last use in Unix µs
//	octavo:{u<user>}:devices       set     browsers and systems the user was signed in from
//	octavo:{limits}:<name>         string  "<full again, Unix µs> <strikes>"
//
// What is in braces decides the slot in a cluster: the keys that one script
// touches share it. Limits share a single one, for a sign-in asks for several at
// once; they cost Redis microseconds beside the milliseconds of hashing a
// password.
//
// A session is changed by compare and swap: the rules are those of
// domain/session, and no script writes to a key that is gone, so that a refresh
// never brings a revoked session back.
package redisstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/octavo-books/octavo/domain/fault"
	"github.com/redis/go-redis/v9"
)

// ErrUnavailable is what a caller sees while Redis is away.
var ErrUnavailable = fault.New(fault.Unavailable, "unavailable", "Sessions are not available right now. Please try again in a moment.").After(2 * time.Second)

// unavailable hides what Redis said behind ErrUnavailable, which still wraps it.
func unavailable(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%w: redis: %w", ErrUnavailable, err)
}

// Redis answers in less than a millisecond or is in trouble: then callers had
// better hear soon. The URL may say otherwise: dial_timeout, read_timeout,
// write_timeout and pool_timeout, such as 3s.
const timeout = time.Second

func orTimeout(all ...*time.Duration) {
	for _, d := range all {
		*d = cmp.Or(*d, timeout)
	}
}

// connections are how many there are at most, unless the URL says pool_size. A
// mailer's workers hold one each while they wait.
const connections = 32

// Client is a connection to Redis, in any of its forms.
type Client struct{ redis.UniversalClient }

// Check says why Redis cannot be used.
func (c *Client) Check(ctx context.Context) error { return c.Ping(ctx).Err() }

// Connect makes a client from a URL and asks nothing of Redis yet:
//
//	redis://user:password@host:port/db, or rediss:// with TLS
//	the same with ?master_name=NAME, where the hosts are sentinels, and so user and
//	password; those of the servers behind them are &username= and &password=
//	the same with ?cluster=true, where the hosts are nodes of a cluster
//
// More hosts are added as &addr=host:port. Errors quote no password. What would
// read from replicas is refused: they may not know yet that a session has ended.
func Connect(address string) (*Client, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("not a URL; characters like @ : / in a password must be percent-encoded")
	}
	if (u.Scheme != "redis" && u.Scheme != "rediss") || u.Host == "" {
		return nil, errors.New("must be redis://host:port or rediss://host:port")
	}
	q := u.Query()
	for _, name := range []string{"read_only", "replica_only", "route_by_latency", "route_randomly"} {
		if q.Has(name) {
			return nil, errors.New(name + " is not supported: sessions are read where they are written")
		}
	}
	redis.SetLogger(silence{})
	var client redis.UniversalClient
	switch {
	case q.Has("master_name"):
		client, err = connectSentinel(u)
	case q.Get("cluster") == "true":
		client, err = connectCluster(u)
	default:
		client, err = connectOne(u)
	}
	if err != nil {
		return nil, errors.New(strings.ReplaceAll(err.Error(), u.String(), "the URL"))
	}
	return &Client{client}, nil
}

// CheckURL refuses what Connect could not use.
func CheckURL(address string) error {
	client, err := Connect(address)
	if err != nil {
		return err
	}
	return client.Close()
}

func connectOne(u *url.URL) (redis.UniversalClient, error) {
	o, err := redis.ParseURL(u.String())
	if err != nil {
		return nil, err
	}
	orTimeout(&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout, &o.PoolTimeout)
	o.PoolSize = cmp.Or(o.PoolSize, connections)
	o.MaxRetries, o.DialerRetries, o.ContextTimeoutEnabled = 1, 1, true
	return redis.NewClient(o), nil
}

func connectSentinel(u *url.URL) (redis.UniversalClient, error) {
	o, err := redis.ParseFailoverURL(u.String())
	if err != nil {
		return nil, err
	}
	orTimeout(&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout, &o.PoolTimeout)
	o.PoolSize = cmp.Or(o.PoolSize, connections)
	o.MaxRetries, o.DialerRetries, o.ContextTimeoutEnabled = 1, 1, true
	return redis.NewFailoverClient(o), nil
}

func connectCluster(u *url.URL) (redis.UniversalClient, error) {
	q := u.Query()
	q.Del("cluster") // is ours
	u.RawQuery = q.Encode()
	o, err := redis.ParseClusterURL(u.String())
	if err != nil {
		return nil, err
	}
	orTimeout(&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout, &o.PoolTimeout)
	o.PoolSize = cmp.Or(o.PoolSize, connections)
	o.DialerRetries, o.ContextTimeoutEnabled = 1, true
	o.ClusterStateReloadInterval = timeout // else a dead master is asked for a minute
	return redis.NewClusterClient(o), nil
}

// silence drops what the library prints: every failure also comes back as an error.
type silence struct{}

func (silence) Printf(context.Context, string, ...any) {}

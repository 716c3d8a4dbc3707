// Package redisstore stores sessions, rate limits and marks of writers in Redis 6.2 or newer.
//
// All keys have a time to live:
//
//	octavo:{u<user>}:session:<id>  string  one session as JSON; expires with the session
//	octavo:{u<user>}:sessions      zset    ids of the user's sessions by last use in Unix µs
//	octavo:{u<user>}:devices       set     browsers and systems with which the user has signed in
//	octavo:{limits}:<name>         string  "<limit.State.FullAt, Unix µs> <violations>"
//	octavo:{u<user>}:wrote         string  the user may have written what a standby does not have yet
//
// The part in braces is the hash tag that decides the slot in a cluster: all keys of one
// script must share it. All limits share one slot because a sign-in counts several at
// once; that costs Redis microseconds, compared to milliseconds for hashing a password.
//
// A session is changed by compare-and-swap. The rules are in domain/session. No script writes
// to a key that is gone, so a refresh never restores a revoked session.
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

// ErrUnavailable is returned while Redis cannot be reached.
var ErrUnavailable = fault.New(fault.Unavailable, "unavailable", "Sessions are not available right now. Please try again in a moment.").After(2 * time.Second)

// unavailable wraps an error of Redis in ErrUnavailable, so that callers see no
// internals.
func unavailable(err error) error {
	if err == nil || errors.Is(err, context.Canceled) {
		return err
	}
	return fmt.Errorf("%w: redis: %w", ErrUnavailable, err)
}

// timeout is short because Redis answers in less than a millisecond or has a problem,
// and callers should learn of that soon. The URL may override it: dial_timeout,
// read_timeout, write_timeout and pool_timeout, such as 3s.
const timeout = time.Second

func orTimeout(all ...*time.Duration) {
	for _, d := range all {
		*d = cmp.Or(*d, timeout)
	}
}

// connections is the size of the pool unless the URL has pool_size. Each worker of a
// mailer holds one while it waits.
const connections = 32

// Client is a connection to a Redis server, a cluster or a group with sentinels. The library's
// client is a field and not embedded, because it would give this type its 600 commands again.
type Client struct{ Redis redis.UniversalClient }

// Check returns why Redis cannot be used.
func (c *Client) Check(ctx context.Context) error { return c.Redis.Ping(ctx).Err() }

// Close closes every connection.
func (c *Client) Close() error { return c.Redis.Close() }

// Connect returns a client for a URL. It does not connect yet.
//
//	redis://user:password@host:port/db, or rediss:// with TLS
//	…?master_name=NAME: the host, user and password are those of a sentinel; those of the
//	servers behind it are &username= and &password=
//	…?cluster=true: the host is a node of a cluster
//
// &addr=host:port adds a host. Errors never quote the password. Options that read from
// replicas are rejected, because a replica may not know yet that a session was revoked.
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
			return nil, errors.New(name + " is not supported: sessions must be read from the master")
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

// CheckURL returns an error for a URL that Connect rejects.
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
	q.Del("cluster") // our own option
	u.RawQuery = q.Encode()
	o, err := redis.ParseClusterURL(u.String())
	if err != nil {
		return nil, err
	}
	orTimeout(&o.DialTimeout, &o.ReadTimeout, &o.WriteTimeout, &o.PoolTimeout)
	o.PoolSize = cmp.Or(o.PoolSize, connections)
	o.DialerRetries, o.ContextTimeoutEnabled = 1, true
	o.ClusterStateReloadInterval = timeout // the default would use a dead master for a minute
	return redis.NewClusterClient(o), nil
}

// silence drops the library's log: every failure is also returned as an error.
type silence struct{}

func (silence) Printf(context.Context, string, ...any) {}

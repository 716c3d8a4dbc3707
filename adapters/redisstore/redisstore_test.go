package redisstore_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/octavo-books/octavo/adapters/redisstore"
	"github.com/octavo-books/octavo/application/auth"
	"github.com/octavo-books/octavo/application/auth/signin"
	"github.com/octavo-books/octavo/application/market"
	"github.com/octavo-books/octavo/domain/fault"
	"github.com/octavo-books/octavo/domain/session"
	"github.com/octavo-books/octavo/domain/user"
	"github.com/octavo-books/octavo/test/authkit"
	"github.com/octavo-books/octavo/test/contract"
	"github.com/octavo-books/octavo/test/contract/authcontract"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
	"github.com/octavo-books/octavo/test/poll"
	"github.com/octavo-books/octavo/test/servers"
	sqlstores "github.com/octavo-books/octavo/test/stores"
)

// onEach runs a test over miniredis and over a real Redis.
func onEach(t *testing.T, test func(t *testing.T, url func(t testing.TB) string)) {
	t.Run("miniredis", func(t *testing.T) {
		test(t, func(t testing.TB) string { return "redis://" + miniredis.RunT(t).Addr() + "?read_timeout=30s" })
	})
	onRedis(t, test)
}

// onRedis runs a test over a real Redis. Before url returns, it empties the server.
func onRedis(t *testing.T, test func(t *testing.T, url func(t testing.TB) string)) {
	t.Run("redis", func(t *testing.T) {
		s := servers.Redis(t)
		test(t, func(t testing.TB) string {
			client := connect(t, s.URL)
			must.Do(t, client.Redis.FlushAll(context.Background()).Err())
			return s.WithLongTimeouts()
		})
	})
}

func connect(t testing.TB, url string) *redisstore.Client {
	t.Helper()
	client := must.Get(redisstore.Connect(url))(t)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// stores are in Redis for sessions and limits, and in SQLite for the rest.
func stores(t testing.TB, url string) authkit.Stores { return storesOver(t, sqlstores.SQLite(t), url) }

func storesOver(t testing.TB, rest sqlstores.Stores, url string) authkit.Stores {
	client, all := connect(t, url), rest.Auth(t)
	all.Sessions, all.RateLimiter, all.Sweepers = redisstore.NewSessions(client, accounts(all)), redisstore.NewRateLimiter(client), nil
	return all
}

func accounts(of authkit.Stores) redisstore.Accounts { return of.Identity.(redisstore.Accounts) }

func TestUseCases(t *testing.T) {
	onRedis(t, func(t *testing.T, url func(testing.TB) string) {
		authcontract.UseCases(t, func(t *testing.T) authkit.Stores { return stores(t, url(t)) })
	})
}

func TestContracts(t *testing.T) { onEach(t, contracts) }

// contracts runs the contract suites of the ports that Redis implements.
func contracts(t *testing.T, url func(testing.TB) string) {
	t.Run("sessions", func(t *testing.T) {
		authcontract.Sessions(t, func(t *testing.T) authkit.Stores { return stores(t, url(t)) })
	})
	t.Run("sessions whose side effects are stored in transactions that run twice", func(t *testing.T) {
		authcontract.Sessions(t, func(t *testing.T) authkit.Stores {
			return storesOver(t, sqlstores.Over(database.Twice(database.SQLite(t, sqlstores.Schema...))), url(t))
		})
	})
	t.Run("limits", func(t *testing.T) {
		authcontract.RateLimiter(t, func(t *testing.T) auth.RateLimiter { return redisstore.NewRateLimiter(connect(t, url(t))) })
	})
}

func TestARefreshDuringASignOutDoesNotRestoreTheSession(t *testing.T) {
	onEach(t, func(t *testing.T, url func(testing.TB) string) {
		s := stores(t, url(t))
		k := authkit.New(t, s, nil)
		k.CreateUser(t, "ada@rit.edu")
		for range 50 {
			g := k.SignIn(t, "ada@rit.edu")
			by := k.CallerOf(t, g)
			var both sync.WaitGroup
			both.Go(func() { _, _ = k.Sessions.Refresh(context.Background(), g.RefreshToken, authkit.Firefox) })
			both.Go(func() {
				if err := k.Sessions.SignOut(context.Background(), by); err != nil {
					t.Error(err)
				}
			})
			both.Wait()
			if _, err := s.Sessions.FindSession(context.Background(), by.ID, by.Session); !errors.Is(err, session.ErrNotFound) {
				t.Fatalf("the session was restored: %v, want %v", err, session.ErrNotFound)
			}
		}
	})
}

func TestSessionsAreUnavailableWhileRedisIsDownAndWorkAfterwards(t *testing.T) {
	server := servers.Redis(t)
	s := stores(t, server.URL)
	k := authkit.New(t, s, nil)
	k.CreateUser(t, "ada@rit.edu")
	g := k.SignIn(t, "ada@rit.edu")
	server.Kill()
	for what, try := range map[string]func() error{
		"authenticate": func() error {
			return must.Err(k.Authenticator.Authenticate(context.Background(), g.AccessToken, authkit.Firefox))
		},
		"refresh": func() error {
			return must.Err(k.Sessions.Refresh(context.Background(), g.RefreshToken, authkit.Firefox))
		},
		"sign in": func() error {
			return must.Err(k.SignIns.SignIn(context.Background(), signin.Request{Email: "ada@rit.edu", Password: authkit.Password, From: authkit.Firefox}))
		},
	} {
		must.Refuse(t, try(), redisstore.ErrUnavailable, what)
	}
	server.Restart()
	if _, err := k.Authenticator.Authenticate(context.Background(), g.AccessToken, authkit.Firefox); err != nil {
		t.Errorf("after Redis has restarted: %v", err)
	}
}

func TestARedisThatHangsIsUnavailableAfterATimeout(t *testing.T) {
	server := servers.Redis(t)
	s := stores(t, server.URL)
	must.Get(s.Sessions.ListSessions(t.Context(), 1))(t)
	defer server.Pause()()
	ctx, cancel := context.WithTimeout(t.Context(), poll.Limit)
	defer cancel()
	if _, err := s.Sessions.ListSessions(ctx, 1); !errors.Is(err, redisstore.ErrUnavailable) || ctx.Err() != nil {
		t.Errorf("%v, %v", err, ctx.Err())
	}
}

func TestUsersSignInAgainAfterRedisHasLostItsData(t *testing.T) {
	onEach(t, func(t *testing.T, url func(testing.TB) string) {
		address := url(t)
		k := authkit.New(t, stores(t, address), nil)
		k.CreateUser(t, "ada@rit.edu")
		g := k.SignIn(t, "ada@rit.edu")
		must.Do(t, connect(t, address).Redis.FlushAll(t.Context()).Err())
		must.Refuse(t, must.Err(k.Authenticator.Authenticate(t.Context(), g.AccessToken, authkit.Firefox)), user.ErrUnauthenticated, "authenticate")
		must.Refuse(t, must.Err(k.Sessions.Refresh(t.Context(), g.RefreshToken, authkit.Firefox)), session.ErrInvalid, "refresh")
		k.SignIn(t, "ada@rit.edu")
	})
}

func TestEveryKeyExpires(t *testing.T) {
	server := servers.Redis(t)
	k := authkit.New(t, stores(t, server.URL), nil)
	k.CreateUser(t, "ada@rit.edu")
	g := k.SignIn(t, "ada@rit.edu")
	k.CallerOf(t, g)
	client := connect(t, server.URL)
	keys, err := client.Redis.Keys(t.Context(), "*").Result()
	if err != nil || len(keys) < 4 {
		t.Fatalf("keys: %q, %v", keys, err)
	}
	for _, key := range keys {
		if left := client.Redis.PTTL(t.Context(), key).Val(); left <= 0 {
			t.Errorf("%s never expires", key)
		}
	}
}

// brokenAccounts cannot store side effects.
type brokenAccounts struct{ redisstore.Accounts }

var errDisk = errors.New("disk full")

func (b brokenAccounts) Atomically(ctx context.Context, fn func(context.Context, auth.Stores) error) error {
	return b.Accounts.Atomically(ctx, func(ctx context.Context, st auth.Stores) error {
		st.Store = refusing{st.Store}
		return fn(ctx, st)
	})
}

type refusing struct{ auth.Store }

func (refusing) RecordSideEffects(context.Context, auth.SideEffects) error { return errDisk }

func TestRedisIsNotChangedWhenTheSideEffectsCannotBeStored(t *testing.T) {
	onEach(t, func(t *testing.T, url func(testing.TB) string) {
		people, client := accounts(sqlstores.SQLite(t).Auth(t)), connect(t, url(t))
		good, bad := redisstore.NewSessions(client, people), redisstore.NewSessions(client, brokenAccounts{people})
		now := time.Now().UTC()
		one := session.Session{ID: 1, User: 7, CreatedAt: now, Lifetime: session.Lifetime{LastUsedAt: now, IdleTimeout: session.IdleTimeout, AbsoluteExpiry: now.Add(session.AbsoluteTimeout)}}
		nothing := auth.SessionEffects{Added: func(auth.KnownDevices) auth.SideEffects { return auth.SideEffects{} }}
		must.Refuse(t, bad.AddSession(t.Context(), one, 10, nothing), errDisk, "add")
		must.Refuse(t, must.Err(good.FindSession(t.Context(), 7, 1)), session.ErrNotFound, "a session was added without side effects")
		must.Do(t, good.AddSession(t.Context(), one, 10, nothing))
		must.Refuse(t, must.Err(bad.RevokeSessions(t.Context(), 7, []user.SessionID{1}, now, auth.SideEffects{})), errDisk, "revoke")
		if _, err := good.FindSession(t.Context(), 7, 1); err != nil {
			t.Errorf("a session was revoked without side effects: %v", err)
		}
	})
}

func TestTheErrorOfABadURLDoesNotQuoteThePassword(t *testing.T) {
	for _, good := range []string{
		"redis://localhost:6379", "rediss://:secret@cache.example.edu:6380/2",
		"redis://:secret@s1:26379?master_name=octavo&addr=s2:26379", "redis://n1:6379?cluster=true&addr=n2:6379",
	} {
		client, err := redisstore.Connect(good)
		if err != nil {
			t.Errorf("%s: %v", good, err)
			continue
		}
		_ = client.Close()
	}
	for _, bad := range []string{"", "localhost:6379", "http://x", "redis://", "redis://h:1/secret-x", "redis://:secret@h:6379?no_such=1", "redis://:sec%ret@h", "redis://h:1?cluster=true&read_only=true", "redis://h:1?master_name=x&replica_only=true"} {
		_, err := redisstore.Connect(bad)
		if err == nil {
			t.Errorf("%q is accepted", bad)
		} else if strings.Contains(err.Error(), "secret@") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestWriteMarks(t *testing.T) {
	s := servers.Redis(t)
	contract.WriteMarks(t, func(t *testing.T, maxLag time.Duration) market.WriteMarks {
		client := connect(t, s.WithLongTimeouts())
		must.Do(t, client.Redis.FlushAll(t.Context()).Err())
		return redisstore.NewWriteMarks(client, maxLag)
	})
}

func TestWriteMarksAreUnavailableWithoutRedis(t *testing.T) {
	s := servers.Redis(t)
	m := redisstore.NewWriteMarks(connect(t, s.URL), time.Second)
	s.Kill()
	if err := m.MarkWriter(t.Context(), 7, time.Second); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("mark: %v", err)
	}
	if _, err := m.IsMarked(t.Context(), 7); fault.KindOf(err) != fault.Unavailable {
		t.Errorf("is marked: %v", err)
	}
}

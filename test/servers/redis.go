package servers

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// RedisServer is a real redis-server with a folder of its own.
type RedisServer struct {
	URL     string // redis://127.0.0.1:PORT
	t       testing.TB
	process *process
}

// Redis starts a redis-server that persists every write (appendonly, fsync always), so that a
// test that kills it can require everything that was acknowledged.
func Redis(t testing.TB) *RedisServer {
	t.Helper()
	s := redisNode(t, "", "--save", "", "--appendonly", "yes", "--appendfsync", "always")
	s.Restart()
	return s
}

// NeedRedis returns the path of redis-server, or skips the test.
func NeedRedis(t testing.TB) (path string) {
	t.Helper()
	return Need(t, "redis-server", "apt-get install redis-server", "redis-server")
}

// redisNode is a redis-server on a port of its own that is not started yet.
func redisNode(t testing.TB, password string, args ...string) *RedisServer {
	t.Helper()
	path := NeedRedis(t)
	port, dir := strconv.Itoa(Port(t)), Dir(t)
	s := &RedisServer{URL: "redis://127.0.0.1:" + port, t: t, process: &process{
		path: path, dir: dir, args: append(args, "--port", port, "--bind", "127.0.0.1", "--dir", dir, "--logfile", "redis.log"),
	}}
	if password != "" {
		s.URL = "redis://:" + password + "@127.0.0.1:" + port
	}
	t.Cleanup(func() {
		s.Kill()
		if log, err := os.ReadFile(filepath.Join(dir, "redis.log")); err == nil && t.Failed() {
			t.Logf("the log of redis-server at %s:\n%s", port, log[max(0, len(log)-2000):])
		}
	})
	return s
}

// WithLongTimeouts returns a URL with long timeouts, for tests that count commands: on a slow machine
// a command that is retried after a timeout would count twice.
func (s *RedisServer) WithLongTimeouts() string {
	return s.URL + "?dial_timeout=30s&read_timeout=30s&write_timeout=30s&pool_timeout=30s"
}

// Kill ends the server with SIGKILL. A second call does nothing.
func (s *RedisServer) Kill() { s.process.kill() }

// Restart starts it on the same port and data, and returns once it answers.
func (s *RedisServer) Restart() {
	s.t.Helper()
	s.process.start(s.t)
	client := s.Client()
	defer func() { _ = client.Close() }()
	until(s.t, "redis-server", func() error { return client.Ping(context.Background()).Err() })
}

// Pause stops the server from answering, without closing its connections, until
// resume is called.
func (s *RedisServer) Pause() (resume func()) {
	s.t.Helper()
	if err := s.process.signal(stopSignal); err != nil {
		s.t.Fatalf("pause redis-server: %v", err)
	}
	return func() { _ = s.process.signal(continueSignal) }
}

// Client is a new client of the server.
func (s *RedisServer) Client() *redis.Client {
	s.t.Helper()
	options, err := redis.ParseURL(s.URL)
	if err != nil {
		s.t.Fatal(fmt.Errorf("%s: %w", s.URL, err))
	}
	return redis.NewClient(options)
}

// address is its host:port.
func (s *RedisServer) address() string { return s.URL[strings.LastIndexAny(s.URL, "/@")+1:] }

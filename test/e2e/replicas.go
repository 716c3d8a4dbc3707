package e2e

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/servers"
)

// Replicas is the environment variable with the number of programs of a Server:
// OCTAVO_E2E_REPLICAS=3 go test ./test/e2e. Several programs share a Postgres, a Redis and a
// queue, from which a mailer sends, and each request goes to a random one.
const Replicas = "OCTAVO_E2E_REPLICAS"

// OverReplicas reports whether a Server has more than one program.
func OverReplicas() bool { return replicasWanted() > 1 }

func replicasWanted() int {
	n, _ := strconv.Atoi(os.Getenv(Replicas)) // anything else is one
	return n
}

// Fleet is several programs on one Postgres and one Redis.
type Fleet struct {
	*Server
	Replicas []*Program
	Mailers  []*Program
	Redis    *servers.RedisServer
	Database string // its URL
}

// Gone is the header of answers that come from the load balancer and not from a replica.
const Gone = "X-Replica-Gone"

func startReplicas(t testing.TB, n int, env, args []string) *Server {
	t.Helper()
	return StartFleet(t, n, env, args...).Server
}

// StartFleet starts n replicas and a mailer behind a load balancer that picks a random
// replica. The settings in env override those of the fleet.
func StartFleet(t testing.TB, n int, env []string, args ...string) *Fleet {
	t.Helper()
	f := newFleet(t)
	f.Redis, f.Database = servers.Redis(t), database.PostgresURL(t)
	balancer := httptest.NewServer(f.balance())
	t.Cleanup(balancer.Close)
	f.start(n, balancer.URL, append([]string{
		"DATABASE_URL=" + f.Database, "REDIS_URL=" + f.Redis.WithLongTimeouts(), "QUEUE_URL=" + f.Redis.URL,
	}, env...), args)
	return f
}

// StartFleetAt starts n replicas and a mailer with the settings in env, which name a Postgres, a
// Redis and a queue. The caller starts the load balancer, at url.
func StartFleetAt(t testing.TB, n int, url string, env []string, args ...string) *Fleet {
	t.Helper()
	f := newFleet(t)
	f.start(n, url, env, args)
	return f
}

func newFleet(t testing.TB) *Fleet {
	t.Helper()
	return &Fleet{Server: &Server{t: t, DataDir: filepath.Join(servers.Dir(t), "data")}}
}

func (f *Fleet) start(n int, url string, env, args []string) {
	f.t.Helper()
	f.URL = url
	f.env = append([]string{"BASE_URL=" + url, "TRUSTED_PROXIES=127.0.0.1"}, env...)
	if out, code := f.Octavo("migrate", "up"); code != 0 {
		f.t.Fatalf("migrate up: %d, want 0: %s", code, out)
	}
	for range n {
		f.Replicas = append(f.Replicas, f.program(args...))
	}
	if needsMailer(args) {
		f.Mailers = append(f.Mailers, f.program("mailer"))
	}
	f.Restart()
}

func needsMailer(args []string) bool {
	return len(args) == 0 || slices.Contains(args, "auth") || slices.Contains(args, "market")
}

// balance sends each request to a random replica.
func (f *Fleet) balance() http.Handler {
	return &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			to, err := url.Parse(f.Replicas[rand.IntN(len(f.Replicas))].URL)
			if err != nil {
				f.t.Error(err)
				return
			}
			r.SetURL(to)
			r.Out.Host = r.In.Host
			if strings.HasPrefix(r.In.URL.Path, "/dev/") {
				return // is refused to requests through a proxy
			}
			r.Out.Header["X-Forwarded-For"] = r.In.Header["X-Forwarded-For"]
			r.SetXForwarded()
		},
		// If a connection were reused after its replica has ended, the next request would fail.
		Transport:     &http.Transport{DisableKeepAlives: true, DisableCompression: true},
		FlushInterval: -1, // streams
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) {
			w.Header().Set(Gone, "true")
			w.WriteHeader(http.StatusBadGateway)
		},
	}
}

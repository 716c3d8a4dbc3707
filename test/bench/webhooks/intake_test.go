//go:build linux

package webhooks

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/octavo-books/octavo/domain/webhook"
	"github.com/octavo-books/octavo/domain/webhook/sample"
	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/must"
)

// senders is the number of connections that deliver at the same time, to all replicas
// together.
const senders = 96

// BenchmarkIntake reports how many signed deliveries a second the built program acknowledges,
// each stored durably, and the cost of one: processor time of the program and of
// Postgres, bytes of the stored data, and bytes of Postgres' log. The senders run on the same machine.
// OCTAVO_BENCH_SECONDS is the length of each measurement, by default 20.
//
//	go test -run '^$' -bench Intake -benchtime 1x ./test/bench/webhooks
func BenchmarkIntake(b *testing.B) {
	program := buildProgram(b)
	for _, event := range []webhook.EventName{"push", "pull_request"} {
		b.Run("sqlite/"+string(event), func(b *testing.B) { measureIntake(b, program, event, 1, nil) })
		for replicas := 1; replicas <= 3; replicas++ {
			b.Run(fmt.Sprintf("postgres_%d/%s", replicas, event), func(b *testing.B) {
				database.Durable()
				database.Need(b)
				measureIntake(b, program, event, replicas, openCluster(b, program))
			})
		}
	}
}

func measureIntake(b *testing.B, program string, event webhook.EventName, replicas int, c *cluster) {
	seconds := 20.0
	if text := os.Getenv("OCTAVO_BENCH_SECONDS"); text != "" {
		var err error
		seconds, err = strconv.ParseFloat(text, 64)
		check(err)
	}
	if testing.Short() {
		seconds = 0.3
	}
	folder := b.TempDir()
	var all []*builtServer
	for n := range replicas {
		s, own := &builtServer{b: b}, filepath.Join(folder, fmt.Sprint(n))
		check(os.Mkdir(own, 0o700))
		s.serve(program, own, append(c.env(), "WEBHOOK_SECRET="+secret, "WEBHOOK_KEEP_MOST=100000000")...)
		all = append(all, s)
	}
	payload, _ := sample.Payload(event)
	next := counter(b, event, payload)
	deliver(b, all, 1, next) // warm up
	stored, logged, serverCPU := c.size(folder), c.logged(), c.cpu()
	used := cpuOf(all)
	begin := time.Now()
	n := float64(deliver(b, all, seconds, next))
	took := time.Since(begin).Seconds()
	b.ReportMetric(n/took, "deliveries/s")
	b.ReportMetric(float64((cpuOf(all)-used).Microseconds())/n, "cpu-µs/delivery")
	b.ReportMetric(float64(c.size(folder)-stored)/n, "B/delivery")
	if c != nil {
		b.ReportMetric(float64((c.cpu()-serverCPU).Microseconds())/n, "postgres-µs/delivery")
		b.ReportMetric(float64(c.logged()-logged)/n, "log-B/delivery")
	}
	b.ReportMetric(0, "ns/op")
}

func cpuOf(all []*builtServer) (used time.Duration) {
	for _, s := range all {
		used += s.cpu()
	}
	return used
}

// deliver posts for some seconds over many connections, requires 200 for each delivery, and
// returns how many there were.
func deliver(b *testing.B, to []*builtServer, seconds float64, next func() []byte) int64 {
	b.Helper()
	ctx, stop := context.WithTimeout(b.Context(), time.Duration(seconds*float64(time.Second)))
	defer stop()
	var done atomic.Int64
	must.Together(senders, func(n int) {
		conn, err := net.Dial("tcp", to[n%len(to)].addr)
		if err != nil {
			b.Error(err)
			return
		}
		defer conn.Close()
		answers := bufio.NewReader(conn)
		for ctx.Err() == nil {
			if _, err := conn.Write(next()); err != nil {
				b.Error(err)
				return
			}
			answer, err := http.ReadResponse(answers, nil)
			if err != nil || answer.StatusCode != http.StatusOK {
				b.Errorf("not accepted: %v %v\n%s", answer, err, to[n%len(to)].logged())
				return
			}
			_, _ = io.Copy(io.Discard, answer.Body)
			done.Add(1)
		}
	})
	return done.Load()
}

// cluster is the Postgres of several replicas, nil for SQLite.
type cluster struct {
	b   *testing.B
	url string
	db  *sql.DB
}

func openCluster(b *testing.B, program string) *cluster {
	b.Helper()
	c := &cluster{b: b, url: database.PostgresURL(b)}
	migrate := exec.Command(program, "migrate", "up")
	migrate.Env = []string{"DATABASE_URL=" + c.url, "DATA_DIR=" + b.TempDir()}
	if out, err := migrate.CombinedOutput(); err != nil {
		b.Fatalf("%v: %s", err, out)
	}
	var err error
	c.db, err = sql.Open("pgx", c.url)
	check(err)
	b.Cleanup(func() { _ = c.db.Close() })
	var durable string
	check(c.db.QueryRow("SELECT current_setting('fsync') || current_setting('synchronous_commit')").Scan(&durable))
	if durable != "onon" {
		b.Logf("fsync and synchronous_commit are %q: what is acknowledged is not durable", durable)
	}
	return c
}

func (c *cluster) env() []string {
	if c == nil {
		return nil
	}
	return []string{"DATABASE_URL=" + c.url}
}

// size is that of the stored data in bytes, after a checkpoint: on SQLite of the folder.
func (c *cluster) size(folder string) (bytes int64) {
	if c != nil {
		return c.number("SELECT pg_database_size(current_database())")
	}
	check(filepath.Walk(folder, func(_ string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			bytes += info.Size()
		}
		return nil
	}))
	return bytes
}

// logged is the length of the write-ahead log in bytes since the beginning.
func (c *cluster) logged() int64 {
	if c == nil {
		return 0
	}
	return c.number("SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint")
}

// cpu returns the processor time of Postgres' processes that work for this database, or for
// all.
func (c *cluster) cpu() (used time.Duration) {
	if c == nil {
		return 0
	}
	rows, err := c.db.Query("SELECT pid FROM pg_stat_activity WHERE datname = current_database() OR datname IS NULL")
	check(err)
	defer rows.Close()
	for rows.Next() {
		var pid int
		check(rows.Scan(&pid))
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
		if err != nil {
			continue // it has ended
		}
		var ns int64
		_, err = fmt.Sscan(string(text), &ns)
		check(err)
		used += time.Duration(ns)
	}
	check(rows.Err())
	return used
}

func (c *cluster) number(query string) (n int64) {
	check(c.db.QueryRow(query).Scan(&n))
	return n
}

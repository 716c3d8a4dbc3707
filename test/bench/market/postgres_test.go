//go:build !windows

package market_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/octavo-books/octavo/adapters/gormstore"
)

// serverCPU is what a Postgres on this machine has used for us so far; nil on SQLite.
var serverCPU func() time.Duration

// watchServer adds up its processes that serve this database, as Linux counts them.
func watchServer(b *testing.B, db *gormstore.DB) {
	serverCPU = nil
	if db.Dialect != gormstore.Postgres {
		return
	}
	_, pool := db.SQL()
	pool.SetMaxOpenConns(crowd)
	serverCPU = func() (used time.Duration) {
		rows, err := pool.QueryContext(context.Background(), "SELECT pid FROM pg_stat_activity WHERE datname = current_database()")
		check(b, err)
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var pid int
			var ns int64
			check(b, rows.Scan(&pid))
			if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid)); err == nil {
				_, err = fmt.Sscan(string(stat), &ns)
				check(b, err)
			}
			used += time.Duration(ns)
		}
		check(b, rows.Err())
		return used
	}
}

// reportServer reports the CPU of an operation in the server since before.
func reportServer(b *testing.B, before time.Duration, operations int64) {
	if serverCPU != nil {
		b.ReportMetric(float64((serverCPU()-before).Microseconds())/float64(operations), "postgres-µs/op")
	}
}

func serverUsed() time.Duration {
	if serverCPU == nil {
		return 0
	}
	return serverCPU()
}

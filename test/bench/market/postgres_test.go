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

// serverCPU returns the processor time that a Postgres on this machine has used for this
// database; nil on SQLite.
var serverCPU func() time.Duration

// watchServer sets serverCPU to the sum over the processes of this database, from /proc.
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

// reportServer reports the CPU time of an operation in the server since before.
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

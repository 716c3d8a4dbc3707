package gormstore

import (
	"context"
	"time"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// The caches of all connections have one limit in common, the sum of theirs. Whoever
// has filled its own takes pages from the others, and they, once the sum is reached,
// may not keep new ones: they read the same pages anew for every statement. So room is
// made again and again, out of what nobody has used for longest.
const (
	slack      = 1 << 20 // bytes
	slackEvery = time.Second
)

func keepSlack(ctx context.Context) {
	tls := libc.NewTLS()
	defer tls.Close()
	again := time.NewTicker(slackEvery)
	defer again.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-again.C:
			sqlite3.Xsqlite3_release_memory(tls, slack)
		}
	}
}

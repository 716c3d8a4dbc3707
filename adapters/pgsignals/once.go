package pgsignals

import (
	"context"
	"database/sql"
	"log/slog"
	"time"
)

// onceTimeout bounds Once: the work is committed, and found without a signal too.
const onceTimeout = 2 * time.Second

// Once returns a SendTopic for a process that ends soon, such as a command. It sends with a
// statement of the pool, also through a pooler, and waits for it.
func Once(pool *sql.DB, log *slog.Logger) func(topic string) {
	return func(topic string) {
		ctx, cancel := context.WithTimeout(context.Background(), onceTimeout)
		defer cancel()
		if _, err := pool.ExecContext(ctx, "SELECT pg_notify($1, $2)", channel, topic); err != nil {
			log.Debug("a signal to the running replicas was not sent", "error", err)
		}
	}
}

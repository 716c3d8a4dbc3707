package doctor

import (
	"context"
	"errors"

	"github.com/octavo-books/octavo/adapters/gormstore"
	"github.com/octavo-books/octavo/cmd/config"
)

// checkPooler finds what a pooler in front of Postgres breaks. A useless connection loses
// prepared statements: any further check of it would fail by chance.
func checkPooler(ctx context.Context, d config.Database) (all []finding, useless bool) {
	pooling, err := gormstore.InspectPooling(ctx, d.URL)
	if err != nil {
		return []finding{failed("pooler", err, "check DATABASE_URL, and that there are connections left: this check needs two")}, false
	}
	if pooling.LosesStatements {
		all = append(all, failed("pooler", errors.New("prepared statements are lost between transactions"),
			"add default_query_exec_mode=exec to the query of DATABASE_URL, or, from PgBouncer 1.21 on, set max_prepared_statements = 200"))
	}
	if pooling.Unlimited {
		all = append(all, warn("pooler", "statements have no timeout, because the pooler does not pass it on",
			"ALTER ROLE octavo SET statement_timeout = '15s'; ALTER ROLE octavo SET idle_in_transaction_session_timeout = '30s'"))
	}
	sessions, err := checkSessions(ctx, d, pooling)
	if err != nil {
		return append(all, failed("sessions", err, "check DATABASE_DIRECT_URL")), pooling.LosesStatements
	}
	return append(all, sessions...), pooling.LosesStatements
}

// checkSessions checks the URL at which sessions are needed; pooling is that of DATABASE_URL.
func checkSessions(ctx context.Context, d config.Database, pooling gormstore.Pooling) (all []finding, err error) {
	advice := "set DATABASE_DIRECT_URL to the address of Postgres itself"
	if d.DirectURL != "" {
		advice = "DATABASE_DIRECT_URL has to lead to Postgres itself, not to a pooler"
		if pooling, err = gormstore.InspectPooling(ctx, d.DirectURL); err != nil {
			return nil, err
		}
	}
	if pooling.SharesSessions {
		all = append(all, failed("sessions", errors.New("a pooler shares them: the locks of migrations and of webhook services do not hold, and LISTEN hears nothing: notifications from other replicas come up to a minute late"), advice))
	}
	return all, nil
}

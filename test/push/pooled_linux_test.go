package push_test

import (
	"testing"

	"github.com/octavo-books/octavo/test/servers"
)

func init() { addresses["through PgBouncer"] = pooled }

func pooled(t testing.TB) address {
	t.Helper()
	at := migrated(t)
	at.url = servers.PgBouncer(t, at.direct, servers.PassOctavosParameters) + "&default_query_exec_mode=exec"
	return at
}

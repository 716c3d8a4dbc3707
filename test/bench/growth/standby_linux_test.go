package growth_test

import (
	"fmt"
	"testing"

	"github.com/octavo-books/octavo/test/e2e"
	"github.com/octavo-books/octavo/test/servers"
)

// BenchmarkStandby measures what the first page costs the primary with and without a standby.
func BenchmarkStandby(b *testing.B) {
	for _, name := range []string{"without", "with"} {
		b.Run(name, func(b *testing.B) {
			primary := servers.Postgres(b)
			standby := primary.Standby()
			env := []string{"DATABASE_URL=" + primary.URL, "GOMAXPROCS=1"}
			if name == "with" {
				env = append(env, "DATABASE_READ_URL="+standby.URL)
			}
			f := e2e.StartFleet(b, 1, env, "auth", "market")
			f.Database = primary.URL
			student := f.Student("ada@mit.edu", "Ada")
			for i := range 200 {
				student.Post(b, fmt.Sprintf("Calculus %d", i), "MTH 161")
			}
			b.Run("first page", func(b *testing.B) {
				before := used(b, postgres(b, standby.URL)...)
				spread(b, f, func(url string) {
					if a, err := (e2e.Client{URL: url}).Do("GET", "/api/books/getBooksNoToken/20/0", nil); err != nil || a.Status != 200 {
						b.Errorf("%v, %d: %s", err, a.Status, a.Body)
					}
				})
				b.ReportMetric((used(b, postgres(b, standby.URL)...)-before).Seconds()/float64(b.N)*1e6, "standby-µs/op")
			})
		})
	}
}

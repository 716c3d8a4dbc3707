//go:build linux

// Package growth_test asks every GET route of the API and every page, as people of every role, on
// two demo campuses of which one is much larger, and fails where a request costs more processor
// time there although its answer is no longer. Processor time depends little on what else runs;
// the least of several rounds but one depends on it still less.
//
// `go tool task test:growth` compares 10,000 books with 300,000; OCTAVO_GROWTH=10000,1000000
// names other sizes. A new route is asked without any change here, unless it has parameters: for
// those the tables in values_test.go have values.
package growth_test

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/octavo-books/octavo/test/database"
	"github.com/octavo-books/octavo/test/deep"
	"github.com/octavo-books/octavo/test/e2e"
)

func TestMain(m *testing.M) {
	database.Cached()
	e2e.Main(m)
}

// sizesVariable names the numbers of books of the two campuses, separated by a comma.
const sizesVariable = "OCTAVO_GROWTH"

// A request may cost most times as much on the large campus, times the growth of its answer. Less
// than floor is noise. Exports of a megabyte or more read more than the caches of the databases hold, each row once:
// they may cost mostOfFile times as much a row.
const (
	most, mostOfFile = 1.5, 3
	file             = 1 << 20
	floor            = 500 * time.Microsecond
)

// rounds is how often a request is measured before it is said to grow, and enough how often before
// it is said not to. What seems to grow is measured in secondRounds again at the end. What takes longer than long, as
// some exports do, is measured once.
const (
	rounds, enough = 8, 2
	secondRounds   = 16
	long           = time.Second
)

func TestARequestCostsNoMoreOnALargerCampus(t *testing.T) {
	small, large := sizes(t)
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			c := &comparison{t: t, small: openCampus(t, engine, small), large: openCampus(t, engine, large)}
			for _, r := range c.small.requests(t) {
				c.compare(r)
			}
			c.again()
			c.report()
		})
	}
}

func sizes(t *testing.T) (small, large int) {
	t.Helper()
	deep.Only(t, "loads demo campuses and measures hundreds of requests")
	named := os.Getenv(sizesVariable)
	if named == "" {
		t.Skip(deep.Mark + "measures processor time in a task of its own, test:growth")
	}
	first, second, _ := strings.Cut(named, ",")
	small, err := strconv.Atoi(first)
	if err == nil {
		large, err = strconv.Atoi(second)
	}
	if err != nil || small < 1000 || large < 10*small {
		t.Fatalf("%s=%q must be two numbers of books, the second at least ten times the first, such as 10000,300000", sizesVariable, named)
	}
	return small, large
}

// comparison asks two campuses the same.
type comparison struct {
	t            *testing.T
	small, large *campus
	all          []measured
	growing      []request // when they were first measured
}

// measured is what a request cost and how long its answer was on the small and on the large campus.
type measured struct {
	request      request
	small, large time.Duration
	short, long  int
}

// limit is what the request may cost on the large campus.
func (m measured) limit() time.Duration {
	longer := max(1, float64(m.long)/float64(max(m.short, 1)))
	times := most
	if m.long >= file {
		times = mostOfFile
	}
	return time.Duration(times*longer*float64(m.small)) + floor
}

// part is how much of the limit it costs; what costs more grows.
func (m measured) part() float64 { return float64(m.large) / float64(m.limit()) }

func (m measured) grows() bool { return m.part() > 1 }

func (m measured) String() string {
	return fmt.Sprintf("%8.0f µs %8.0f µs %5.1f × answer %5.1f ×  %s", micros(m.small), micros(m.large),
		float64(m.large)/float64(max(m.small, 1)), float64(m.long)/float64(max(m.short, 1)), m.request)
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

// compare measures a request on both campuses.
func (c *comparison) compare(r request) {
	c.t.Helper()
	if c.t.Context().Err() != nil {
		return
	}
	here, there := c.small.ask(r), c.large.ask(r) // also prepares statements and fills caches
	if here.status != there.status {
		c.t.Errorf("%s: %d on the small campus, %d on the large one", r, here.status, there.status)
		return
	}
	m := c.measure(r, here, there, rounds)
	if m.grows() && m.large <= long {
		c.growing = append(c.growing, r)
		return
	}
	c.judge(m)
}

// again measures what seemed to grow once more, when the machine may have less else to do.
func (c *comparison) again() {
	c.t.Helper()
	for _, r := range c.growing {
		c.judge(c.measure(r, c.small.ask(r), c.large.ask(r), secondRounds))
	}
}

// measure asks both campuses in turn, until it is clear whether a request grows.
func (c *comparison) measure(r request, here, there answer, rounds int) measured {
	c.t.Helper()
	m := measured{request: r, small: c.small.cost(r, 1), large: c.large.cost(r, 1), short: len(here.body), long: len(there.body)}
	n, k := often(m.small), often(m.large)
	costs, larger := []time.Duration{m.small}, []time.Duration{m.large}
	for round := range rounds {
		clear := round >= enough || here.status != http.StatusOK
		if clear && !m.grows() || m.large > long {
			break
		}
		costs, larger = append(costs, c.small.cost(r, n)), append(larger, c.large.cost(r, k))
		m.small, m.large = lowest(costs), lowest(larger)
	}
	return m
}

// judge fails if a request grows that is not known to.
func (c *comparison) judge(m measured) {
	c.t.Helper()
	c.all = append(c.all, m)
	reason := m.request.known(c.large.engine())
	switch {
	case m.grows() && reason == "":
		c.t.Errorf("grows, may cost %.0f µs: %s\n%s", micros(m.limit()), m, m.request.url(c.large))
	case m.grows():
		c.t.Logf("grows, as is known: %s: %s", m, reason)
	}
}

// known returns why a request is known to grow on an engine; "" if it is not.
func (r request) known(engine string) string {
	for key, reason := range exceptions {
		key = strings.TrimPrefix(key, engine+": ")
		name, part, _ := strings.Cut(key, "?")
		name, role, _ := strings.Cut(name, " by ")
		if name == r.name && (role == "" || role == r.role) && strings.Contains(r.target, part) {
			return reason
		}
	}
	return ""
}

// lowest is the least of some measurements but one: rarely, the clock of a process lags behind what it did.
func lowest(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[min(1, len(all)-1)]
}

// report prints what grows most.
func (c *comparison) report() {
	slices.SortFunc(c.all, func(a, b measured) int { return cmp.Compare(b.part(), a.part()) })
	lines := make([]string, 0, len(c.all))
	for _, m := range c.all {
		lines = append(lines, m.String())
	}
	c.t.Logf("%d requests; on %d books, on %d:\n%s", len(lines), c.small.books, c.large.books, strings.Join(lines[:min(len(lines), 40)], "\n"))
}

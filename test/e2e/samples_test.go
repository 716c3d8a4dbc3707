package e2e_test

import (
	"bytes"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/test/e2e"
)

// sample is a request as its client saw it.
type sample struct {
	ended   time.Time
	took    time.Duration
	write   bool   // it was acknowledged, and the database has written it
	failure string // "" if the program did what it was asked, or refused it with a reason
}

// writes are the requests that write to the database if they succeed.
var writes = []string{"sign up", "post", "cart", "buy", "webhook"}

// The kinds of failures, in the order of the table.
const (
	noAnswer, fromBalancer = "no answer", "502–504 of HAProxy"
	unavailable503         = "503"
	unavailableGraphQL     = "`UNAVAILABLE`"
)

func (d *journal) sample(what string, began time.Time, a e2e.Answer, err error) {
	s := sample{ended: time.Now(), took: time.Since(began)}
	switch {
	case err != nil:
		s.failure = noAnswer
	case a.Header.Get(e2e.Gone) != "":
		s.failure = fromBalancer
	case a.Status == http.StatusServiceUnavailable:
		s.failure = unavailable503
	case bytes.Contains(a.Body, []byte(`"code":"UNAVAILABLE"`)):
		s.failure = unavailableGraphQL
	case a.Status >= 500:
		s.failure = fmt.Sprint(a.Status)
	default:
		s.write = a.Status < 300 && slices.Contains(writes, what)
	}
	d.note(func() { d.samples = append(d.samples, s) })
}

// outage is what clients saw of one fault.
type outage struct {
	fault    string
	silence  time.Duration // the longest time in which no write was acknowledged
	failing  time.Duration // from the fault to the last request that failed
	slowest  time.Duration
	requests int
	failures map[string]int
}

// outage sums up the requests that ended since a fault.
func (d *journal) outage(fault string, since time.Time) outage {
	o := outage{fault: fault, failures: map[string]int{}}
	d.note(func() {
		last := since
		for _, s := range slices.SortedFunc(slices.Values(d.samples), func(a, b sample) int { return a.ended.Compare(b.ended) }) {
			if s.ended.Before(since) {
				continue
			}
			o.requests++
			o.slowest = max(o.slowest, s.took)
			if s.failure != "" {
				o.failures[s.failure]++
				o.failing = s.ended.Sub(since)
			}
			if s.write {
				o.silence, last = max(o.silence, s.ended.Sub(last)), s.ended
			}
		}
	})
	return o
}

// settled reports that writes are acknowledged again and nothing has failed for a while.
func (d *journal) settled(since time.Time) (ok bool) {
	const calm = 3 * time.Second
	d.note(func() {
		written, failed := 0, false
		for _, s := range slices.Backward(d.samples) {
			if time.Since(s.ended) > calm {
				break
			}
			failed = failed || s.failure != ""
			if s.write {
				written++
			}
		}
		ok = !failed && written >= 20 && time.Since(since) > calm
	})
	return ok
}

// table prints outages in Markdown.
func table(all []outage) string {
	var b strings.Builder
	b.WriteString("| fault | no write acknowledged for | requests failed until | slowest request | requests | 503 | `UNAVAILABLE` | 502–504 of HAProxy | no answer |\n|---|---|---|---|---|---|---|---|---|\n")
	for _, o := range all {
		fmt.Fprintf(&b, "| %s | %.1f s | %.1f s | %.1f s | %d | %d | %d | %d | %d |", o.fault, o.silence.Seconds(), o.failing.Seconds(), o.slowest.Seconds(),
			o.requests, o.failures[unavailable503], o.failures[unavailableGraphQL], o.failures[fromBalancer], o.failures[noAnswer])
		for _, kind := range slices.Sorted(maps.Keys(o.failures)) {
			if !slices.Contains([]string{noAnswer, fromBalancer, unavailable503, unavailableGraphQL}, kind) {
				fmt.Fprintf(&b, " %s: %d |", kind, o.failures[kind])
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

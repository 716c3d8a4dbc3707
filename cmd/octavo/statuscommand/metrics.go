package statuscommand

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// sample is one line of the metrics.
type sample struct {
	name, labels string
	value        float64
}

func parseMetrics(text string) (all []sample) {
	for line := range strings.Lines(text) {
		at := strings.LastIndexByte(line, ' ')
		if at < 0 || strings.HasPrefix(line, "#") {
			continue
		}
		value, err := strconv.ParseFloat(strings.TrimSpace(line[at:]), 64)
		if err != nil {
			continue
		}
		name, labels, _ := strings.Cut(line[:at], "{")
		all = append(all, sample{name, labels, value})
	}
	return all
}

// total adds the values of a metric whose labels contain a text, and tells the largest.
func total(all []sample, name, labels string) (sum, most float64) {
	for _, s := range all {
		if s.name == name && strings.Contains(s.labels, labels) {
			sum, most = sum+s.value, max(most, s.value)
		}
	}
	return sum, most
}

// queues are the metrics of each queue: what waits, what was given up, the age of the oldest.
var queues = map[string][3]string{
	"mails":      {"octavo_outbox_waiting", "octavo_outbox_dead", "octavo_outbox_oldest_seconds"},
	"broker":     {"octavo_queue_waiting", "", "octavo_queue_oldest_seconds"},
	"work":       {"octavo_jobs_due", "octavo_jobs_dead", "octavo_jobs_oldest_seconds"},
	"deliveries": {"octavo_webhook_open", "octavo_webhook_dead", "octavo_webhook_oldest_seconds"},
	"events":     {"octavo_events_waiting", "", "octavo_events_oldest_seconds"},
}

var version = regexp.MustCompile(`version="([^"]*)"`)

// fill takes from the metrics what the status has.
func (st *Status) fill(all []sample) {
	has := map[string]bool{}
	for _, s := range all {
		has[s.name] = true
		if s.name == "octavo_build_info" {
			if m := version.FindStringSubmatch(s.labels); m != nil {
				st.Version = m[1]
			}
		}
	}
	if began, _ := total(all, "process_start_time_seconds", ""); began > 0 {
		at := time.Unix(int64(began), 0).UTC()
		st.StartedAt = &at
	}
	requests, _ := total(all, "octavo_http_requests_total", "")
	failed, _ := total(all, "octavo_http_requests_total", `status="5`)
	st.Requests = &Requests{int(requests), int(failed)}
	st.Queues = map[string]Queue{}
	for name, q := range queues {
		if !has[q[0]] {
			continue
		}
		waiting, _ := total(all, q[0], "")
		dead, _ := total(all, q[1], "")
		_, oldest := total(all, q[2], "")
		st.Queues[name] = Queue{int(waiting), int(dead), oldest}
	}
}

package statuscommand

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// shownFaults is how many fit on a screen with everything else.
const shownFaults = 5

// oldBackup is the bound of the alert OctavoBackupIsOld, too.
const oldBackup = 48 * time.Hour

// givenUp says where to look for what a queue gave up.
var givenUp = map[string]string{
	"deliveries": "octavo webhooks list --state dead", "events": "octavo webhooks list --state dead",
	"mails": "octavo docs operations/mail", "work": "octavo work list",
}

func (st Status) print(out io.Writer, now time.Time) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name, format string, args ...any) { _, _ = fmt.Fprintf(w, name+"\t"+format+"\n", args...) }
	row("version", "%s", st.Version)
	row("address", "%s", st.Address)
	row("health", "%s", st.health())
	if st.Running && st.Health.Status != "up" {
		row("", "octavo doctor says why, and what to do")
	}
	if st.StartedAt != nil {
		row("running for", "%s", ago(now, *st.StartedAt))
	}
	if st.Requests != nil {
		row("requests", "%d, of which %d have failed", st.Requests.All, st.Requests.Failed)
	}
	for _, name := range slices.Sorted(maps.Keys(st.Queues)) {
		q := st.Queues[name]
		text := fmt.Sprintf("%d waiting, %d given up", q.Waiting, q.Dead)
		if q.OldestSeconds >= 1 {
			text += ", the oldest for " + ago(now, now.Add(-time.Duration(q.OldestSeconds)*time.Second))
		}
		if q.Dead > 0 {
			text += ": " + givenUp[name]
		}
		row(name, "%s", text)
	}
	if st.Certificate != nil {
		row("certificate", "%s", st.Certificate.text(now))
	}
	switch {
	case st.Backup != nil && now.Sub(st.Backup.At) > oldBackup:
		row("last backup", "%s ago, which is old: octavo docs operations/backup", ago(now, st.Backup.At))
	case st.Backup != nil:
		row("last backup", "%s ago", ago(now, st.Backup.At))
	case st.elsewhere:
		row("last backup", "Postgres has its own: octavo docs operations/backup-postgres")
	default:
		row("last backup", "none: octavo docs operations/backup")
	}
	st.printFaults(row, now)
	for _, note := range st.Notes {
		row("note", "%s", note)
	}
	return w.Flush()
}

func (st Status) printFaults(row func(string, string, ...any), now time.Time) {
	if st.Running && len(st.Faults) == 0 {
		row("last faults", "none")
	}
	for n, f := range st.Faults[:min(shownFaults, len(st.Faults))] {
		name := ""
		if n == 0 {
			name = "last faults"
		}
		text := []string{f.Message}
		for _, more := range []string{f.Route, f.Error, f.RequestID} {
			if more != "" {
				text = append(text, more)
			}
		}
		row(name, "%s ago: %s", ago(now, f.At), strings.Join(text, ", "))
	}
}

func (c Certificate) text(now time.Time) string {
	switch {
	case c.Expires.Before(now):
		return fmt.Sprintf("%s, expired %s ago: octavo docs operations/https", c.Domain, ago(now, c.Expires))
	case c.Late:
		return fmt.Sprintf("%s, for %s more, and was not renewed: octavo docs operations/https", c.Domain, ago(c.Expires, now))
	}
	return fmt.Sprintf("%s, for %s more", c.Domain, ago(c.Expires, now))
}

// health names what is not up.
func (st Status) health() string {
	text := st.Health.Status
	for _, name := range slices.Sorted(maps.Keys(st.Health.Checks)) {
		text += ", " + name + " " + st.Health.Checks[name]
	}
	return text
}

// ago is the time between two moments, as people say it.
func ago(now, then time.Time) string {
	d := now.Sub(then)
	switch {
	case d < 2*time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h", int(d.Hours()))
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

package statuscommand

import (
	"strings"
	"testing"
	"time"
)

func TestTheStatusSaysWhatNeedsAttentionAndWhereToLook(t *testing.T) {
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	of := func(age time.Duration) *Backup { return &Backup{At: now.Add(-age)} }
	certificate := func(left time.Duration, late bool) *Certificate {
		return &Certificate{"books.example.edu", now.Add(left), late}
	}
	for name, c := range map[string]struct {
		status Status
		want   string // "" if nothing needs attention
	}{
		"well":          {Status{Health: Health{Status: "up"}, Backup: of(9 * time.Hour), Certificate: certificate(60*24*time.Hour, false)}, ""},
		"mail is dead":  {Status{Health: Health{"degraded", map[string]string{"mail": "degraded"}}, Backup: of(time.Hour)}, "octavo doctor says why"},
		"given up":      {Status{Health: Health{Status: "up"}, Backup: of(time.Hour), Queues: map[string]Queue{"deliveries": {Dead: 1}}}, "1 given up: octavo webhooks list --state dead"},
		"work given up": {Status{Health: Health{Status: "up"}, Backup: of(time.Hour), Queues: map[string]Queue{"work": {Dead: 2}}}, "2 given up: octavo work list"},
		"old backup":    {Status{Health: Health{Status: "up"}, Backup: of(9 * 24 * time.Hour)}, "9 days ago, which is old: octavo docs operations/backup"},
		"no backup":     {Status{Health: Health{Status: "up"}}, "none: octavo docs operations/backup"},
		"not renewed":   {Status{Health: Health{Status: "up"}, Backup: of(time.Hour), Certificate: certificate(5*24*time.Hour, true)}, "for 5 days more, and was not renewed: octavo docs operations/https"},
		"expired":       {Status{Health: Health{Status: "up"}, Backup: of(time.Hour), Certificate: certificate(-3*24*time.Hour, true)}, "expired 3 days ago: octavo docs operations/https"},
	} {
		c.status.Running = true
		var out strings.Builder
		if err := c.status.print(&out, now); err != nil {
			t.Fatal(err)
		}
		if needs := strings.Contains(out.String(), "octavo "); needs != (c.want != "") || !strings.Contains(out.String(), c.want) {
			t.Errorf("%s:\n%s", name, out.String())
		}
	}
}

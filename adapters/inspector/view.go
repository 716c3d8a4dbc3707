package inspector

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/application/inbox"
)

// deliveryView is a delivery as the list and its own page show it.
type deliveryView struct {
	Source, ID, Name, State, Link, Summary string
	Conflict                               bool
	ReceivedAt                             time.Time
	Targets                                []targetView
}

// targetView is a job.
type targetView struct {
	Rule, State, Error string
	Attempts, Status   int
	DueAt, ChangedAt   time.Time
	Redelivery         bool
}

func viewOf(d inbox.Delivery) deliveryView {
	v := deliveryView{
		Source: d.Source, ID: d.Name(), Name: string(d.Event), State: d.State(), Link: linkTo(d.Source, d.Name()), Conflict: d.Conflict,
		ReceivedAt: d.ReceivedAt,
	}
	if d.Action != "" {
		v.Name += "." + d.Action
	}
	counts := map[inbox.JobState]int{}
	for _, job := range d.Jobs {
		counts[job.State]++
		t := targetView{
			Rule: ruleName(job.Rule), State: job.State.String(), Error: job.Error, Attempts: job.Attempts, Status: job.Status,
			ChangedAt: job.ChangedAt, Redelivery: job.Redelivery,
		}
		if job.State == inbox.Open {
			t.DueAt = job.DueAt
		}
		v.Targets = append(v.Targets, t)
	}
	slices.Reverse(v.Targets) // the newest first
	v.Summary = summary(counts)
	return v
}

// attemptView is one request to a target.
type attemptView struct {
	At                                  time.Time
	Accepted                            bool
	Number, Status                      int
	Rule, Target, Error, Answer, Lasted string
}

// attemptsOf returns the attempts, newest first.
func attemptsOf(d inbox.Delivery) []attemptView {
	var views []attemptView
	for _, a := range slices.Backward(d.Attempts) {
		v := attemptView{
			At: a.At, Accepted: a.Error == "", Number: a.Number, Status: a.Status, Rule: ruleName(a.Rule), Target: a.Target, Error: a.Error,
			Answer: a.Answer,
			Lasted: a.Duration.Round(time.Millisecond).String(),
		}
		if strings.HasSuffix(v.Error, fmt.Sprintf("answered %d", a.Status)) {
			v.Error = "" // the status says it
		}
		if strings.Contains(v.Rule, a.Target) {
			v.Target = "" // a rule without a name
		}
		views = append(views, v)
	}
	return views
}

// summary counts the targets by state; the replaced ones need no attention.
func summary(counts map[inbox.JobState]int) string {
	var parts []string
	total := counts[inbox.Open] + counts[inbox.Delivered] + counts[inbox.Dead]
	for _, state := range []inbox.JobState{inbox.Dead, inbox.Open, inbox.Delivered} {
		if n := counts[state]; n > 0 && n < total {
			parts = append(parts, fmt.Sprintf("%d %s", n, state))
		}
	}
	targets := fmt.Sprintf("%d %s", total, plural(total, "target", "targets"))
	switch {
	case total == 0:
		return "no target"
	case parts == nil:
		return targets
	}
	return targets + ": " + strings.Join(parts, ", ")
}

// ruleName hides the query of a rule's URL, which may contain a secret, in the key of a rule
// without a name, match=url.
func ruleName(key string) string {
	match, target, unnamed := strings.Cut(key, "=")
	u, err := url.Parse(target)
	if !unnamed || err != nil || u.RawQuery == "" {
		return key
	}
	u.RawQuery = "…"
	return match + "=" + strings.Replace(u.String(), "?%E2%80%A6", "?…", 1)
}

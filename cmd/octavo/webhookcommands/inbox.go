package webhookcommands

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/octavo-books/octavo/adapters/inboxhttp"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
	"github.com/octavo-books/octavo/domain/id"
	"github.com/octavo-books/octavo/domain/pasted"
	"github.com/octavo-books/octavo/domain/webhook"
)

// selection chooses deliveries.
type selection struct {
	Source string `help:"Only of this source; the one of WEBHOOK_PATH is default." placeholder:"NAME"`
	Event  string `help:"Only this event, without an action." placeholder:"EVENT" complete:"events"`
	From   moment `help:"Only those received at that time or later: 2026-11-20T12:00:00Z, or a day such as 2026-11-20." placeholder:"TIME"`
	To     moment `help:"Only those received before that time." placeholder:"TIME"`
}

// moment is a time, or the beginning of a day in UTC as people write it.
type moment struct{ time.Time }

// UnmarshalText implements encoding.TextUnmarshaler.
func (m *moment) UnmarshalText(typed []byte) (err error) {
	if m.Time, err = time.Parse(time.RFC3339, string(typed)); err == nil {
		return nil
	}
	if m.Time, err = (pasted.Dates{}).Read(string(typed)); err == nil && !bytes.ContainsRune(typed, ':') {
		return nil
	}
	return fmt.Errorf("%q is not a time such as 2026-11-20T12:00:00Z or a day such as 2026-11-20", typed)
}

func (s selection) query(state string) inbox.Query {
	return inbox.Query{Source: s.Source, State: state, Event: webhook.EventName(s.Event), From: s.From.Time, To: s.To.Time}
}

type webhooksList struct {
	selection       `embed:""`
	terminal.AsJSON `embed:""`
	State           string `help:"Only those that are pending, delivered, dead or unmatched." placeholder:"STATE" complete:"pending,delivered,dead,unmatched"`
	Text            string `help:"Only those whose ID or payload contains it." placeholder:"TEXT"`
	Limit           int    `help:"How many, 1 to 200." default:"50"`
	Cursor          string `help:"Continue after the end of a list with --json." placeholder:"CURSOR"`
}

func (l webhooksList) Run(ctx context.Context, tools Tools, c terminal.Console) error {
	q := l.query(l.State)
	q.Text = l.Text
	if q.Limit = l.Limit; q.Limit < 1 || q.Limit > inbox.MaxPage {
		return terminal.Misused("--limit %d is not from 1 to %d", q.Limit, inbox.MaxPage)
	}
	if before, ok := id.Parse(l.Cursor); ok {
		q.Before = before
	} else if l.Cursor != "" {
		return terminal.Misused("--cursor %q is not the cursor of a list", l.Cursor)
	}
	return tools.WithAdmin(ctx, func(admin *inbox.Admin) error {
		deliveries, next, err := listAll(ctx, admin, q)
		if err != nil {
			return explain(err)
		}
		return l.Print(c.Out, inboxhttp.ViewPage(deliveries, next), func(out io.Writer) error { return printLines(out, deliveries) })
	})
}

// listAll lists until the limit or the end is reached: one page may hold fewer.
func listAll(ctx context.Context, admin *inbox.Admin, q inbox.Query) (all []inbox.Delivery, next int64, err error) {
	for most := q.Limit; ; q.Before, q.Limit = next, most-len(all) {
		page, more, err := admin.ListDeliveries(ctx, q)
		all, next = append(all, page...), more
		if err != nil || next == 0 || len(all) == most {
			return all, next, err
		}
	}
}

// printLines prints one delivery per line, its ID first, and at the end the source unless
// that is the default one.
func printLines(out io.Writer, deliveries []inbox.Delivery) error {
	for _, d := range deliveries {
		name := string(d.Event)
		if d.Action != "" {
			name += "." + d.Action
		}
		from := ""
		if d.Source != inbox.DefaultSource {
			from = "  from " + d.Source
		}
		if _, err := fmt.Fprintf(
			out, "%s  %s  %s  %s  %s%s\n", d.ID, d.ReceivedAt.Format(time.RFC3339), name, d.State(), targets(d), from,
		); err != nil {
			return err
		}
	}
	return nil
}

// targets counts the jobs by their state.
func targets(d inbox.Delivery) string {
	counts := map[string]int{}
	for _, job := range d.Jobs {
		counts[job.State.String()]++
	}
	var parts []string
	for state, n := range counts {
		parts = append(parts, fmt.Sprintf("%d %s", n, state))
	}
	if parts == nil {
		return "no target"
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

type webhooksShow struct {
	terminal.AsJSON `embed:""`
	Source          string `help:"The delivery's source. Default: that of the newest delivery with the ID." placeholder:"NAME"`
	ID              string `arg:"" help:"The delivery's ID."`
}

func (s webhooksShow) Run(ctx context.Context, tools Tools, c terminal.Console) error {
	return tools.WithAdmin(ctx, func(admin *inbox.Admin) error {
		d, err := admin.FindDelivery(ctx, s.Source, s.ID)
		if err != nil {
			return explain(err)
		}
		return s.Print(c.Out, inboxhttp.ViewWithPayload(d), func(out io.Writer) error { return printWhole(out, d) })
	})
}

func printWhole(out io.Writer, d inbox.Delivery) error {
	if err := printLines(out, []inbox.Delivery{d}); err != nil {
		return err
	}
	for _, job := range d.Jobs {
		line := fmt.Sprintf("  %s  %s after %s", job.Rule, job.State, terminal.Count(job.Attempts, "attempt", "attempts"))
		if job.Error != "" {
			line += ": " + job.Error
		}
		if job.State == inbox.Open {
			line += ", due " + job.DueAt.Format(time.RFC3339)
		}
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	if err := printAttempts(out, d.Attempts); err != nil {
		return err
	}
	payload := string(d.Payload)
	if d.Payload == nil {
		payload = "(the payload is no longer stored)"
	}
	_, err := fmt.Fprintln(out, payload)
	return err
}

type webhooksRedeliver struct {
	selection       `embed:""`
	terminal.AsJSON `embed:""`
	IDs             []string `arg:"" optional:"" name:"id" help:"IDs of deliveries."`
	Dead            bool     `help:"All dead letters; --event, --from and --to narrow them down."`
	Unmatched       bool     `help:"All that no rule took; --event, --from and --to narrow them down."`
}

func (r webhooksRedeliver) Run(ctx context.Context, tools Tools, c terminal.Console) error {
	ranged := r.Dead || r.Unmatched || r.Event != "" || !r.From.IsZero() || !r.To.IsZero()
	if ranged == (len(r.IDs) > 0) || r.Dead && r.Unmatched {
		return terminal.Misused("name the IDs of deliveries, or choose by --dead or --unmatched, --event, --from and --to")
	}
	return tools.WithAdmin(ctx, func(admin *inbox.Admin) error {
		if ranged {
			return r.all(ctx, admin, c)
		}
		var errs []error
		for _, delivery := range r.IDs {
			errs = append(errs, r.one(ctx, admin, c, delivery))
		}
		return errors.Join(errs...)
	})
}

// one sends one delivery again.
func (r webhooksRedeliver) one(ctx context.Context, admin *inbox.Admin, c terminal.Console, delivery string) error {
	n, err := admin.Redeliver(ctx, r.Source, delivery)
	if err != nil {
		return fmt.Errorf("%s: %w", delivery, explain(err))
	}
	return r.Print(c.Out, inboxhttp.Redelivery{ID: delivery, Targets: n}, func(out io.Writer) error {
		_, err := fmt.Fprintf(out, "%s goes to %s again\n", delivery, terminal.Count(n, "target", "targets"))
		return err
	})
}

// all sends a whole range again. It fails if no rule forwards some of the deliveries, so
// that a script does not count them as sent.
func (r webhooksRedeliver) all(ctx context.Context, admin *inbox.Admin, c terminal.Console) error {
	state := ""
	if r.Dead {
		state = inbox.Dead.String()
	}
	if r.Unmatched {
		state = inbox.Unmatched
	}
	done, err := admin.RedeliverAll(ctx, r.query(state))
	if err != nil {
		return explain(err)
	}
	view := map[string]int{"deliveries": done.Deliveries, "noTarget": done.NoTarget, "noPayload": done.NoPayload}
	if err := r.Print(c.Out, view, func(out io.Writer) error { return printRedelivered(out, done) }); err != nil {
		return err
	}
	if done.NoTarget > 0 {
		return fmt.Errorf("no forwarding rule matches %s now", terminal.Count(done.NoTarget, "delivery", "deliveries"))
	}
	return nil
}

func printRedelivered(out io.Writer, done inbox.RedeliveryReport) error {
	_, err := fmt.Fprintf(out, "%s out again\n", terminal.Count(done.Deliveries, "delivery goes", "deliveries go"))
	if err == nil && done.NoPayload > 0 {
		_, err = fmt.Fprintf(out, "the payload of %s is no longer stored\n", terminal.Count(done.NoPayload, "delivery", "deliveries"))
	}
	return err
}

type webhooksTail struct {
	terminal.AsJSON `embed:""`
	Source          string `help:"Only of this source; the one of WEBHOOK_PATH is default." placeholder:"NAME"`
	Event           string `help:"Only this event, without an action." placeholder:"EVENT" complete:"events"`
}

// tailEvery is the interval at which tail polls the inbox.
const tailEvery = 300 * time.Millisecond

// Run prints until it is interrupted.
func (t webhooksTail) Run(ctx context.Context, tools Tools, c terminal.Console) error {
	return tools.WithAdmin(ctx, func(admin *inbox.Admin) error {
		seen := map[int64]bool{}
		for first := true; ; first = false {
			fresh, err := t.fresh(ctx, admin, seen)
			if err != nil && ctx.Err() == nil {
				return explain(err)
			}
			if !first {
				if err := t.printAll(c.Out, fresh); err != nil {
					return err
				}
			}
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(tailEvery):
			}
		}
	})
}

// maxTailPages bounds how far back a poll reads: 2,000 deliveries.
const maxTailPages = 10

// fresh returns the deliveries since the last poll, oldest first. It compares with all
// deliveries of that poll instead of the highest number, because transactions may commit in
// another order than they began.
func (t webhooksTail) fresh(ctx context.Context, admin *inbox.Admin, seen map[int64]bool) ([]inbox.Delivery, error) {
	var fresh []inbox.Delivery
	current := map[int64]bool{}
	q := inbox.Query{Source: t.Source, Event: webhook.EventName(t.Event), Limit: inbox.MaxPage}
	for range maxTailPages {
		page, next, err := admin.ListDeliveries(ctx, q)
		if err != nil {
			return nil, err
		}
		known := len(seen) == 0 // the first poll needs one page only
		for _, d := range page {
			current[d.Seq] = true
			if seen[d.Seq] {
				known = true
			} else {
				fresh = append(fresh, d)
			}
		}
		if q.Before = next; known || next == 0 {
			break
		}
	}
	clear(seen)
	maps.Copy(seen, current)
	slices.Reverse(fresh)
	return fresh, nil
}

func (t webhooksTail) printAll(out io.Writer, deliveries []inbox.Delivery) error {
	if !t.JSON {
		return printLines(out, deliveries)
	}
	lines := json.NewEncoder(out)
	for _, d := range deliveries {
		if err := lines.Encode(inboxhttp.View(d)); err != nil {
			return err
		}
	}
	return nil
}

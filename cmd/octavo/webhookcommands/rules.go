package webhookcommands

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/octavo-books/octavo/adapters/inboxhttp"
	"github.com/octavo-books/octavo/application/inbox"
	"github.com/octavo-books/octavo/cmd/octavo/terminal"
)

type webhooksRules struct {
	List   webhooksRulesList   `cmd:"" default:"withargs" help:"Print the rules that the service has now or had when it last ran: name, state, backlog, last answer."`
	Pause  webhooksRulesPause  `cmd:"" help:"Stop forwarding by a rule: its deliveries wait until it is resumed, also across restarts."`
	Resume webhooksRulesResume `cmd:"" help:"Forward by a paused rule again, the oldest delivery first."`
}

type webhooksRulesList struct {
	terminal.AsJSON `embed:""`
}

func (l webhooksRulesList) Run(ctx context.Context, tools Tools, c terminal.Console) error {
	return tools.WithAdmin(ctx, func(admin *inbox.Admin) error {
		rules, err := admin.ListRules(ctx)
		if err != nil {
			return err
		}
		return l.Print(c.Out, inboxhttp.ViewRules(rules), func(out io.Writer) error {
			for _, r := range rules {
				if _, err := fmt.Fprintln(out, ruleLine(r)); err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// ruleLine is one line about a rule, its name first.
func ruleLine(r inbox.RuleStatus) string {
	line := r.Key + "  " + r.State()
	if r.PausedBy == inbox.PausedByFile {
		line += " in the file"
	}
	if !r.FailingSince.IsZero() {
		line += " since " + r.FailingSince.Format(time.RFC3339)
	}
	tried := terminal.Count(r.Attempts, "attempt", "attempts")
	line += fmt.Sprintf("  %d pending, %d dead  %d of %s failed in the last hour", r.Open, r.Dead, r.Failures, tried)
	if r.Last.At.IsZero() {
		return line
	}
	result := r.Last.Error
	if result == "" {
		result = fmt.Sprintf("answered %d", r.Last.Status)
	}
	return line + fmt.Sprintf("  %s %s", r.Last.At.Format(time.RFC3339), result)
}

type webhooksRulesPause struct {
	terminal.AsJSON `embed:""`
	Name            string `arg:"" help:"The rule's name as listed; without a name of its own it is match=url."`
}

func (p webhooksRulesPause) Run(ctx context.Context, tools Tools, c terminal.Console) error {
	return changeRule(ctx, tools, c, p.AsJSON, p.Name, true, (*inbox.Admin).PauseRule)
}

type webhooksRulesResume struct {
	terminal.AsJSON `embed:""`
	Name            string `arg:"" help:"The rule's name as listed; without a name of its own it is match=url."`
}

func (r webhooksRulesResume) Run(ctx context.Context, tools Tools, c terminal.Console) error {
	return changeRule(ctx, tools, c, r.AsJSON, r.Name, false, (*inbox.Admin).ResumeRule)
}

// changeRule pauses or resumes a rule and says so.
func changeRule(
	ctx context.Context, tools Tools, c terminal.Console, a terminal.AsJSON,
	name string, paused bool, change func(*inbox.Admin, context.Context, string) error,
) error {
	return tools.WithAdmin(ctx, func(admin *inbox.Admin) error {
		if err := change(admin, ctx, name); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		return a.Print(c.Out, inboxhttp.Pause{Name: name, Paused: paused}, func(out io.Writer) error {
			state := "is resumed"
			if paused {
				state = "is paused"
			}
			_, err := fmt.Fprintf(out, "%s %s\n", name, state)
			return err
		})
	})
}
